/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Main program of benchmarks between pairs of MPI ranks: draws pairs of all path classes, measures one pair after
 * another, writes a results file and prints a summary for each class. A benchmark supplies exchange, columns and cells
 * (struct mpg_network). */
#ifndef MPG_NETWORK_H
#define MPG_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/harness/path_results.h"
#include "bench/harness/plan.h"
#include "bench/harness/results_file.h"
#include "bench/harness/rounds.h"
#include "common/error.h"
#include "common/option.h"

enum mpg_network_memory { MPG_MEMORY_HOST, MPG_MEMORY_DEVICE };
extern const char *const mpg_network_memories[]; /* their names, ended by NULL */

struct mpg_network_options {
    const char *dir, *sizes, *timer, *pairs;
    int64_t iterations, max, warmup, launch, seed;
    double confidence, median_error, tail_error; /* goals for the errors of median and tail, in percent; 0: no goal */
    double time_ns;
    int memory; /* enum mpg_network_memory */
    bool quick, no_eager, no_bind;
    bool iterations_given, max_given, seed_given, time_given;
};

/* Option table rows for the number of samples of benchmarks that record THINGS ("exchanges"): the settings of --quick, the
 * default of --max-iterations, and the least number for large sizes, as text. */
#define MPG_NUMBER_OPTIONS(o, things, quick_text, most_text, least_text)                                                        \
    {.name = "quick", .letter = 'q', .kind = MPG_OPTION_FLAG, .value = &(o).quick, .help = quick_text},                         \
    {.name = "max-iterations", .kind = MPG_OPTION_INT, .value = &(o).max, .argument = "N",                                      \
     .help = things " recorded at most of each size up to 16KiB;\nfewer of larger ones (default: " most_text ")",               \
     .minimum = 1, .maximum = 1e8, .given = &(o).max_given},                                                                    \
    {.name = "max-time", .kind = MPG_OPTION_TIME, .value = &(o).time_ns, .argument = "TIME",                                    \
     .help = "measure no longer than about TIME in all (default: 60s)",                                                        \
     .minimum = 1e6, .maximum = 1e15, .given = &(o).time_given},                                                                \
    {.name = "iterations", .letter = 'i', .kind = MPG_OPTION_INT, .value = &(o).iterations, .argument = "N",                    \
     .help = "record N " things " of each size up to 16KiB, fewer of\nlarger ones but at least " least_text                     \
             ", whatever the precision",                                                                                       \
     .minimum = 1, .maximum = 1e8, .given = &(o).iterations_given}

/* Option table rows common to pair benchmarks. O: a struct mpg_network_options; WARMUP_TEXT: default of --warmup as text.
 * MPG_NETWORK_OPTIONS has the rows of benchmarks that detect the eager limit. */
#define MPG_PAIR_OPTIONS(o, warmup_text)                                                                                        \
    {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &(o).dir, .argument = "DIR",          \
     .help = "write the samples into folder DIR (default: results)"},                                           \
    {.name = "pairs", .letter = 'p', .kind = MPG_OPTION_STRING, .value = &(o).pairs, .argument = "N",           \
     .help = "measure N pairs of ranks, drawn from all path classes,\nor 'all' (default: 10)"},                 \
    {.name = "warmup", .letter = 'w', .kind = MPG_OPTION_INT, .value = &(o).warmup, .argument = "N",            \
     .help = "messages of each size before, not recorded (default: " warmup_text ")", .maximum = 1e8}, \
    {.name = "launch", .letter = 'l', .kind = MPG_OPTION_INT, .value = &(o).launch, .argument = "N",            \
     .help = "number of this launch, used in file names (default: 0)", .maximum = 1e9},                          \
    {.name = "seed", .kind = MPG_OPTION_INT, .value = &(o).seed, .argument = "N",                               \
     .help = "draws the pairs and the orders (default: the launch)",                                            \
     .maximum = 1e15, .given = &(o).seed_given},                                                                \
    {.name = "confidence", .kind = MPG_OPTION_REAL, .value = &(o).confidence, .argument = "PERCENT",            \
     .help = "confidence of the intervals of the stopping rule\n(default: 95)", .minimum = 50, .maximum = 99.99},       \
    {.name = "median-error", .kind = MPG_OPTION_REAL, .value = &(o).median_error, .argument = "PERCENT",        \
     .help = "half width of the median's interval, 0 for none\n(default: 2)", .maximum = 1000},                  \
    {.name = "no-bind", .kind = MPG_OPTION_FLAG, .value = &(o).no_bind,                                         \
     .help = "do not bind ranks to cores"},                                          \
    {.name = "timer", .kind = MPG_OPTION_STRING, .value = &(o).timer, .argument = "NAME",                       \
     .help = "auto (default), counter (the processor's), papi or clock"}
