/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spectral lines of a core as sigshow prints them: each fundamental with its harmonics. Since there may be MPG_SIGNATURE_MAX_LIST
 * lines, lines are sorted by fundamental and frequency and found by bisection. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "signature/show/show.h"

enum {
    MAX_LINES = 4,      /* maximum number of fundamentals shown for a core */
    MAX_HARMONICS = 6,  /* maximum number of harmonics shown for a fundamental */
};

/* Orders lines by their fundamental (0 for a fundamental itself), then by frequency. */
static int compare(const void *a, const void *b)
{
    const struct mpg_noise_line *x = *(const struct mpg_noise_line *const *)a;
    const struct mpg_noise_line *y = *(const struct mpg_noise_line *const *)b;
    if (x->harmonic_of_hz != y->harmonic_of_hz)
        return x->harmonic_of_hz < y->harmonic_of_hz ? -1 : 1;
    return (x->frequency_hz > y->frequency_hz) - (x->frequency_hz < y->frequency_hz);
}

/* Returns the index in SORTED (N lines) of the first line at or after the position of a harmonic of fundamental OF_HZ at
 * FREQUENCY_HZ. */
static size_t find(const struct mpg_noise_line *const *sorted, size_t n, double of_hz,
                   double frequency_hz)
{
    const struct mpg_noise_line like = {.frequency_hz = frequency_hz, .harmonic_of_hz = of_hz};
    const struct mpg_noise_line *sought = &like;
    size_t low = 0;
    while (low < n) {
        size_t middle = low + (n - low) / 2;
        if (compare(&sorted[middle], &sought) < 0)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Prints which harmonics of LINE are spectral lines of the core, too: "x2 x3". A harmonic above half the sampling frequency
 * appears at a lower frequency (aliasing), not a multiple of the fundamental, and is printed in Hz. */
static void show_harmonics(const struct mpg_noise_line *const *sorted, size_t lines,
                           const struct mpg_noise_line *line, size_t max)
{
    size_t n = 0;
    double before_hz = 0;
    for (size_t i = find(sorted, lines, line->frequency_hz, 0);
         i < lines && sorted[i]->harmonic_of_hz == line->frequency_hz; i++) {
        double at = sorted[i]->frequency_hz, order = at / line->frequency_hz;
        if (at == before_hz)
            continue;
        before_hz = at;
        if (++n > max)
            break;
        if (order > 1.5 && fabs(order - round(order)) < 0.05)
            printf(" x%.0f", order);
        else
            printf(" %.5g Hz (folded)", at);
    }
    printf("%s", n > max ? " ..." : n == 0 ? " -" : "");
}

/* Returns whether LINE is a harmonic listed in the row of a fundamental. */
static bool is_folded(const struct mpg_noise_line *const *sorted, size_t lines,
                      const struct mpg_noise_line *line)
{
    if (!(line->harmonic_of_hz > 0))
        return false;
    size_t i = find(sorted, lines, 0, line->harmonic_of_hz);
    return i < lines && sorted[i]->harmonic_of_hz == 0 &&
           sorted[i]->frequency_hz == line->harmonic_of_hz;
}

void show_lines(const struct mpg_noise_core *c, bool all)
{
    char name[SHOW_TEXT];
    size_t n = 0, max = all ? c->lines : MAX_LINES;
    const struct mpg_noise_line **sorted = malloc((c->lines + 1) * sizeof *sorted);
    show_core_name(name, c->host, c->core);
    if (!sorted) {
        printf("%4s   out of memory for %zu lines\n", name, c->lines);
        return;
    }
    for (size_t i = 0; i < c->lines; i++)
        sorted[i] = &c->line[i];
    qsort(sorted, c->lines, sizeof *sorted, compare);
    for (size_t i = 0; i < c->lines; i++) {
        const struct mpg_noise_line *line = &c->line[i];
        if (is_folded(sorted, c->lines, line) || ++n > max)
            continue;
        printf("%4s %9.5g Hz", name, line->frequency_hz);
        show_time(line->amplitude_ns);
        printf(" %12.1e ", line->false_alarm);
        if (line->harmonic_of_hz > 0)
            printf(" of %.5g Hz", line->harmonic_of_hz);
        else
            show_harmonics(sorted, c->lines, line, all ? c->lines : MAX_HARMONICS);
        putchar('\n');
    }
    if (c->lines == 0)
        printf("%4s   no line (false alarm below %.2g)\n", name, c->false_alarm);
    show_rest(n, max, "lines of this core");
    free(sorted);
}
