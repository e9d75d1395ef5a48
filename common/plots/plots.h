/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots, drawn by gnuplot (5.0 or later), SVG and PNG of each: a session holds those made so far, each a
 * gnuplot script and its data. Texts in scripts go through mpg_gnuplot_write_string(), so that nothing a file says is a
 * command. */
#ifndef MPG_PLOTS_H
#define MPG_PLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

struct mpg_plot_options {
    const char *maker;  /* the program, for scripts and what is said: "sigshow" */
    const char *folder; /* made if it is not there */
    bool all;           /* for who draws: everything there is, not the first ones only */
    bool keep;          /* keep gnuplot's scripts and data beside the plots */
};

struct mpg_plot_outcome {
    size_t plots;
    size_t missing; /* what could not be drawn, a line each, saying why */
    char **why;
    int interrupted; /* when it failed: the signal that ended it, or 0 */
};

/* Safe for the colour-blind: Okabe and Ito, "Color universal design", 2008. */
#define PLOT_BLUE "#0072B2"
#define PLOT_ORANGE "#D55E00"
#define PLOT_GREEN "#009E73"
#define PLOT_PURPLE "#CC79A7"
#define PLOT_SKY "#56B4E9"
#define PLOT_YELLOW "#E69F00"
#define PLOT_GREY "#666666"

enum { PLOT_NAME = 128, PLOT_TEXT = 64 };

struct plot_session {
    const struct mpg_plot_options *options;
    char *aside;               /* folder where plots are made */
    char (*name)[PLOT_NAME];   /* of the plots, without ending */
    size_t names;
    struct mpg_plot_outcome *outcome;
    FILE *script, *data;       /* of the plot that is being made; data sets are parted
                                * by two empty lines, so "index N" finds them */
};

/* Starts and finishes the plots that WHAT asks for. None is an error of whoever draws. */
typedef int plot_draw(struct plot_session *session, const void *what, struct mpg_error *err);

/* Has DRAW draw WHAT into OPTIONS' folder. gnuplot is the program that
 * MPGKIT_GNUPLOT names, otherwise the one on PATH. Everything is made in a
 * folder of its own in that folder, checked, and renamed at the end; when it
 * fails nothing is left, not even the folder if it was not there. SIGINT, SIGTERM
 * and SIGHUP end the drawing, too; then the caller raises outcome->interrupted. On
 * success the caller clears OUTCOME; mpg_plot_tell() does both. Not thread-safe. Errors: no gnuplot, a folder that cannot be
 * written, gnuplot failed, out of memory, those of DRAW. */
int mpg_plot_all(const struct mpg_plot_options *options, plot_draw *draw, const void *what, struct mpg_plot_outcome *outcome,
                 struct mpg_error *err);
void mpg_plot_outcome_clear(struct mpg_plot_outcome *outcome);

/* For a program's end of it: says on standard error what mpg_plot_all(), which came back with STATUS, has drawn and
 * what it could not draw, and clears OUTCOME. Of an interrupted one it says ERR and raises the signal. Returns
 * STATUS; what else failed is left to the caller to say. */
int mpg_plot_tell(const struct mpg_plot_options *options, int status, struct mpg_plot_outcome *outcome,
                  const struct mpg_error *err);

/* Both: has DRAW draw WHAT for MAKER into FOLDER, KEEP as in struct mpg_plot_options. Errors: those of mpg_plot_all(). */
int mpg_plot_and_tell(const char *maker, const char *folder, bool keep, plot_draw *draw, const void *what, struct mpg_error *err);

/* -1 and a filled ERR once a signal has asked for an end. */
int mpg_plot_interruption(struct mpg_error *err);

/* Starts the plot that a printf format names; letters that are odd in a file's
 * name become '-'. Until mpg_plot_finish() SESSION's script and data are open. */
int mpg_plot_start(struct plot_session *session, struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Ends the script, which has plotted once, and closes both files. */
int mpg_plot_finish(struct plot_session *session, struct mpg_error *err);
/* Notes what could not be drawn, and why. */
int mpg_plot_missing(struct plot_session *session, struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "set COMMAND 'TEXT'", TEXT from a printf format. */
void mpg_plot_set(FILE *script, const char *command, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A title of two lines, the second in smaller letters. */
void mpg_plot_title(FILE *script, const char *first, const char *second);

/* Rows of a table as lines: what one is, which rows are of one line, what that is called ("" nothing). */
enum { PLOT_LINE_NAME = 512 };
struct plot_point {
    double x, y, low, high;
};
struct plot_lines {
    const void *of;  /* what the functions are told: */
    bool (*same)(const void *of, size_t a, size_t b);
    void (*point)(const void *of, size_t row, struct plot_point *point);
    void (*name)(const void *of, size_t row, char name[PLOT_LINE_NAME]);
    size_t rows, most; /* so many lines at most */
    const char *table; /* "sweep": of which the rest is missing */
    bool bands;        /* from LOW to HIGH around them */
    bool unique;       /* points of one x become their mean */
};

/* Data of LINES, and after "plot " in the script what draws them. */
int mpg_plot_put_lines(struct plot_session *session, const struct plot_lines *lines, struct mpg_error *err);
/* The colour of a line, from 0 on. */
const char *mpg_plot_colour(size_t line);
/* PATH without its folders. */
const char *mpg_plot_last_part(const char *path);

/* Where a logarithmic axis begins whose values go from LOW to HIGH, whatever they are:
 * LOW if that is possible, and at most 15 decades below HIGH, so that what is nearer to 0
 * (or 0) lies on the edge. 0: nothing can be drawn, HIGH is not positive or beyond what
 * plots show, 1e-200 to 1e200. */
double mpg_plot_floor(double low, double high);

/* Logarithmic AXIS ("x" or "y") with labels like "10 us" from LOW, which is a
 * mpg_plot_floor(), to HIGH; of rates ("MB/s") with labels like "1 GB/s". The range is rounded out. */
void mpg_plot_log_times(FILE *script, const char *axis, double low_ns, double high_ns);
void mpg_plot_log_rates(FILE *script, const char *axis, double low, double high);
void mpg_plot_log_numbers(FILE *script, const char *axis, double low, double high);

/* The x axis for N ascending sizes, base 2, labels like "64KiB". Size 0 stands
 * where mpg_plot_size_position() says. */
void mpg_plot_log_sizes(FILE *script, const int64_t *size_bytes, size_t n);
double mpg_plot_size_position(int64_t size_bytes, const int64_t *sizes, size_t n);
/* "64KiB" in BUF of PLOT_TEXT bytes. */
char *mpg_plot_size_name(char *buf, int64_t size_bytes);

#endif
