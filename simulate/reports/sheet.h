/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers of several scenarios with the same draws as a table, a row each. */
#ifndef MPG_SHEET_H
#define MPG_SHEET_H

#include "common/plots/plots.h"
#include "simulate/reports/report.h"

/* What rows differ in. */
struct mpg_column {
    const char *name; /* "latency", "signature" */
    const char *unit; /* "ns", "factor", "ratio", "bytes"; NULL: words */
};

/* A value of it. */
struct mpg_cell {
    double number;
    const char *word; /* NULL: the number */
};

struct mpg_row {
    struct mpg_cell *cell; /* one a column */
    size_t point;          /* rows of one point, after each other, are the signatures' */
    size_t place;          /* before they were sorted */
    int part;              /* of the processes, whose first one takes it */
    struct mpg_summary run;
    double traced_ns, recorded_ns;
    double *run_ns;        /* a replica's, of so many: */
    uint32_t replicas;
    uint64_t synchronous;  /* messages */
    struct mpg_attention head, attention, assumed;
    char *options;         /* JSON; or NULL */
};

/* The largest value of what is sought with which the median run is at most SLOWDOWN times the one compared with. */
struct mpg_tolerance {
    const char *signature; /* NULL: there is none */
    double base_ns;        /* the run compared with; 0: the traced one */
    double slowdown;
    double value, low, high; /* with the ends of its 95 % interval; NAN: there is no such */
    bool interval;         /* there is one, as something is random */
    double tried;            /* where there is none, since all are tolerated: up to this */
    bool none;               /* not even the least is */
};

struct mpg_sheet {
    size_t columns, n;
    struct mpg_column *column;
    struct mpg_row *row;
    bool compares;         /* the last column is the signature */
    uint32_t replicas, first_replica;
    uint64_t seed;
    bool predicted, json;
    struct mpg_graph_counts counts; /* of the first */
    char *program;         /* the first lines of a text; NULL until a row is taken */
    char *received;        /* of other processes, to which topics of lines point; or NULL */
    const char *trace;
    int32_t ranks;
    struct mpg_column sought; /* by --tolerate; */
    size_t tolerances;
    struct mpg_tolerance *tolerance; /* of each signature, each limit; NULL: nothing is sought */
};

/* Room for N rows of so many COLUMNS, of which JSON will be written, or text. Error: out of memory. ROWS is to be
 * cleared even so. */
int mpg_sheet_init(struct mpg_sheet *rows, size_t n, size_t columns, bool json, struct mpg_error *err);
void mpg_sheet_clear(struct mpg_sheet *rows);

/* Takes what REPORT, whose attention is not looked at, says as row I, whose cells are filled. Error: out of
 * memory. */
int mpg_sheet_take(struct mpg_sheet *rows, size_t i, const struct mpg_report *report, struct mpg_error *err);
/* A digest of what rows of one trace have alike, by those that this process has taken; 0: none. */
uint64_t mpg_sheet_digest(const struct mpg_sheet *rows);
/* The first of PROCESSES, whose ROWS know which of PARTS has taken which row, gets those of all other parts;
 * this process is of PART. Collective. Errors: out of memory, whose ever. */
int mpg_sheet_gather(struct mpg_sheet *rows, int part, int parts, struct mpg_processes *processes,
                     struct mpg_error *err);
/* Once all are taken: those of one point by their medians, the least first. */
void mpg_sheet_sort(struct mpg_sheet *rows);
/* In which part of the replicas the runs X, of which there are N, are shorter than Y, M; equal ones count half. They are as many,
 * or one of each stands for all. */
double mpg_faster(const double *x, uint32_t n, const double *y, uint32_t m);
/* In which part of the replicas row A's run is shorter than B's. */
double mpg_sheet_faster(const struct mpg_sheet *rows, size_t a, size_t b);
/* That PART into TEXT of SIZE bytes, which is returned: "faster in 98.4 %", or, where that is less than half, "slower in ...". */
char *mpg_say_faster(char *text, size_t size, double part);

/* Error of these: out of memory. */
int mpg_sheet_text(const struct mpg_sheet *rows, FILE *stream, struct mpg_error *err);
/* A line a row, or, of --tolerate, a line for each signature and limit. */
int mpg_sheet_csv(const struct mpg_sheet *rows, FILE *stream, struct mpg_error *err);
/* Draws SHEET, a struct mpg_sheet: if its first column has numbers, run times over them, a line for each value of the
 * others ("sweep"); if it compares signatures, those of its first point by their medians ("machines"), and how surely
 * each is faster than each other ("faster"). Errors: nothing to draw; those of plots. */
plot_draw mpg_sheet_draw;
/* The schema is in mpgsim-json(5). */
int mpg_sheet_json(const struct mpg_sheet *rows, FILE *stream, struct mpg_error *err);

#endif
