/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line on standard error. */
#include "common/progress.h"

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
    if (p->enabled)
        p->last_s = now_s() + 0.8;
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
    double now = now_s();
    if (now - p->last_s < 0.2)
        return;
    p->last_s = now;
    if (!is_in_front())
        return;
    p->drawn = 1;
    if (p->total > 0)
        fprintf(stderr, "\r\033[K%s %3.0f %%", p->label, 100 * done / p->total);
    else
        fprintf(stderr, "\r\033[K%s %.0f", p->label, done);
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
