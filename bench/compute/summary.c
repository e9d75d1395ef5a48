/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summary table of compute. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/compute/threads.h"
#include "statistics/order.h"

/* Collects the rates of KERNEL on core I, measured while CORES cores were busy, ascending into VALUE; returns the number of
 * rates. */
static size_t pick(const struct mpg_compute_threads *threads, int i, int kernel, int cores, double *value)
{
    const struct mpg_rates *rates = mpg_compute_threads_rates(threads, i);
    size_t n = 0;
    for (size_t r = 0; r < rates->n; r++) {
        const double *row = rates->value + MPG_COMPUTE_COLUMNS * r;
        if ((int)row[0] == kernel && (int)row[1] == cores)
            value[n++] = row[2];
    }
    mpg_sort(value, n);
    return n;
}

static const char *format_rate(char *text, size_t size, double rate, int kernel)
{
    double scale = rate >= 1e9 ? 1e9 : 1e6;
    snprintf(text, size, "%.4g %c%s", rate / scale, scale == 1e9 ? 'G' : 'M',
             mpg_kernel_unit((enum mpg_kernel)kernel));
    return text;
}

/* Prints a line of the table: quantiles of the median rates of the cores that measured KERNEL while CORES cores were
 * busy. */
static int print_line(const struct mpg_compute_threads *threads, int all, int kernel, int cores,
                      struct mpg_error *err)
{
    size_t max = 0, n = 0;
    char low[64], middle[64], high[64];
    for (int i = 0; i < all; i++)
        max = mpg_compute_threads_rates(threads, i)->n > max ? mpg_compute_threads_rates(threads, i)->n : max;
    double *median = malloc((size_t)all * sizeof *median);
    double *value = malloc(max * sizeof *value);
    if (!median || !value) {
        free(median);
        free(value);
        return mpg_error_set(err, "out of memory");
    }
    for (int i = 0; i < all; i++) {
        size_t count = pick(threads, i, kernel, cores, value);
        if (count > 0)
            median[n++] = mpg_sorted_quantile(value, count, 0.5);
    }
    mpg_sort(median, n);
    if (n > 0)
        printf("%-16s %5d  %-18s %-18s %s\n", mpg_kernel_name((enum mpg_kernel)kernel), cores,
               format_rate(low, sizeof low, median[0], kernel),
               format_rate(middle, sizeof middle, mpg_sorted_quantile(median, n, 0.5), kernel),
               format_rate(high, sizeof high, median[n - 1], kernel));
    free(median);
    free(value);
    return 0;
}

int mpg_compute_threads_print(const struct mpg_compute_threads *threads, int n, struct mpg_error *err)
{
    printf("compute: rate per core, median of its repetitions; cores: cores that compute at once:\n%-16s %5s  %-18s %-18s %s\n",
           "kernel", "cores", "slowest core", "median core", "fastest core");
    for (int k = 0; k < MPG_KERNELS; k++)
        for (int cores = 1; cores <= n; cores = mpg_compute_next_count(cores, n))
            if (print_line(threads, n, k, cores, err) < 0)
                return -1;
    return 0;
}
