/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two sets of traces compared: runs before and after a change of the program. Private to mpgtrace compare.
 *
 * A run is read once; all times of a run are means of its ranks, in ns. Callsites of both sides are matched by call and by the
 * functions and files of their places, because lines move between versions; regions by name. */
#ifndef MPG_COMPARE_H
#define MPG_COMPARE_H

#include <stdio.h>

#include "common/error.h"
#include "trace/event.h"
#include "trace/stat/stat.h"

enum compare_side { COMPARE_BEFORE, COMPARE_AFTER, COMPARE_SIDES };

/* Quantities of a whole run. */
enum compare_quantity {
    COMPARE_RUN,           /* the longest rank, MPI_Init to MPI_Finalize */
    COMPARE_COMPUTATION,   /* outside MPI, without recording, polling and time off the CPU */
    COMPARE_MPI,           /* in MPI */
    COMPARE_OFF_CPU,       /* off the CPU outside MPI */
    COMPARE_POLLING,       /* between unsuccessful tests and their repetition (trace/polling.h) */
    /* POP's efficiencies (analyse/efficiency/efficiency.h) */
    COMPARE_LOAD_BALANCE,  /* mean / maximum computation of a rank */
    COMPARE_SERIALIZATION, /* maximum computation / ideal run; NAN: the ideal run is not known */
    COMPARE_TRANSFER,      /* ideal run / run; NAN likewise */
    COMPARE_EFFICIENCY,    /* mean computation of a rank / run */
    COMPARE_QUANTITIES
};
/* Return the name of QUANTITY, such as "Run time"; and whether QUANTITY is a time in ns, not a fraction. */
const char *mpg_compare_quantity_name(enum compare_quantity quantity);
static inline bool mpg_compare_is_time(enum compare_quantity quantity)
{
    return quantity < COMPARE_LOAD_BALANCE;
}

enum compare_kind { COMPARE_CALL, COMPARE_COMPUTATION_BEFORE, COMPARE_REGION };

/* Calls of a callsite, the computation before them, or a region, in one run. */
struct compare_part {
    enum compare_kind kind;
    enum mpg_call call;
    char *name;      /* places, innermost first, a line each; a region's name */
    double time_ns, number; /* mean of a rank; NUMBER: of calls, intervals or visits */
};

struct compare_run {
    char *path;
    int32_t ranks;
    bool has_threads; /* several threads of a rank made calls */
    bool knows_recording;
    struct stat_recording recording;
    double quantity[COMPARE_QUANTITIES];
    size_t n;
    struct compare_part *part; /* sorted by kind, call, name; no two are equal */
};

/* Reads the trace at PATH, with FRAMES places a callsite; DEBUG_PATH: see mpg_symbols_new(). Warns of a truncated trace, and of
 * one without an ideal run, on standard error. The caller clears RUN, also on failure. Returns 0, or -1 with ERR. */
int mpg_compare_read(struct compare_run *run, const char *path, int frames, const char *debug_path, struct mpg_error *err);
void mpg_compare_run_clear(struct compare_run *run);

/* How a row's parts were matched. */
enum compare_match {
    COMPARE_SAME,       /* equal names */
    COMPARE_MOVED,      /* equal functions and files, other lines */
    COMPARE_OTHER_FILE, /* the one callsite of this call in this function on each side; other files */
    COMPARE_TOGETHER,   /* one row for all callsites of this call in this function and file: their numbers differ */
    COMPARE_APPEARED,
    COMPARE_DISAPPEARED
};
/* Returns "same", "line moved" ...; the key of JSON and CSV, "same", "line_moved". */
const char *mpg_compare_match_name(enum compare_match match);

enum compare_verdict { COMPARE_UNKNOWN, COMPARE_NO_DIFFERENCE, COMPARE_DIFFERS };
/* Returns "same" or "differs"; NULL: unknown. */
const char *mpg_compare_verdict_name(enum compare_verdict verdict);

/* A value of both sides: means over the runs of a side. */
struct compare_change {
    double side[COMPARE_SIDES], change;
    double low, high, p, q; /* 95 % interval of the change, p-value, false discovery rate; NAN: not known */
    enum compare_verdict verdict;
};

struct compare_row {
    enum compare_kind kind;
    enum mpg_call call;
    enum compare_match match;
    char *name[COMPARE_SIDES];  /* NULL: not there */
    uint32_t places[COMPARE_SIDES]; /* number of callsites */
    double *time_ns[COMPARE_SIDES]; /* by run */
    double number[COMPARE_SIDES];   /* mean number of calls or visits a rank */
    struct compare_change time;
};

struct compare_runs {
    struct compare_run *run;
    size_t n;
};

struct comparison {
    const struct compare_runs *side; /* before, after */
    struct compare_change quantity[COMPARE_QUANTITIES];
    size_t n;
    struct compare_row *row; /* largest change first */
};

/* Compares the runs of both sides, one or more each; SIDE outlives the result. The caller clears C, also on failure. Returns 0,
 * or -1 with ERR: no memory. */
int mpg_compare_make(struct comparison *c, const struct compare_runs side[COMPARE_SIDES], struct mpg_error *err);
void mpg_compare_clear(struct comparison *c);
/* Makes the rows of C and their values by run. */
int mpg_compare_match_parts(struct comparison *c, struct mpg_error *err);
/* Returns whether chance can be told from change: each side has several runs. */
bool mpg_compare_knows_chance(const struct comparison *c);

/* Print the comparison. TOP: number of lines of text, 0: all. Return 0, or -1 with ERR: no memory. */
int mpg_compare_print_text(const struct comparison *c, size_t top, FILE *out, struct mpg_error *err);
int mpg_compare_print_csv(const struct comparison *c, FILE *out, struct mpg_error *err);
int mpg_compare_print_json(const struct comparison *c, FILE *out, struct mpg_error *err);

#endif
