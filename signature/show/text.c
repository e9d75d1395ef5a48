/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts and columns shared by sigshow's tables. */
#include "signature/show/show.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/printable.h"
#include "common/units.h"

/* Quantiles in the tables; 1 is the maximum. */
static const double shown[] = {0.01, 0.5, 0.99, 1};
enum { SHOWN = sizeof shown / sizeof *shown };

/* Returns whether sigmake states a confidence interval for the quantile at P. */
static bool is_stated(double p)
{
    return p == 0.5 || p == 0.99;
}

bool show_picked(size_t i, size_t n, size_t max)
{
    if (n <= max)
        return true;
    /* shown row k, of MAX, is row k (n - 1) / (max - 1), rounded */
    size_t k = (i * (max - 1) + (n - 1) / 2) / (n - 1);
    return (k * (n - 1) + (max - 1) / 2) / (max - 1) == i;
}

void show_rest(size_t n, size_t max, const char *what)
{
    if (n > max)
        printf("and %zu more %s (--all shows them)\n", n - max, what);
}

void show_missing(struct show *show, const char *what)
{
    assert(show->missing < sizeof show->what / sizeof *show->what);
    show->what[show->missing++] = what;
}

void show_all_missing(const struct show *show)
{
    if (show->missing == 0)
        return;
    printf("\nNot measured:");
    for (size_t i = 0; i < show->missing; i++)
        printf("%s %s", i > 0 ? "," : "", show->what[i]);
    putchar('\n');
}

char *show_core_name(char *buf, const char *host, int core)
{
    char shown[41];
    if (host)
        snprintf(buf, SHOW_TEXT, "%s:%d", mpg_printable(shown, sizeof shown, host), core);
    else
        snprintf(buf, SHOW_TEXT, "%d", core);
    return buf;
}

char *show_rate(char *buf, double rate, const char *unit)
{
    static const char prefix[] = " kMGTP";
    size_t i = 0;
    while (prefix[i + 1] && fabs(rate) >= 1e3) {
        rate /= 1e3;
        i++;
    }
    /* units with a long first word need a blank: "3 Gflop/s", "3 GB/s", but "3 M access/s" */
    const char *space = strchr(unit, '/') && strchr(unit, '/') - unit > 4 ? " " : "";
    if (i > 0)
        snprintf(buf, SHOW_TEXT, "%.4g %c%s%.40s", rate, prefix[i], space, unit);
    else
        snprintf(buf, SHOW_TEXT, "%.4g %.40s", rate, unit);
    return buf;
}

void show_best_fit(const struct mpg_distribution *d)
{
    if (d && d->fits > 0)
        printf("  %s %.3f", d->fit[0].family, d->fit[0].distance);
    putchar('\n');
}

void show_time(double time_ns)
{
    char text[SHOW_TEXT];
    printf(" %10s", mpg_units_format_time(text, sizeof text, time_ns));
}

/* Prints the confidence interval of D's quantile at P: the distance from the quantile to the farther bound, relative to the
 * quantile. */
static void show_interval(const struct mpg_distribution *d, double p)
{
    for (size_t i = 0; d && i < d->intervals; i++) {
        const struct mpg_quantile_interval *interval = &d->interval[i];
        double value = mpg_distribution_quantile(d, p);
        double farther = fmax(value - interval->low, interval->high - value);
        if (interval->p != p || !(value > 0))
            continue;
        if (isinf(farther))
            printf(" %6s", "open");
        else
            printf(" %5.*f%%", farther < 0.0995 * value, fmin(100 * farther / value, 9999));
        return;
    }
    printf(" %6s", "-");
}

void show_quantiles(const struct mpg_distribution *d)
{
    for (int i = 0; i < SHOWN; i++) {
        if (d)
            show_time(mpg_distribution_quantile(d, shown[i]));
        else
            printf(" %10s", "-");
        if (is_stated(shown[i]))
            show_interval(d, shown[i]);
    }
}
