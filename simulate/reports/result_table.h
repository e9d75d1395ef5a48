/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of scenarios of one trace: a row for each point of a sweep and each signature. All rows have equal random draws. */
#ifndef MPG_RESULT_TABLE_H
#define MPG_RESULT_TABLE_H

#include "common/plots/plots.h"
#include "simulate/reports/row_answer.h"

/* A column for a parameter in which rows differ. */
struct mpg_result_column {
    const char *name; /* "latency", "signature" */
    const char *unit; /* "ns", "factor", "ratio", "bytes"; NULL: values are words */
};

/* The value of a parameter. */
struct mpg_result_cell {
    double number;
    const char *word; /* NULL: NUMBER is the value */
};

struct mpg_result_row {
    struct mpg_result_cell *cell; /* a cell for each column */
    size_t point;                 /* point of the sweep; rows of a point, a row for each signature, are consecutive */
    size_t place;                 /* index of the row before the table was sorted */
    int part;                     /* number of the group of processes that simulates the row */
    struct mpg_row_answer answer;
    double traced_ns, recorded_ns;
    uint64_t synchronous;  /* number of synchronous messages */
    struct mpg_notes head; /* lines about the machines of the row */
    char *options;         /* options of the row as JSON; or NULL */
};

/* A tolerance: the largest value of the searched parameter with a median run time of at most SLOWDOWN times the base run. */
struct mpg_tolerance {
    const char *signature;   /* NULL: no signature */
    double base_ns;          /* run time of the base run; 0: the traced run */
    double slowdown;
    double value, low, high; /* VALUE with the 95 % interval; NAN: unbounded, or no value at all */
    bool interval;           /* LOW and HIGH are known, because there are several replicas */
    double tried;            /* if all tried values are tolerated (VALUE unknown): the largest value tried */
    bool none;               /* no VALUE: not even the smallest value is tolerated */
};

struct mpg_result_table {
    size_t columns, n;
    struct mpg_result_column *column;
    struct mpg_result_row *row;
    bool compares; /* the table compares signatures; the last column has their names */
    uint32_t replicas, first_replica;
    uint64_t seed;
    bool predicted, json;           /* json: the output will be JSON */
    struct mpg_graph_counts counts; /* counts of the first row */
    char *program;                  /* lines at the top of text; NULL until row 0 has been taken */
    char *received; /* bytes of rows received from other processes; topics of notes point into these bytes; or NULL */
    const char *trace;
    int32_t ranks;
    struct mpg_result_column sought; /* the parameter searched by --tolerate */
    size_t tolerances;
    struct mpg_tolerance *tolerance; /* for each signature and limit; NULL: no --tolerate */
};

/* Makes TABLE with N empty rows of COLUMNS parameters. JSON: the output is JSON, and rows keep their options. Error: out of
 * memory. The caller clears TABLE also after an error. */
int mpg_result_table_init(struct mpg_result_table *table, size_t n, size_t columns, bool json, struct mpg_error *err);
void mpg_result_table_clear(struct mpg_result_table *table);

/* Copies the answer of REPORT to row I, whose cells must be filled. Error: out of memory. */
int mpg_result_table_take(struct mpg_result_table *table, size_t i, const struct mpg_report *report, struct mpg_error *err);
/* Returns a digest of values equal in all rows of a trace, computed from a row of this process; 0: this process has no row. */
uint64_t mpg_result_table_digest(const struct mpg_result_table *table);
/* Sends the rows of group PART, from 0 to PARTS - 1, to the first of PROCESSES, which receives the rows of all groups.
 * Collective. Error: out of memory on any process. */
int mpg_result_table_gather(struct mpg_result_table *table, int part, int parts, struct mpg_processes *processes,
                            struct mpg_error *err);
/* Sorts the rows of each point by median run time, shortest first. */
void mpg_result_table_sort(struct mpg_result_table *table);
/* Returns the share of the replicas in which row A's run is shorter than row B's (mpg_row_answer_faster()). */
double mpg_result_table_faster(const struct mpg_result_table *table, size_t a, size_t b);

/* Write TABLE as text, as CSV (a line for each row, or, with --tolerate, for each tolerance) and as JSON (mpgsim-json(5)). Error:
 * out of memory. */
int mpg_result_table_text(const struct mpg_result_table *table, FILE *stream, struct mpg_error *err);
int mpg_result_table_csv(const struct mpg_result_table *table, FILE *stream, struct mpg_error *err);
int mpg_result_table_json(const struct mpg_result_table *table, FILE *stream, struct mpg_error *err);
/* Draws a struct mpg_result_table. "sweep": run times over the first column if this column has numbers, a line for each value of
 * the other columns. If the table compares signatures: "machines", the signatures of the first point by median run time, and
 * "faster", the probability that each signature is faster than each other signature. Errors: nothing to draw; errors of plots. */
plot_draw mpg_result_table_draw;

#endif
