/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a command once: output goes to a file, the run time is measured, and signals are forwarded. */
#ifndef MPG_SCALE_RUN_LAUNCH_H
#define MPG_SCALE_RUN_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "common/progress.h"

struct scale_ending {
    double seconds;
    bool good;        /* the command ended with exit status 0 */
    bool out_of_time; /* the command was ended because of the time limit */
    int signal;       /* signal received and forwarded by this process; 0: none */
    char how[300];    /* how the command failed: "exit status 3: <reason from its output>" */
};

/* From now on, a file that exceeds the size limit (ulimit -f) is a write error for this process, not a signal. Commands
 * started later keep the action set before this call. To be called before mpg_scale_run_launch(). */
void mpg_scale_run_keep_limits(void);

/* Blocks the signals that end processes: mpg_scale_run_launch() receives the signals that have arrived. For programs with one
 * thread. */
void mpg_scale_run_hold_signals(void);
/* Unblocks these signals; a signal that has arrived now takes effect. */
void mpg_scale_run_release_signals(void);
/* Returns a blocked signal that has arrived; 0: none. */
int mpg_scale_run_signal_waits(void);

/* Runs ARGV in a new process group, with file INPUT as standard input and the output in file LOG, for at most LIMIT_S seconds
 * (0: no limit). At the limit, or when this process gets a signal, the group is signalled, and killed ten seconds later.
 * PROGRESS shows the elapsed seconds. Call mpg_scale_run_hold_signals() before. Errors: the command cannot be started, INPUT
 * cannot be read, LOG cannot be written. */
int mpg_scale_run_launch(char **argv, const char *input, const char *log, double limit_s, struct mpg_progress *progress,
                         struct scale_ending *ending, struct mpg_error *err);

/* Writes the reason of a failure, found in LOG, into WORDS of SIZE bytes: ": " and the last line that does not come from a
 * launcher. If all lines come from a launcher: the first line with a word like "error", else the first line. "" if LOG is
 * empty. */
void mpg_scale_run_failure(const char *log, char *words, size_t size);

/* Writes the tracer's first message in LOG ("mpgtrace: ...") into WORDS of SIZE bytes. Returns false if LOG has no message of
 * the tracer. */
bool mpg_scale_run_tracer_message(const char *log, char *words, size_t size);

#endif
