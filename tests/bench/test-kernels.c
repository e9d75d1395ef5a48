/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of the benchmark compute, compared with closed forms and with slow, obvious versions; the rules for
 * memory and cores; the samples of the threads (TAP). */
#include "bench/harness/cores.h"
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compute/kernels.h"
#include "bench/compute/threads.h"
#include "bench/compute/workspace.h"
#include "bench/harness/random.h"
#include "tests/tap.h"

#define MIB ((int64_t)1 << 20)

/* ---- kernels ---- */

/* Returns the sum of CHAINS chains after STEPS steps, computed one multiply-add at a time. */
static double naive_chains(int chains, int steps, double x, double y)
{
    double sum = 0;
    for (int k = 0; k < chains; k++) {
        double v = 1 + k / 128.0;
        for (int i = 0; i < steps; i++)
            v = v * x + y;
        sum += v;
    }
    return sum;
}

static void test_chains(void)
{
    int forms;
    const struct mpg_chains *form = mpg_chains_all(&forms);
    ok(mpg_chains_best() == &form[forms - 1], "the best form is the widest that is there");
    for (int f = 0; f < forms; f++) {
        int chains = MPG_CHAINS * form[f].doubles;
        double starts = chains + chains * (chains - 1) / 256.0;
        double sum = form[f].run(1000, 0.995, 2.385);
        double power = pow(0.995, 1000), closed = starts * power + chains * 2.385 * (1 - power) / 0.005;
        ok(fabs(sum / closed - 1) < 1e-12, "%s: the closed form", form[f].name);
        ok(fabs(form[f].run(37, 1.0625, -0.7) / naive_chains(chains, 37, 1.0625, -0.7) - 1) < 1e-12,
           "%s: one by one", form[f].name);
        ok(fabs(form[f].run(0, 0.5, 0.5) - starts) < 1e-9, "%s: no steps", form[f].name);
    }
}

static void test_triad(void)
{
    enum { N = 1003 };
    static double a[N + 1], b[N], c[N];
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        b[i] = i * 0.75;
        c[i] = 17 - i;
    }
    a[N] = -1;
    mpg_triad(a, b, c, 2.375, N);
    for (int i = 0; i < N; i++)
        wrong += a[i] != i * 0.75 + 2.375 * (17 - i); /* without rounding in binary */
    ok(wrong == 0 && a[N] == -1, "triad: every element and none more");
}

/* Returns the number of cache lines that a pointer chase over N lines visits before it returns to the start. */
static size_t cycle_length(void *memory, size_t n)
{
    size_t length = 0;
    void *line = memory;
    do {
        line = mpg_chase(line, 1);
        length++;
    } while (line != memory && length <= n);
    return length;
}

static void test_chase(void)
{
    enum { LINES = 1000 };
    size_t bytes = LINES * MPG_CHASE_LINE;
    char *memory = aligned_alloc(MPG_CHASE_LINE, bytes), *other = aligned_alloc(MPG_CHASE_LINE, bytes);
    struct mpg_error err;
    ok(memory && other && mpg_chase_link(memory, bytes, 5, &err) == 0, "chase: linked");
    ok(cycle_length(memory, LINES) == LINES, "chase: one cycle through every line");
    ok(mpg_chase(memory, LINES) == memory && mpg_chase(memory, 0) == memory,
       "chase: all steps at once are the cycle, none none");
    char *after = mpg_chase(memory, 371);
    ok(mpg_chase(after, LINES - 371) == memory, "chase: parts add up");
    int next = 0, same = 1;
    for (char *line = memory; line < memory + bytes; line += MPG_CHASE_LINE)
        next += mpg_chase(line, 1) == line + MPG_CHASE_LINE;
    ok(next < 20, "chase: few steps go to the neighbouring line (%d)", next);
    mpg_chase_link(other, bytes, 5, &err);
    for (size_t i = 0; i < bytes; i += MPG_CHASE_LINE)
        same = same && (char *)mpg_chase(memory + i, 1) - memory == (char *)mpg_chase(other + i, 1) - other;
    ok(same, "chase: a seed gives the same order again");
    mpg_chase_link(other, bytes, 6, &err);
    ok((char *)mpg_chase(other, 371) - other != after - memory, "chase: another seed, another order");
    free(memory);
    free(other);
}

