/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings and their remedies; what holds for results of any kind. */
#include "config.h"

#include "signature/make/check_private.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "statistics/inference.h"

/* Cores' worth of time that others may use. */
#define MOST_LOAD 0.1
/* Spread of a core's rates, 5 % to 95 %, as a part of the median. */
#define MOST_SPREAD 0.2

/* What each finding is called, and what to do about it. */
static const struct {
    const char *name, *remedy;
} checks[MPG_FINDINGS] = {
    [MPG_FOUND_NO_RESULTS] = {"no results", "run that benchmark, too; mpgbench runs them all"},
    [MPG_FOUND_KERNELS] = {"different systems", "measure everything again on one system"},
    [MPG_FOUND_LOAD] = {"other load", "stop the other work, or measure on nodes of your own"},
    [MPG_FOUND_PREEMPTIONS] = {"preemptions",
        "stop what else runs on those cores, or measure others"},
    [MPG_FOUND_MIGRATIONS] = {"migrations", "let the benchmark bind itself to its core"},
    [MPG_FOUND_SHARE] = {"shared core",
        "leave the measured cores alone; do not run two benchmarks at once"},
    [MPG_FOUND_STEAL] = {"stolen time",
        "measure on a host without other guests, or know that they are in it"},
    [MPG_FOUND_SPEED] = {"changing speed",
        "fix the frequency (cpupower frequency-set -g performance)"},
    [MPG_FOUND_REALTIME] = {"real-time priority", "measure without --realtime, as programs run"},
    [MPG_FOUND_OVERSUBSCRIBED] = {"oversubscribed", "start at most one rank a core"},
    [MPG_FOUND_TIMER] = {"coarse timer", "use the processor's counter (--timer=tsc)"},
    [MPG_FOUND_SHORT_RECORD] = {"short record",
        "record 60 s (mpgbench --full, ftq --duration=60s)"},
    [MPG_FOUND_FILLED] = {"record filled", "raise --max-detours or --threshold"},
    [MPG_FOUND_FEW_LONG] = {"few long detours", "record as long as that takes (ftq --duration)"},
    [MPG_FOUND_THRESHOLD] = {"high threshold", "lower --threshold"},
    [MPG_FOUND_NOISE_HALVES] = {"unsteady noise",
        "find what started or stopped meanwhile, and measure again"},
    [MPG_FOUND_MODES] = {"modes disagree",
        "they are measured one after the other: find what started or stopped between, and measure"
        " again"},
    [MPG_FOUND_LAUNCHES] = {"few launches",
        "measure at least 3 (--launch=0, 1, 2): launches differ"},
    [MPG_FOUND_OUTLIER_LAUNCH] = {"outlying launch", "measure it again, or more launches"},
    [MPG_FOUND_OUTLIER_PAIR] = {"outlying pair",
        "look for what is different there, or leave it out"},
    [MPG_FOUND_NETWORK_HALVES] = {"unsteady network",
        "find what changed meanwhile, and measure again"},
    [MPG_FOUND_FEW_MEDIAN] = {"uncertain medians", "raise --max-iterations and --max-time"},
    [MPG_FOUND_FEW_TAIL] = {"uncertain tails", "raise --max-iterations and --max-time"},
    [MPG_FOUND_STOPPING] = {"goal not reached", "raise --max-iterations or --max-time"},
    [MPG_FOUND_CLOCKS] = {"clocks not compared",
        "let pingpong measure both ways, on hosts whose clocks are constant"},
    [MPG_FOUND_MISFIT] = {"one-way times misfit",
        "measure with clocks that can be compared; that they fit would not show that both ways"
        " are alike"},
    [MPG_FOUND_EAGER_LIMIT] = {"no eager limit", "give mpgsim --eager-limit"},
    [MPG_FOUND_LATE] = {"late processes", "leave a core to each process, and measure again"},
    [MPG_FOUND_RATES] = {"varying rates",
        "stop other work, fix the frequency, and measure again"},
};

struct mpg_check *mpg_check_new(struct mpg_error *err)
{
    struct mpg_check *c = calloc(1, sizeof *c);
    if (!c)
        mpg_error_set(err, "out of memory");
    return c;
}

void mpg_check_free(struct mpg_check *c)
{
    if (!c)
        return;
    for (int f = 0; f < MPG_FINDINGS; f++)
        free(c->found[f].text);
    for (int path = 0; path < MPG_PATHS; path++) {
        free(c->sizes[0][path].size);
        free(c->sizes[1][path].size);
    }
    for (size_t i = 0; i < c->modes; i++)
        free(c->mode[i].host);
    free(c->mode);
    mpg_fact_free(c->kernel, c->kernels);
    free(c);
}

