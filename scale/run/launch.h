/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a command once: redirects its output to a file, measures its time, and forwards signals. */
#ifndef MPG_SCALE_RUN_LAUNCH_H
#define MPG_SCALE_RUN_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "common/progress.h"

struct scale_ending {
    double seconds;
    bool good;        /* the exit status is 0 */
    bool out_of_time; /* ended because of the time limit */
    int signal;       /* signal received and forwarded; 0: none */
    char how[300];    /* description of a failure: "exit status 3: <reason from the output>" */
};

/* Makes exceeding the file size limit a write error instead of a signal for this process; started commands keep the previous
 * action. Call before mpg_scale_run_launch(). */
void mpg_scale_run_keep_limits(void);

/* Blocks the termination signals until mpg_scale_run_launch(), which also finds signals that arrived earlier. For single-
 * threaded programs. */
void mpg_scale_run_hold_signals(void);
/* Restores the signal mask. A pending signal takes effect now. */
void mpg_scale_run_release_signals(void);
/* Returns a pending termination signal, or 0. */
int mpg_scale_run_signal_waits(void);

/* Runs ARGV in its own process group with standard input from the file INPUT and output to the file LOG, for at most LIMIT_S
 * seconds (0: no limit). At the limit, or on a termination signal, the group is signalled, and killed after ten seconds.
 * PROGRESS is updated with the elapsed seconds. Call with signals blocked (mpg_scale_run_hold_signals()). Errors: the command
 * cannot be started, INPUT cannot be read, LOG cannot be written. */
int mpg_scale_run_launch(char **argv, const char *input, const char *log, double limit_s, struct mpg_progress *progress,
                         struct scale_ending *ending, struct mpg_error *err);

/* Writes the reason of a failure found in LOG into WORDS of SIZE bytes: ": " and the last line that does not come from a
 * launcher. If all lines come from a launcher: the first line with a word for failure, otherwise the first line. Writes "" if
 * LOG is empty. */
void mpg_scale_run_failure(const char *log, char *words, size_t size);

/* Copies the tracer's first message in LOG ("mpgtrace: ...") into WORDS of SIZE bytes. Returns false if there is none. */
bool mpg_scale_run_tracer_message(const char *log, char *words, size_t size);

#endif
