/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigshow --summary: a signature in at most nine lines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "signature/show/show.h"

enum { MESSAGE_BYTES = 8, REDUCED_BYTES = 8, MAX_FAILURES = 2, EFFECT_BYTES = 128, MPI_WIDTH = 24, FOUND_WIDTH = 150 };

static const char *fact(const struct mpg_signature *sig, const char *key)
{
    return mpg_fact_find(sig->fact, sig->facts, key);
}

static void show_machine(const struct mpg_signature *sig)
{
    const char *host = fact(sig, "host"), *cpu = fact(sig, "cpu"), *mpi = fact(sig, "mpi");
    printf("Machine       %.64s", host ? host : "unknown host");
    if (cpu)
        printf(", %.64s", cpu);
    if (mpi) {
        size_t n = strcspn(mpi, ",");
        printf(", %.*s", (int)(n < MPI_WIDTH ? n : MPI_WIDTH), mpi);
    }
    putchar('\n');
}

static void show_lost(const struct mpg_signature *sig)
{
    const struct mpg_noise_totals t = mpg_signature_noise(sig);
    char text[SHOW_TEXT];
    if (t.cores > 0)
        printf("Noise         %.2g %% of the time of %zu core%s%s (%.2g %% off the CPU), worst core %.2g %%, longest interruption"
               " %s\n", 100 * t.lost, t.cores, t.cores == 1 ? "" : "s",
               t.together == t.cores && t.cores > 1 ? " measured together" : "", 100 * t.off, 100 * t.worst,
               mpg_units_format_time(text, sizeof text, t.longest_ns));
}

/* Returns the mean over all cores of a kernel's median rate, for the kernel and the number of busy cores of rate I in SIG. */
static double mean_rate(const struct mpg_signature *sig, size_t i)
{
    double sum = 0;
    size_t n = 0;
    for (size_t k = 0; k < sig->rates; k++)
        if (strcmp(sig->rate[k].kernel, sig->rate[i].kernel) == 0 &&
            sig->rate[k].cores_at_once == sig->rate[i].cores_at_once) {
            sum += mpg_distribution_quantile(sig->rate[k].rate, 0.5);
            n++;
        }
    return sum / (double)n;
}

/* Prints each kernel's rate on a single busy core, and the fraction of this rate that a core reaches when the largest number of
 * cores is busy. */
static void show_rates(const struct mpg_signature *sig)
{
    char text[SHOW_TEXT], name[SHOW_TEXT];
    if (sig->rates > 0)
        fputs("Computation   per core, in brackets the rate with all cores busy:", stdout);
    for (size_t i = 0, end; i < sig->rates; i = end) {
        for (end = i; end < sig->rates && strcmp(sig->rate[end].kernel, sig->rate[i].kernel) == 0;)
            end++;
        snprintf(name, sizeof name, "%.*s", SHOW_TEXT - 1, sig->rate[i].kernel);
        for (char *p = name; *p; p++)
            *p = *p == '_' ? ' ' : *p;
        double alone = mean_rate(sig, i), busy = mean_rate(sig, end - 1);
        printf("%s %s%s %s", i > 0 ? "," : "", name,
               strcmp(sig->rate[i].kernel, "memory_latency") == 0 ? " (pointer chasing)" : "",
               show_rate(text, alone, sig->rate[i].unit));
        if (sig->rate[end - 1].cores_at_once > sig->rate[i].cores_at_once && alone > 0)
            printf(" (%.0f %%)", 100 * busy / alone);
    }
    if (sig->rates > 0)
        putchar('\n');
}

/* Returns the size in SIZES nearest to BYTES; NULL if SIZES is empty. */
static const struct mpg_network_size *nearest(const struct mpg_network_sizes *sizes, int64_t bytes)
{
    const struct mpg_network_size *found = NULL;
    for (size_t i = 0; i < sizes->n; i++)
        if (!found || llabs(sizes->size[i].size_bytes - bytes) < llabs(found->size_bytes - bytes))
            found = &sizes->size[i];
    return found;
}

static double median_ns(const struct mpg_network_size *size)
{
    return mpg_distribution_quantile(size->time_ns, 0.5);
}

