/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A progress line on standard error, with the remaining time. Drawn only if standard error is a terminal and the program runs in
 * the terminal's foreground. */
#ifndef MPG_PROGRESS_H
#define MPG_PROGRESS_H

#include <stddef.h>

struct mpg_progress {
    const char *label;
    double total;      /* in the caller's unit; 0: unknown */
    const char *unit;  /* of the total, "replicas"; NULL: the line shows percent */
    double start_s, last_s; /* times of the start and of the last update of the line, in s */
    int enabled, drawn;
};

/* Disables progress lines in this process, because another process of the run draws progress lines. */
void mpg_progress_forbid(void);
/* Starts a progress line. Draws nothing during the first second. LABEL must outlive P. */
void mpg_progress_start(struct mpg_progress *p, const char *label, double total);
/* As mpg_progress_start(), for a line like "LABEL 300 of 1000 UNIT, 7 s left". TOTAL > 0; UNIT must outlive P. */
void mpg_progress_start_counting(struct mpg_progress *p, const char *label, const char *unit, double total);
/* Writes "7 s", "3 min 20 s" or "2 h 5 min" into TEXT of SIZE bytes, for LEFT_S >= 0 rounded up to whole seconds (from an
 * hour on to whole minutes). Returns TEXT. */
char *mpg_progress_duration(double left_s, char *text, size_t size);
/* Sets the completed part of the total. Redraws at most five times per second. */
void mpg_progress_update(struct mpg_progress *p, double done);
/* Clears the line until the next update, to make room for other output. */
void mpg_progress_clear(struct mpg_progress *p);
/* Clears and ends the line. */
void mpg_progress_end(struct mpg_progress *p);

#endif
