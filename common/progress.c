/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line on standard error. */
#include "common/progress.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static bool forbidden;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void mpg_progress_forbid(void)
{
    forbidden = true;
}

void mpg_progress_start(struct mpg_progress *p, const char *label, double total)
{
    *p = (struct mpg_progress){.label = label, .total = total, .enabled = !forbidden && isatty(STDERR_FILENO)};
    if (!p->enabled)
        return;
    p->start_s = now_s();
    p->last_s = p->start_s + 0.8;
}

void mpg_progress_start_counting(struct mpg_progress *p, const char *label, const char *unit, double total)
{
    mpg_progress_start(p, label, total);
    p->unit = unit;
}

char *mpg_progress_duration(double left_s, char *text, size_t size)
{
    const double s = ceil(left_s), minutes = ceil(left_s / 60);
    if (s < 60)
        snprintf(text, size, "%.0f s", s);
    else if (s < 3600)
        snprintf(text, size, "%.0f min %.0f s", floor(s / 60), fmod(s, 60));
    else
        snprintf(text, size, "%.0f h %.0f min", floor(minutes / 60), fmod(minutes, 60));
    return text;
}

/* Returns true if this process group owns the terminal. A background job would overwrite other output, or be stopped. */
static bool is_in_front(void)
{
    const pid_t front = tcgetpgrp(STDERR_FILENO);
    return front < 0 || front == getpgrp();
}

void mpg_progress_update(struct mpg_progress *p, double done)
{
    if (!p->enabled)
        return;
    char left[48];
    double now = now_s();
    if (now - p->last_s < 0.2)
        return;
    p->last_s = now;
    if (!is_in_front())
        return;
    p->drawn = 1;
    if (p->total > 0 && p->unit)
        fprintf(stderr, "\r\033[K%s %.0f of %.0f %s", p->label, floor(done), p->total, p->unit);
    else if (p->total > 0)
        fprintf(stderr, "\r\033[K%s %3.0f %%", p->label, 100 * done / p->total);
    else
        fprintf(stderr, "\r\033[K%s %.0f", p->label, done);
    if (done > 0 && p->total >= done)
        fprintf(stderr, ", %s left", mpg_progress_duration((now - p->start_s) * (p->total - done) / done, left, sizeof left));
}

void mpg_progress_clear(struct mpg_progress *p)
{
    if (p->drawn && is_in_front())
        fprintf(stderr, "\r\033[K");
    p->drawn = 0;
}

void mpg_progress_end(struct mpg_progress *p)
{
    mpg_progress_clear(p);
    p->enabled = 0;
}