static int compare_keys(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void test_sort(void)
{
    static const uint64_t known[] = {6457827717110365317u, 3203168211198807973u,
                                     9817491932198370423u, 4593380528125082431u};
    uint64_t state = 1234567, expected = 0;
    int wrong = 0;
    for (int i = 0; i < 4; i++)
        wrong += mpg_random_next(&state) != known[i];
    ok(wrong == 0, "splitmix64: its published first numbers");
    state = 42;
    for (int b = 0; b < 30; b++) {
        uint32_t key[MPG_SORT_BLOCK];
        for (int i = 0; i < MPG_SORT_BLOCK; i++)
            key[i] = (uint32_t)(mpg_random_next(&state) >> 32);
        qsort(key, MPG_SORT_BLOCK, sizeof *key, compare_keys);
        for (uint64_t i = 0; i < MPG_SORT_BLOCK; i++)
            expected += (i + 1) * key[i];
    }
    uint64_t mine = 42;
    uint64_t got = mpg_sort_blocks(&mine, 13);
    got += mpg_sort_blocks(&mine, 17);
    ok(got == expected && mine == state, "sort: as qsort sorts the same keys");
}

/* ---- rules ---- */

static void test_workspace(void)
{
    ok(mpg_workspace_bytes(32 * MIB, 0, 1024 * MIB, 2) == 128 * MIB, "four times the cache");
    ok(mpg_workspace_bytes(0, 0, 1024 * MIB, 2) == 256 * MIB, "an unknown cache");
    ok(mpg_workspace_bytes(480 * MIB, 0, 1024 * MIB, 2) == 1024 * MIB, "the limit");
    ok(mpg_workspace_bytes(32 * MIB, 640 * MIB, 1024 * MIB, 4) == 40 * MIB,
       "two on each of four cores are half of what is free");
    ok(mpg_workspace_bytes(32 * MIB, 1, 1024 * MIB, 4) == 4096, "nothing free");
    ok(mpg_workspace_bytes(1024, 0, 1024 * MIB, 1) == 4 * MIB, "a tiny cache");
    ok(mpg_workspace_bytes(32 * MIB, 100 * MIB + 12345, 1024 * MIB, 1) % 4096 == 0, "whole pages");
    ok(mpg_cache_bytes(0) >= 0 && mpg_memory_available() >= 0, "the machine's own sizes");
}

static void test_choice(void)
{
    struct mpg_error err = {""};
    int core[] = {0, 2, 3, 5, 8, 9}, n = mpg_cores_select("2-3,8", core, 6, &err);
    ok(n == 3 && core[0] == 2 && core[1] == 3 && core[2] == 8, "cores that a list names");
    int gap[] = {0, 2, 3, 5};
    ok(mpg_cores_select("2-4", gap, 4, &err) < 0 && strstr(err.text, "2-4"), "a core not there");
    ok(mpg_cores_select("x", gap, 4, &err) < 0 && strstr(err.text, "'x'"), "no list");
    int many[] = {10, 11, 12, 13, 14, 15, 16, 17};
    n = mpg_cores_limit(2, many, 8);
    ok(n == 2 && many[0] == 10 && many[1] == 14, "evenly spread");
    ok(mpg_cores_limit(0, many, 8) == 8 && mpg_cores_limit(9, many, 8) == 8, "no limit");
}

/* ---- the threads ---- */

/* Returns the number of RATES measured by KERNEL with CORES busy cores; -1 if any rate is not positive. */
static int rows(const struct mpg_rates *rates, int kernel, int cores)
{
    int found = 0;
    for (size_t i = 0; i < rates->n; i++) {
        const double *row = rates->value + MPG_COMPUTE_COLUMNS * i;
        if (!(row[2] > 0))
            return -1;
        found += row[0] == kernel && row[1] == cores;
    }
    return found;
}

static void test_team(void)
{
    struct mpg_error err = {""};
    struct mpg_timer timer;
    int *core = NULL, nowhere = 65000, n = mpg_cores_allowed(&core, &err);
    if (!ok(n >= 1 && mpg_timer_open("auto", &timer, &err) == 0, "a clock and cores")) {
        free(core);
        return;
    }
    n = mpg_cores_limit(2, core, n);
    ok(!mpg_compute_threads_new(&nowhere, 1, 4096, 0, &timer, &err) && strstr(err.text, "core 65000"),
       "a core that is not there");
    struct mpg_compute_threads *threads = mpg_compute_threads_new(core, n, 65536, 3, &timer, &err);
    ok(threads != NULL, "a threads of %d %s", n, err.text);
    for (int k = 0; threads && k < MPG_KERNELS; k++) {
        const char *name = mpg_kernel_name((enum mpg_kernel)k);
        ok(mpg_compute_threads_measure(threads, (enum mpg_kernel)k, 0, 1, 2e6, &err) == 0, "%s, alone", name);
        ok(rows(mpg_compute_threads_rates(threads, 0), k, 1) > 0, "%s: samples", name);
        const struct mpg_rates *second = mpg_compute_threads_rates(threads, 1);
        ok(n == 1 || second->n == (size_t)rows(second, 0, n) + (size_t)rows(second, 1, n) + (size_t)rows(second, 2, n),
           "%s: the other core has none", name);
        ok(mpg_compute_threads_measure(threads, (enum mpg_kernel)k, 0, n, 2e6, &err) == 0, "%s, all", name);
        for (int i = 0; i < n; i++)
            ok(rows(mpg_compute_threads_rates(threads, i), k, n) > 0, "%s: samples of core %d", name, core[i]);
    }
    mpg_compute_threads_free(threads);
    mpg_compute_threads_free(NULL);
    free(core);
}

/* Five threads, which share the cores that there are: two at once are the first and the third. */
static void test_some_of_a_team(void)
{
    struct mpg_error err = {""};
    struct mpg_timer timer;
    int *core = NULL, five[5], n = mpg_cores_allowed(&core, &err);
    if (n < 1 || mpg_timer_open("auto", &timer, &err) < 0) {
        ok(false, "cores and a clock: %s", err.text);
        free(core);
        return;
    }
    for (int i = 0; i < 5; i++)
        five[i] = core[i % n];
    struct mpg_compute_threads *threads = mpg_compute_threads_new(five, 5, 4096, 3, &timer, &err);
    ok(threads && mpg_compute_threads_measure(threads, MPG_KERNEL_INTEGER, 0, 2, 2e6, &err) == 0, "2 of 5 cores at once");
    for (int i = 0; threads && i < 5; i++)
        ok((rows(mpg_compute_threads_rates(threads, i), MPG_KERNEL_INTEGER, 2) > 0) == (i == 0 || i == 2),
           "... thread %d measures only if it is the first or the third", i);
    mpg_compute_threads_free(threads);
    free(core);
    int counts[5] = {0}, m = 0;
    for (int k = 1; k <= 6 && m < 5; k = mpg_compute_next_count(k, 6))
        counts[m++] = k;
    ok(m == 4 && counts[0] == 1 && counts[1] == 2 && counts[2] == 4 && counts[3] == 6, "of 6 cores: 1, 2, 4 and 6 at once");
}

int main(void)
{
    test_chains();
    test_triad();
    test_chase();
    test_sort();
    test_workspace();
    test_choice();
    test_team();
    test_some_of_a_team();
    return done();
}
