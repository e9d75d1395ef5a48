/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A progress line on standard error. Drawn only if standard error is a terminal and the program runs in its foreground. */
#ifndef MPG_PROGRESS_H
#define MPG_PROGRESS_H

struct mpg_progress {
    const char *label;
    double total;      /* in the caller's unit; 0: unknown */
    double last_s;     /* time of the last update of the line, in s */
    int enabled, drawn;
};

/* Disables progress lines in this process, because another process of the same run draws them. */
void mpg_progress_forbid(void);
/* Starts a progress line. Draws nothing during the first second. LABEL must outlive P. */
void mpg_progress_start(struct mpg_progress *p, const char *label, double total);
/* Sets the completed part of the total. Redraws at most five times per second. */
void mpg_progress_update(struct mpg_progress *p, double done);
/* Clears the line until the next update, to make room for other output. */
void mpg_progress_clear(struct mpg_progress *p);
/* Clears the line and ends it. */
void mpg_progress_end(struct mpg_progress *p);

#endif