static void show_messages(const struct mpg_signature *sig)
{
    for (size_t i = 0; i < sig->paths; i++) {
        const struct mpg_network_path *p = &sig->network[i];
        const struct mpg_network_size *small = nearest(&p->latency, MESSAGE_BYTES);
        char size[SHOW_TEXT], time[SHOW_TEXT];
        fputs(i > 0 ? "; " : "Messages      ", stdout);
        printf("%s", mpg_path_name(p->path));
        if (small)
            printf(": %s one way for %s", mpg_units_format_time(time, sizeof time, median_ns(small)),
                   mpg_units_format_size(size, sizeof size, small->size_bytes));
        if (p->bandwidth.n > 0) {
            const struct mpg_network_size *large = &p->bandwidth.size[p->bandwidth.n - 1];
            printf("%s %s", small ? "," : ":",
                   show_rate(time, median_ns(large) > 0 ? (double)large->size_bytes / median_ns(large) * 1e9 : 0, "B/s"));
            printf(" for %s", mpg_units_format_size(size, sizeof size, large->size_bytes));
        }
        const int pairs = mpg_signature_capacity_pairs(sig, p->path);
        if (pairs > 0)
            printf(", %s for %d pairs at once", show_rate(time, mpg_signature_capacity(sig, p->path, pairs), "B/s"), pairs);
    }
    if (sig->paths > 0)
        putchar('\n');
}

static void show_overheads(const struct mpg_signature *sig)
{
    const struct mpg_network_path *p = mpg_signature_farthest(sig);
    const struct mpg_network_size *send = p ? nearest(&p->send_overhead, MESSAGE_BYTES) : NULL;
    const struct mpg_network_size *receive = p ? nearest(&p->receive_overhead, MESSAGE_BYTES) : NULL;
    char text[3][SHOW_TEXT];
    if (send && receive)
        printf("Overheads     CPU time: %s to send %s, %s to receive\n",
               mpg_units_format_time(text[0], SHOW_TEXT, median_ns(send)),
               mpg_units_format_size(text[1], SHOW_TEXT, send->size_bytes),
               mpg_units_format_time(text[2], SHOW_TEXT, median_ns(receive)));
}

/* Prints the times of a barrier and of an allreduce of REDUCED_BYTES, for the largest number of processes measured. */
static void show_collective_times(const struct mpg_signature *sig)
{
    int processes = 0;
    size_t shown = 0;
    char time[SHOW_TEXT], size[SHOW_TEXT];
    for (size_t i = 0; i < sig->collectives; i++)
        processes = sig->collective[i].processes > processes ? sig->collective[i].processes : processes;
    for (size_t i = sig->collectives; i-- > 0;) {
        const struct mpg_collective_time *c = &sig->collective[i];
        bool barrier = strcmp(c->operation, "barrier") == 0;
        if (c->processes != processes || (!barrier && (strcmp(c->operation, "allreduce") != 0 || c->size_bytes != REDUCED_BYTES)))
            continue;
        if (shown++ == 0)
            printf("Collectives   of %d processes:", processes);
        printf("%s %s", shown > 1 ? "," : "", c->operation);
        if (!barrier)
            printf(" of %s", mpg_units_format_size(size, sizeof size, c->size_bytes));
        printf(" %s", mpg_units_format_time(time, sizeof time, mpg_distribution_quantile(c->time_ns, 0.5)));
    }
    if (shown > 0)
        putchar('\n');
}

/* Prints the first MAX_FAILURES failed checks and the findings. Checks for disturbances come first in SIG, because a disturbance
 * makes other checks fail as well. */
static void show_checks(const struct mpg_signature *sig)
{
    char effect[EFFECT_BYTES];
    if (sig->checks == 0)
        puts("Checks        none were made");
    else if (sig->failures == 0)
        printf("Checks        all %d passed: a good measurement\n", sig->checks);
    else
        printf("Checks        %zu of %d failed%s\n", sig->failures, sig->checks,
               sig->failures > MAX_FAILURES ? ", the first:" : ":");
    for (size_t i = 0; i < MAX_FAILURES && i < sig->failures; i++) {
        const struct mpg_signature_failure *f = &sig->failure[i];
        mpg_signature_effect(f, effect, sizeof effect);
        printf("  %s: %.*s%s%s%s\n", f->check, FOUND_WIDTH, f->found, strlen(f->found) > FOUND_WIDTH ? "..." : "",
               *effect ? "; " : "", effect);
    }
}

void show_short(const struct mpg_signature *sig)
{
    show_machine(sig);
    show_lost(sig);
    show_rates(sig);
    show_messages(sig);
    show_overheads(sig);
    show_collective_times(sig);
    show_checks(sig);
}
