/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two sets of traces compared: runs before and after a change of the program. Private to mpgtrace compare.
 *
 * A run is read once; all times of a run are means of its ranks, in ns. Callsites of both sides are matched by MPI call and
 * by the functions and files of their stack frames, not by lines, because lines move between versions; regions by name. */
#ifndef MPG_COMPARE_H
#define MPG_COMPARE_H

#include <stdio.h>

#include "common/conditions/conditions.h"
#include "common/error.h"
#include "trace/event.h"
#include "trace/excerpt/excerpt.h"
#include "trace/stat/stat.h"

enum compare_side { COMPARE_BEFORE, COMPARE_AFTER, COMPARE_SIDES };

/* Quantities of a whole run. */
enum compare_quantity {
    COMPARE_RUN,           /* run time: from MPI_Init to MPI_Finalize, of the rank with the longest run */
    COMPARE_COMPUTATION,   /* time outside MPI, without recording, polling and time off the CPU */
    COMPARE_MPI,           /* time in MPI */
    COMPARE_OFF_CPU,       /* time off the CPU outside MPI */
    COMPARE_POLLING,       /* polling: time between an unsuccessful test and its repetition (trace/polling.h) */
    /* POP's efficiencies (analyse/efficiency/efficiency.h) */
    COMPARE_LOAD_BALANCE,  /* mean / maximum computation of a rank */
    COMPARE_SERIALIZATION, /* maximum computation of a rank / run time of the ideal run; NAN: the ideal run is not known */
    COMPARE_TRANSFER,      /* run time of the disturbed ideal run / run time; NAN: the ideal run is not known */
    COMPARE_NOISE,         /* run time of the ideal run / run time of the disturbed ideal run; NAN: the ideal run is not known */
    COMPARE_EFFICIENCY,    /* mean computation of a rank / run time: the product of the four factors above */
    COMPARE_QUANTITIES
};
/* Return the name of QUANTITY, such as "Run time"; and true if QUANTITY is a time in ns, false for a fraction. */
const char *mpg_compare_quantity_name(enum compare_quantity quantity);
static inline bool mpg_compare_is_time(enum compare_quantity quantity)
{
    return quantity < COMPARE_LOAD_BALANCE;
}

enum compare_kind { COMPARE_CALL, COMPARE_COMPUTATION_BEFORE, COMPARE_REGION };

/* Sums of one run: over the calls of a callsite, over the computation before these calls, or over a region. */
struct compare_part {
    enum compare_kind kind;
    enum mpg_call call;
    char *name;      /* of a callsite: the stack frames, innermost first, one per line; of a region: the region's name */
    double time_ns, number; /* mean over ranks: time, and number of calls, intervals or visits of the region */
};

struct compare_run {
    char *path;
    char *program; /* the recorded command line; NULL: not known */
    int32_t ranks;
    bool has_threads; /* several threads of a rank made calls */
    bool knows_recording;
    struct stat_recording recording;
    double quantity[COMPARE_QUANTITIES];
    size_t n;
    struct compare_part *part; /* sorted by kind, call, name; without duplicates */
};

/* How traces are read. */
struct compare_reading {
    struct mpg_excerpt excerpt; /* the part that is read */
    int frames;                 /* number of stack frames of a callsite */
    const char *debug_path;     /* see mpg_symbols_new() */
};

/* Reads the trace at PATH. Prints to MESSAGES warnings that the trace is truncated, or has no ideal run. The caller clears RUN,
 * also on failure. Thread-safe for different runs. Returns 0, or -1 with ERR. */
int mpg_compare_read(struct compare_run *run, const char *path, const struct compare_reading *reading, FILE *messages,
                     struct mpg_error *err);
/* Reads the N >= 1 traces PATH in up to THREADS >= 1 threads, and prints all messages in the order of PATH to standard error. The
 * caller clears the N elements of RUN, also on failure. Returns 0, or -1 with ERR: of the first trace that cannot be read. */
int mpg_compare_read_all(struct compare_run *run, char **path, size_t n, const struct compare_reading *reading, unsigned threads,
                         struct mpg_error *err);
void mpg_compare_run_clear(struct compare_run *run);

/* Criterion by which the parts of a row were matched between both sides. */
enum compare_match {
    COMPARE_SAME,       /* function and file names, and lines, are equal */
    COMPARE_MOVED,      /* functions and files are equal, lines differ */
    COMPARE_OTHER_FILE, /* files differ; each side has a single callsite of this call in this function */
    /* the sides have different numbers of callsites of this call in this function and file: the row sums all these callsites */
    COMPARE_TOGETHER,
    COMPARE_APPEARED,
    COMPARE_DISAPPEARED
};
/* Return the name of MATCH for text, "same", "line moved" ...; and the key of MATCH in JSON and CSV, "same", "line_moved" ... */
const char *mpg_compare_match_name(enum compare_match match);

enum compare_verdict { COMPARE_UNKNOWN, COMPARE_NO_DIFFERENCE, COMPARE_DIFFERS };
/* Returns "same" or "differs"; NULL: the verdict is unknown. */
const char *mpg_compare_verdict_name(enum compare_verdict verdict);

/* A quantity on both sides (means over each side's runs), and the change. */
struct compare_change {
    double side[COMPARE_SIDES], change;
    double low, high, p, q; /* 95 % interval of the change (LOW, HIGH), p-value, false discovery rate; NAN: not known */
    enum compare_verdict verdict;
};

struct compare_row {
    enum compare_kind kind;
    enum mpg_call call;
    enum compare_match match;
    char *name[COMPARE_SIDES];  /* NULL: the part does not exist on this side */
    uint32_t places[COMPARE_SIDES]; /* number of callsites that the row sums */
    double *time_ns[COMPARE_SIDES]; /* for each run of the side: time of the part, ns, mean over ranks */
    double number[COMPARE_SIDES];   /* mean number of calls or visits a rank */
    struct compare_change time;
};

struct compare_runs {
    struct compare_run *run;
    size_t n;
};

struct comparison {
    const struct compare_runs *side; /* two elements: the runs before, and the runs after */
    struct compare_change quantity[COMPARE_QUANTITIES];
    size_t n;
    struct compare_row *row; /* largest change first */
};

/* Compares the runs of both sides (at least one run on each side); SIDE must outlive C. The caller clears C, also on failure.
 * Returns 0, or -1 with ERR: out of memory. */
int mpg_compare_make(struct comparison *c, const struct compare_runs side[COMPARE_SIDES], struct mpg_error *err);
void mpg_compare_clear(struct comparison *c);
/* Makes the rows of C with times by run. Returns 0, or -1 with ERR: out of memory. */
int mpg_compare_match_parts(struct comparison *c, struct mpg_error *err);
/* Returns the share of the time of calls and computation, of both sides, in rows that both sides have; 1: no time. */
double mpg_compare_shared(const struct comparison *c);
/* Returns whether a change can be told from chance: each side has several runs. */
bool mpg_compare_knows_chance(const struct comparison *c);

/* The results of the conditions of --fail-if (analyse/compare/conditions.h). */
struct compare_results {
    struct mpg_condition_result *result;
    size_t n;
};

/* Print the comparison, as text and JSON with RESULTS. TOP: number of lines of text, 0: all. Return 0, or -1 with ERR: no
 * memory. */
int mpg_compare_print_text(const struct comparison *c, const struct compare_results *results, size_t top, FILE *out,
                           struct mpg_error *err);
int mpg_compare_print_csv(const struct comparison *c, FILE *out, struct mpg_error *err);
int mpg_compare_print_json(const struct comparison *c, const struct compare_results *results, FILE *out, struct mpg_error *err);

#endif