#define MPG_NETWORK_OPTIONS(o, warmup_text)                                                                                     \
    MPG_PAIR_OPTIONS(o, warmup_text),                                                                           \
    {.name = "no-eager", .kind = MPG_OPTION_FLAG, .value = &(o).no_eager,                                       \
     .help = "do not detect the eager limit"}

/* Option table row of benchmarks that can send memory of a GPU. */
#define MPG_MEMORY_OPTION(o)                                                                                                    \
    {.name = "memory", .kind = MPG_OPTION_WORD, .value = &(o).memory, .words = mpg_network_memories,                           \
     .help = "memory of the messages: of the host (default), or of a\nGPU (device; needs an MPI library that takes it)"}

/* Machine facts for a benchmark's plan; 0: unknown. */
struct mpg_network_facts {
    int64_t eager_limit_bytes; /* result of mpg_eager_limit(), or 0 */
    int64_t l2_bytes, l3_bytes;
};

/* Limits of samples and time. */
struct mpg_network_effort {
    struct mpg_plan_limits limits;
    double time_ns; /* time limit for all pairs together */
};

struct mpg_network {
    const char *name; /* name of the benchmark, in files and file names */
    const struct mpg_program *program;
    struct mpg_network_options *opt;
    struct mpg_network_effort full, quick;
    int64_t fixed_min;   /* limits.min if --iterations is given */
    mpg_exchange_half *lead, *follow;
    bool sent; /* LEAD records the time after the last send */
    bool late; /* late receives (struct mpg_rounds) */
    bool two_parts; /* exchanges of two parts (struct mpg_rounds) */
    bool works; /* the leading rank computes in the second part (struct mpg_rounds) */
    bool opens_window; /* each pair has a window (mpg_pair_open_window()) of the largest size; */
    const bool *creates_window; /* by MPI_Win_create */
    const char *const *operation_names; /* of the operations of the plan's cells; NULL: one operation */
    const char *columns;
    int n_columns, decimals[MPG_RESULTS_COLUMNS];
    /* Adds the cells to PLAN. Errors: as mpg_plan_add(); wrong sizes (texts that name another option begin with "--"). */
    int (*plan)(const struct mpg_network_facts *facts, const struct mpg_plan_limits *limits,
                struct mpg_bench_plan *plan, struct mpg_error *err);
    /* Fills a row's columns after column 0 (the pair number). */
    void (*row)(const struct mpg_bench_cell *cell, const struct mpg_times *times, double *row);
    /* Adds the benchmark's own header lines for the results file of CLASS. NULL: none. */
    int (*describe)(const struct mpg_path_results *class, struct mpg_header *header,
                    struct mpg_error *err);
    int window_column; /* number of the column with the window; 0: none */
    bool tail;         /* the 99th percentile is part of the goal */
    /* Prints the table of a class. Errors: out of memory. */
    int (*summary)(const struct mpg_path_results *class, struct mpg_error *err);
};

/* The whole program: parses options, measures, writes and prints. Returns the exit status. */
int mpg_network_main(const struct mpg_network *network, int argc, char **argv);

#endif
