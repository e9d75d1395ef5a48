/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A progress line on standard error, only when that is a terminal, and we are not in its background. */
#ifndef MPG_PROGRESS_H
#define MPG_PROGRESS_H

struct mpg_progress {
    const char *label;
    double total;      /* in the caller's unit; 0: unknown */
    double last_s;     /* when the line was last drawn */
    int enabled, drawn;
};

/* No more lines in this process: another one of the same run draws them. */
void mpg_progress_forbid(void);
/* Starts a progress line; draws nothing before a second has passed. LABEL must
 * outlive it. */
void mpg_progress_start(struct mpg_progress *p, const char *label, double total);
/* Says that DONE of the total is done; redraws at most five times a second. */
void mpg_progress_update(struct mpg_progress *p, double done);
/* Clears the line, for other output in its place, until the next update. */
void mpg_progress_clear(struct mpg_progress *p);
/* Clears the line for good. */
void mpg_progress_end(struct mpg_progress *p);

#endif