int mpg_check_found(struct mpg_check *c, enum mpg_finding finding, double badness,
                    struct mpg_error *err, const char *format, ...)
{
    va_list args;
    char *text;
    if (c->found[finding].times++ > 0 && badness <= c->found[finding].badness)
        return 0;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return mpg_error_set(err, "out of memory");
    free(c->found[finding].text);
    c->found[finding].text = text;
    c->found[finding].badness = badness;
    return 0;
}

const char *mpg_check_name(const struct mpg_results *r)
{
    const char *slash = strrchr(r->path, '/');
    return slash ? slash + 1 : r->path;
}

bool mpg_check_number(const struct mpg_results *r, const char *key, double *value)
{
    const char *text = mpg_fact_find(r->fact, r->facts, key);
    return text && mpg_units_parse_real(text, value, NULL) == 0;
}

/* The change of a quantile, as a part of what it was; 0 if chance makes as large ones. */
static double change(const struct mpg_comparison *halves)
{
    if (halves->difference.low <= 0 && halves->difference.high >= 0)
        return 0;
    return halves->a.value > 0 ? fabs(halves->difference.value) / halves->a.value : 1;
}

int mpg_check_halves(const double *samples, size_t n, double part, double *badness, char *text,
                     size_t size, struct mpg_error *err)
{
    struct mpg_stationarity s;
    char shown[4][32];
    *badness = 0;
    if (n < MPG_STATIONARITY_MIN_SAMPLES)
        return 0;
    if (mpg_stationarity_test(samples, n, &s, err) < 0)
        return -1;
    double median = change(&s.median), tail = change(&s.p99);
    if (s.stationary || (median <= part && tail <= 5 * part))
        return 0;
    *badness = fmax(median, tail);
    snprintf(text, size, "median %s then %s, p99 %s then %s",
             mpg_units_format_time(shown[0], sizeof shown[0], s.median.a.value),
             mpg_units_format_time(shown[1], sizeof shown[1], s.median.b.value),
             mpg_units_format_time(shown[2], sizeof shown[2], s.p99.a.value),
             mpg_units_format_time(shown[3], sizeof shown[3], s.p99.b.value));
    return 0;
}

/* ---- results of any kind ---- */

static int check_surroundings(struct mpg_check *c, const struct mpg_results *r,
                              struct mpg_error *err)
{
    double load = 0, resolution_ns;
    const char *scheduling = mpg_fact_find(r->fact, r->facts, "scheduling");
    const char *oversubscribed = mpg_fact_find(r->fact, r->facts, "oversubscribed");
    if (mpg_check_number(r, "timer_resolution_ns", &resolution_ns))
        c->resolution_ns = fmax(c->resolution_ns, resolution_ns);
    if (mpg_check_number(r, "other_load", &load) && load > MOST_LOAD &&
        mpg_check_found(c, MPG_FOUND_LOAD, load, err,
                        "%s: others used %.2f cores while it was measured", mpg_check_name(r),
                        load) < 0)
        return -1;
    if (scheduling && (strstr(scheduling, "SCHED_FIFO") || strstr(scheduling, "SCHED_RR")) &&
        mpg_check_found(c, MPG_FOUND_REALTIME, 0, err,
                        "%s: measured with %.40s: noise that programs suffer is held back, and"
                        " throttling shows", mpg_check_name(r), scheduling) < 0)
        return -1;
    if (oversubscribed && strcmp(oversubscribed, "no") != 0 &&
        mpg_check_found(c, MPG_FOUND_OVERSUBSCRIBED, 0, err, "%s: measured with %.100s",
                        mpg_check_name(r), oversubscribed) < 0)
        return -1;
    return 0;
}

/* Different kernels and clocks make different noise. */
static int check_systems(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err)
{
    static const char *const keys[] = {"kernel", "clock"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const char *mine = mpg_fact_find(r->fact, r->facts, keys[k]);
        const char *first = mpg_fact_find(c->kernel, c->kernels, keys[k]);
        if (mine && !first && mpg_fact_add(&c->kernel, &c->kernels, keys[k], mine, err) < 0)
            return -1;
        if (mine && first && strcmp(mine, first) != 0 &&
            mpg_check_found(c, MPG_FOUND_KERNELS, 0, err, "%s: the %s is %.100s, elsewhere %.100s",
                            mpg_check_name(r), keys[k], mine, first) < 0)
            return -1;
    }
    return 0;
}

