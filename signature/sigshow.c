/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigshow: a signature on one screen. */
#include "config.h"

#include <gsl/gsl_errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/error.h"
#include "common/option.h"
#include "common/output.h"
#include "common/units.h"
#include "signature/signature.h"

enum { TIME_SIZE = 32, FEW_CORES = 8, VALUE_WIDTH = 64 };
/* Quantiles that the tables show; 1 is the maximum. */
static const double shown[] = {0.01, 0.5, 0.99, 1};
enum { SHOWN = sizeof shown / sizeof *shown };

static void show_time(double time_ns)
{
    char text[TIME_SIZE];
    printf(" %10s", mpg_units_format_time(text, sizeof text, time_ns));
}

static void show_quantiles(const struct mpg_distribution *d)
{
    for (int i = 0; i < SHOWN; i++) {
        if (d)
            show_time(mpg_distribution_quantile(d, shown[i]));
        else
            printf(" %10s", "-");
    }
}

/* How many bytes of TEXT fit into WIDTH without splitting a character. */
static int fitting(const char *text, size_t width)
{
    size_t n = strlen(text);
    if (n <= width)
        return (int)n;
    for (n = width; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
        n--;
    return (int)n;
}

static void show_header(const struct mpg_signature *sig, size_t width)
{
    for (size_t i = 0; i < sig->facts; i++) {
        const char *value = sig->fact[i].value;
        int n = fitting(value, width);
        printf("%-22s %.*s%s\n", sig->fact[i].key, n, value, value[n] ? "..." : "");
    }
    printf("%-22s %zu\n", "results files", sig->sources);
}

static bool has_record(const struct mpg_noise_core *c)
{
    return c->span_ns > 0;
}

static bool has_quanta(const struct mpg_noise_core *c)
{
    return c->ftq.lost_ns != NULL;
}

static void show_record(const struct mpg_noise_core *c)
{
    printf("%4d", c->core);
    show_time(c->threshold_ns);
    show_time(c->span_ns);
    printf(" %10.4f %9.1f", 100 * c->fraction_lost, (double)c->detours / (c->span_ns * 1e-9));
    show_quantiles(c->length_ns);
    putchar('\n');
}

static void show_lost(const struct mpg_noise_core *c)
{
    printf("%4d", c->core);
    show_time(c->ftq.quantum_ns);
    printf(" %10zu", c->ftq.lost_ns->n);
    printf(" %10.4f %9s", 100 * c->ftq.lost_ns->mean / c->ftq.quantum_ns, "");
    show_quantiles(c->ftq.lost_ns);
    putchar('\n');
}

/* Shows every core that HAS what SHOW shows; of more than MOST only the first. */
static void show_cores(const struct mpg_signature *sig, size_t most,
                       bool (*has)(const struct mpg_noise_core *),
                       void (*show)(const struct mpg_noise_core *))
{
    size_t n = 0;
    for (size_t i = 0; i < sig->cores; i++)
        if (has(&sig->core[i]) && ++n <= most)
            show(&sig->core[i]);
    if (n > most)
        printf("and %zu more cores (--all shows them)\n", n - most);
}

static void show_size(const struct mpg_network_size *size)
{
    char text[TIME_SIZE];
    printf("%10s %9zu", mpg_units_format_size(text, sizeof text, size->size_bytes),
           size->time_ns->n);
    show_quantiles(size->time_ns);
}

static void show_latency(const struct mpg_network_path *path)
{
    printf("\nLatency, one way\n"
           "      size   samples         p1        p50        p99        max\n");
    for (size_t i = 0; i < path->latency.n; i++) {
        show_size(&path->latency.size[i]);
        putchar('\n');
    }
}

static void show_bandwidth(const struct mpg_network_path *path)
{
    printf("\nBandwidth, transfer of one message\n"
           "      size   samples         p1        p50        p99        max   MB/s at p50\n");
    for (size_t i = 0; i < path->bandwidth.n; i++) {
        const struct mpg_network_size *size = &path->bandwidth.size[i];
        double median_ns = mpg_distribution_quantile(size->time_ns, 0.5);
        show_size(size);
        if (median_ns > 0)
            printf(" %13.1f\n", (double)size->size_bytes * 1e3 / median_ns);
        else
            printf(" %13s\n", "-");
    }
}

static void show_eager_limit(const struct mpg_network_path *path)
{
    char text[TIME_SIZE];
    if (path->eager_limit_bytes == MPG_EAGER_LIMIT_UNKNOWN)
        printf("\nEager limit: not detected\n");
    else if (path->eager_limit_bytes < 0)
        printf("\nEager limit: none, every send waits for its receive\n");
    else
        printf("\nEager limit: %s (%" PRId64 " bytes)\n",
               mpg_units_format_size(text, sizeof text, path->eager_limit_bytes),
               path->eager_limit_bytes);
}

static bool any_core(const struct mpg_signature *sig, bool (*has)(const struct mpg_noise_core *))
{
    for (size_t i = 0; i < sig->cores; i++)
        if (has(&sig->core[i]))
            return true;
    return false;
}

static void show_noise(const struct mpg_signature *sig, size_t most)
{
    if (any_core(sig, has_record)) {
        printf("\nNoise: detours                      lost   detours   duration\n"
               "core  threshold       span          %%  a second         p1        p50        p99"
               "        max\n");
        show_cores(sig, most, has_record, show_record);
    } else {
        printf("\nNo record of detours.\n");
    }
    if (any_core(sig, has_quanta)) {
        printf("\nNoise: fixed time quanta            lost             time lost in a quantum\n"
               "core    quantum     quanta          %%                   p1        p50        p99"
               "        max\n");
        show_cores(sig, most, has_quanta, show_lost);
    } else {
        printf("\nNo fixed time quanta.\n");
    }
}

static void show_path(const struct mpg_network_path *path)
{
    printf("\nPath: %s\n", mpg_path_name(path->path));
    if (path->latency.n > 0)
        show_latency(path);
    else
        printf("\nNo latencies.\n");
    if (path->bandwidth.n > 0)
        show_bandwidth(path);
    else
        printf("\nNo transfer times.\n");
    show_eager_limit(path);
}

static void show_signature(const struct mpg_signature *sig, bool all)
{
    show_header(sig, all ? MPG_SIGNATURE_MAX_TEXT : VALUE_WIDTH);
    show_noise(sig, all ? MPG_SIGNATURE_MAX_CORES : FEW_CORES);
    if (sig->paths == 0)
        printf("\nNo latencies and no transfer times.\n");
    for (size_t i = 0; i < sig->paths; i++)
        show_path(&sig->network[i]);
}

int main(int argc, char **argv)
{
    bool all = false;
    const struct mpg_option options[] = {
        {.name = "all", .letter = 'a', .kind = MPG_OPTION_FLAG, .value = &all,
         .help = "show every core (default: the first 8)\nand header lines in full"},
        {.name = NULL},
    };
    const struct mpg_program program = {
        .name = "sigshow",
        .arguments = "SIGNATURE",
        .summary = "Shows a machine's signature on one screen.",
        .options = options,
        .min_arguments = 1,
        .max_arguments = 1,
    };
    struct mpg_error err;
    int first = mpg_option_parse(&program, argc, argv);
    gsl_set_error_handler_off();
    struct mpg_signature *sig = mpg_signature_load(argv[first], &err);
    if (!sig) {
        mpg_error_print(program.name, &err);
        return MPG_EXIT_FAILURE;
    }
    show_signature(sig, all);
    mpg_signature_free(sig);
    if (mpg_stdout_close(&err) < 0) {
        mpg_error_print(program.name, &err);
        return MPG_EXIT_FAILURE;
    }
    return MPG_EXIT_OK;
}
