/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws plots with gnuplot (5.0 or later), each as SVG and PNG. A session holds the finished plots, each a gnuplot script with
 * data. All text in scripts goes through mpg_gnuplot_write_string(): no text from a file can become a command. */
#ifndef MPG_PLOTS_H
#define MPG_PLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

struct mpg_plot_options {
    const char *maker;  /* program name for scripts and messages, "sigshow" */
    const char *folder; /* created if missing */
    bool all;           /* draw all plots, not only the first; read by the draw function */
    bool keep;          /* keep the gnuplot scripts and data beside the plots */
};

struct mpg_plot_outcome {
    size_t plots;
    size_t missing; /* number of omitted plots or lines; `why` has a reason for each */
    char **why;
    int interrupted; /* on failure: the signal that interrupted the drawing, or 0 */
};

/* Distinguishable for colour-blind people: Okabe and Ito, "Color universal design", 2008. */
#define PLOT_BLUE "#0072B2"
#define PLOT_ORANGE "#D55E00"
#define PLOT_GREEN "#009E73"
#define PLOT_PURPLE "#CC79A7"
#define PLOT_SKY_BLUE "#56B4E9"
#define PLOT_YELLOW "#E69F00"
#define PLOT_GREY "#666666"

enum { PLOT_NAME = 128, PLOT_TEXT = 64 };

struct plot_session {
    const struct mpg_plot_options *options;
    char *work_folder;               /* temporary folder of the plots */
    char (*name)[PLOT_NAME];   /* plot names without suffix */
    size_t names;
    struct mpg_plot_outcome *outcome;
    FILE *script, *data;       /* files of the current plot; data sets are separated by two empty lines for gnuplot's "index
                                  N" */
};

/* A draw function: starts and finishes the plots of the given data. Drawing no plot is an error of the draw function. */
typedef int plot_draw(struct plot_session *session, const void *what, struct mpg_error *err);

/* Calls DRAW with the data WHAT, and draws the plots into the folder of OPTIONS. Runs the gnuplot named by MPGKIT_GNUPLOT,
 * else the gnuplot on PATH. Draws into a temporary subfolder, checks the plots and renames them at the end. On failure nothing
 * is left, and a folder created by this call is removed. SIGINT, SIGTERM and SIGHUP interrupt the drawing; the caller then
 * raises outcome->interrupted. On success the caller clears OUTCOME. mpg_plot_report() raises the signal and clears OUTCOME.
 * Not thread-safe. Errors: no gnuplot, folder not writable, gnuplot failed, out of memory, errors of DRAW. */
int mpg_plot_all(const struct mpg_plot_options *options, plot_draw *draw, const void *what, struct mpg_plot_outcome *outcome,
                 struct mpg_error *err);
void mpg_plot_outcome_clear(struct mpg_plot_outcome *outcome);

/* Reports the result of mpg_plot_all(), which returned STATUS, on standard error: the plots drawn and the plots omitted.
 * Clears OUTCOME. After an interruption prints ERR and raises the signal. Returns STATUS; all remaining errors are printed by
 * the caller. */
int mpg_plot_report(const struct mpg_plot_options *options, int status, struct mpg_plot_outcome *outcome,
                    const struct mpg_error *err);

/* Calls mpg_plot_all() and mpg_plot_report(): DRAW draws for the program MAKER into FOLDER. KEEP: see struct
 * mpg_plot_options. Errors: see mpg_plot_all(). */
int mpg_plot_and_report(const char *maker, const char *folder, bool keep, plot_draw *draw, const void *what,
                        struct mpg_error *err);

/* Returns -1 with ERR if a signal has interrupted the drawing, otherwise 0. */
int mpg_plot_interruption(struct mpg_error *err);

/* Starts the plot with the name given by a printf format; characters unsuitable for file names become '-'. SESSION's script
 * and data are open until mpg_plot_finish(). */
int mpg_plot_start(struct plot_session *session, struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Ends the plot after its plot command is written, and closes script and data. */
int mpg_plot_finish(struct plot_session *session, struct mpg_error *err);
/* Records the reason, given by a printf format, why a plot or line is omitted. */
int mpg_plot_missing(struct plot_session *session, struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes "set COMMAND 'TEXT'"; TEXT is given by a printf format. */
void mpg_plot_set(FILE *script, const char *command, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Writes a title of two lines, the second in smaller letters. Long lines have smaller letters still: the frame cuts no line. */
void mpg_plot_title(FILE *script, const char *first, const char *second);

/* Describes table rows as lines of a plot. same() returns true if rows A and B belong to one line, point() returns a row's
 * point, and name() the name of the row's line in the legend ("" for none). */
enum { PLOT_LINE_NAME = 512 };
struct plot_point {
    double x, y, low, high;
};
struct plot_lines {
    const void *of;  /* argument of the functions */
    bool (*same)(const void *of, size_t a, size_t b);
    void (*point)(const void *of, size_t row, struct plot_point *point);
    void (*name)(const void *of, size_t row, char name[PLOT_LINE_NAME]);
    size_t rows, max;  /* number of rows; maximum number of lines */
    const char *table; /* name of the table in the message about omitted lines, "sweep" */
    bool bands;        /* draw bands from `low` to `high` around the lines */
    bool unique;       /* average the points of equal x */
};

/* Writes the data of LINES, and the arguments of "plot " into the script. */
int mpg_plot_put_lines(struct plot_session *session, const struct plot_lines *lines, struct mpg_error *err);
/* Returns the colour of line number LINE >= 0. */
const char *mpg_plot_colour(size_t line);
/* Returns the last component of PATH. */
const char *mpg_plot_last_part(const char *path);

/* Returns the lower end of a logarithmic axis for values from LOW to HIGH: LOW, but at most 15 decades below HIGH; smaller
 * values and 0 lie on the edge. Returns 0 if nothing can be drawn: HIGH is not within the limits of plots, 1e-200 to 1e200. */
double mpg_plot_floor(double low, double high);

/* These set up the logarithmic AXIS ("x" or "y") from LOW (a result of mpg_plot_floor()) to HIGH, rounded outwards. Times have
 * labels like "10 us", rates (MB/s) labels like "1 GB/s". */
void mpg_plot_log_times(FILE *script, const char *axis, double low_ns, double high_ns);
void mpg_plot_log_rates(FILE *script, const char *axis, double low, double high);
void mpg_plot_log_numbers(FILE *script, const char *axis, double low, double high);

/* Sets up the x axis for N ascending sizes in bytes: base 2, labels like "64KiB". mpg_plot_size_position() returns the
 * position of a size; size 0 lies left of all nonzero sizes. */
void mpg_plot_log_sizes(FILE *script, const int64_t *size_bytes, size_t n);
double mpg_plot_size_position(int64_t size_bytes, const int64_t *sizes, size_t n);
/* Formats a size like "64KiB" into BUF of PLOT_TEXT bytes. Returns BUF. */
char *mpg_plot_size_name(char *buf, int64_t size_bytes);

#endif
