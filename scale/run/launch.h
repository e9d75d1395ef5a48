/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of a command: its output in a file, its time, how it ended, and signals to us meanwhile. */
#ifndef MPG_SCALE_RUN_LAUNCH_H
#define MPG_SCALE_RUN_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "common/progress.h"

struct scale_ending {
    double seconds;
    bool good;        /* exit status 0 */
    bool out_of_time; /* was ended after the limit */
    int signal;       /* that we got, and passed on; 0: none */
    char how[300];    /* of a bad one: "exit status 3: <what the output says of it>" */
};

/* From here on a file that may not grow is an error, and no signal; for commands that are started it is what it was. To be called
 * before mpg_scale_run_launch(). */
void mpg_scale_run_keep_limits(void);

/* From here on signals that ask us to end are kept until mpg_scale_run_launch(), and those that came before
 * are found there. For programs of one thread. */
void mpg_scale_run_hold_signals(void);
/* They do again what they did before; one that was kept does it now. */
void mpg_scale_run_release_signals(void);
/* The one that is waiting, or 0. */
int mpg_scale_run_signal_waits(void);

/* Runs ARGV as a process group of its own, with the file INPUT as its input, what it writes in the file LOG, until
 * it ends; LIMIT_S seconds at most (0: no limit), then, or where a signal asks us to end, its group is asked to, and
 * killed after ten seconds. PROGRESS is updated with its seconds. Signals are held (above).
 * Errors: it cannot be started; INPUT cannot be read or LOG be written. */
int mpg_scale_run_launch(char **argv, const char *input, const char *log, double limit_s, struct mpg_progress *progress,
                         struct scale_ending *ending, struct mpg_error *err);

/* What LOG says of a failure, into WORDS of SIZE bytes: ": " and the last line that is no launcher's; where all are
 * a launcher's the first that speaks of failure, else the first; or nothing. */
void mpg_scale_run_said(const char *log, char *words, size_t size);

/* The first of LOG's lines in which the tracer says something ("mpgtrace: ..."), from there on, into WORDS of SIZE
 * bytes; false: there is none. */
bool mpg_scale_run_tracer_said(const char *log, char *words, size_t size);

#endif