/* Repetitions that a process came too late for. */
static int check_collective(struct mpg_check *c, const struct mpg_results *r,
                            struct mpg_error *err)
{
    double invalid;
    if (!mpg_check_number(r, "invalid", &invalid) || invalid <= 0.1 * (double)r->samples)
        return 0;
    return mpg_check_found(c, MPG_FOUND_LATE, invalid / (double)r->samples, err,
                           "%s: processes were late for %.0f starts, %zu were good",
                           mpg_check_name(r), invalid, r->samples);
}

int mpg_check_add(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err)
{
    c->there[r->benchmark] = true;
    if (check_surroundings(c, r, err) < 0 || check_systems(c, r, err) < 0)
        return -1;
    switch (r->benchmark) {
    case MPG_BENCHMARK_PINGPONG:
    case MPG_BENCHMARK_BANDWIDTH:
    case MPG_BENCHMARK_OVERHEAD:
        return mpg_check_network(c, r, err);
    case MPG_BENCHMARK_COLLECTIVE:
        return check_collective(c, r, err);
    case MPG_BENCHMARK_COMPUTE:
        return 0;
    default:
        return mpg_check_noise(c, r, err);
    }
}

/* ---- the whole ---- */

/* Fixed work is no part of what mpgbench measures, nor of what a simulation needs. */
static int check_missing(struct mpg_check *c, struct mpg_error *err)
{
    char text[256] = "";
    size_t used = 0, missing = 0;
    for (int b = 0; b < MPG_BENCHMARKS; b++) {
        if (c->there[b] || b == MPG_BENCHMARK_FWQ)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", missing ? ", " : "",
                                 mpg_benchmark_name((enum mpg_benchmark)b));
        missing++;
    }
    return missing ? mpg_check_found(c, MPG_FOUND_NO_RESULTS, 0, err, "no results of: %s", text)
                   : 0;
}

static int check_rates(struct mpg_check *c, const struct mpg_signature *sig,
                       struct mpg_error *err)
{
    for (size_t i = 0; i < sig->rates; i++) {
        const struct mpg_compute_rate *r = &sig->rate[i];
        double median = mpg_distribution_quantile(r->rate, 0.5);
        double spread = mpg_distribution_quantile(r->rate, 0.95) -
                        mpg_distribution_quantile(r->rate, 0.05);
        if (spread > MOST_SPREAD * median &&
            mpg_check_found(c, MPG_FOUND_RATES, spread / median, err,
                            "compute: %.80s on core %d, %d at once: rates vary by %.0f %% of their"
                            " median", r->kernel, r->core, r->cores_at_once,
                            100 * spread / median) < 0)
            return -1;
    }
    return 0;
}

/* A copy of TEXT that a signature can hold, or NULL when memory is out. */
static char *copy_text(const char *text)
{
    return strndup(text, MPG_LINE_MAX_BYTES);
}

/* Adds finding F to SIG, which has room for it. */
static int add_failure(const struct mpg_check *c, int f, struct mpg_signature *sig,
                       struct mpg_error *err)
{
    char *text = NULL;
    struct mpg_signature_failure *made = &sig->failure[sig->failures++];
    int status = c->found[f].times > 1
                     ? asprintf(&text, "%s, and %zu more like it", c->found[f].text,
                                c->found[f].times - 1)
                     : asprintf(&text, "%s", c->found[f].text);
    if (status < 0)
        return mpg_error_set(err, "out of memory");
    made->check = copy_text(checks[f].name);
    made->found = copy_text(text);
    made->remedy = copy_text(checks[f].remedy);
    free(text);
    return made->check && made->found && made->remedy ? 0 : mpg_error_set(err, "out of memory");
}

int mpg_check_finish(struct mpg_check *c, struct mpg_signature *sig, struct mpg_error *err)
{
    if (check_missing(c, err) < 0 || mpg_check_modes(c, err) < 0 || check_rates(c, sig, err) < 0 ||
        mpg_check_paths(c, sig, err) < 0)
        return -1;
    if (!(sig->failure = calloc(MPG_FINDINGS, sizeof *sig->failure)))
        return mpg_error_set(err, "out of memory");
    sig->checks = MPG_FINDINGS;
    for (int f = 0; f < MPG_FINDINGS; f++)
        if (c->found[f].times > 0 && add_failure(c, f, sig, err) < 0)
            return -1;
    return 0;
}
