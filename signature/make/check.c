/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quality checks of a measurement: names and remedies of the findings, checks that concern all kinds of results, the
 * report. */
#include "config.h"

#include "signature/make/check_private.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "statistics/inference.h"
#include "statistics/welch.h"

/* Maximum CPU time that other processes may use during a measurement, in cores (0.1: a tenth of one core). */
#define MAX_LOAD 0.1
/* A timer is coarse if its resolution exceeds its cost by this factor. */
#define STEPS 2.0
/* Confidence of the intervals of rates. */
#define CONFIDENCE 0.95

/* Name, affected parts and remedy of each finding. */
static const struct {
    const char *name;
    int parts;
    const char *remedy;
} checks[MPG_FINDINGS] = {
    [MPG_FOUND_NO_RESULTS] = {"no results", MPG_PART_ALL,
        "run this benchmark as well; mpgbench runs all"},
    [MPG_FOUND_KERNELS] = {"different systems", MPG_PART_ALL,
        "measure everything again on one system"},
    [MPG_FOUND_LOAD] = {"other load", MPG_PART_ALL,
        "measure when nothing else runs; mpgbench names busy processes before it begins"},
    [MPG_FOUND_OFF_CPU] = {"off the CPU", MPG_PART_NOISE,
        "measure when nothing else runs, and in a guest when its host is idle, unless programs"
        " will run under equal load"},
    [MPG_FOUND_SPEED] = {"changing speed", MPG_PART_NOISE | MPG_PART_RATES,
        "measure longer (mpgbench without --quick), with a fixed frequency (cpupower frequency-set -g"
        " performance), or, in a guest, when its host is idle"},
    [MPG_FOUND_REALTIME] = {"real-time priority", MPG_PART_NOISE,
        "measure without --realtime, as programs run"},
    [MPG_FOUND_OVERSUBSCRIBED] = {"oversubscribed", MPG_PART_MESSAGES | MPG_PART_COLLECTIVES,
        "start at most one rank per core"},
    [MPG_FOUND_TIMER] = {"coarse timer", MPG_PART_MESSAGES,
        "let each benchmark read the processor's counter (--timer=counter)"},
    [MPG_FOUND_FILLED] = {"record ended early", MPG_PART_NOISE,
        "raise --max-detours or --threshold of mpgbench ftq"},
    [MPG_FOUND_UNCERTAIN_NOISE] = {"uncertain noise", MPG_PART_NOISE,
        "record longer (mpgbench --full, or mpgbench ftq --duration=60s)"},
    [MPG_FOUND_THRESHOLD] = {"high threshold", MPG_PART_NOISE,
        "lower --threshold of mpgbench ftq"},
    [MPG_FOUND_NOISE_HALVES] = {"unsteady noise", MPG_PART_NOISE,
        "find the process that started or stopped meanwhile, and measure again"},
    [MPG_FOUND_MODES] = {"modes disagree", MPG_PART_NOISE,
        "the modes are measured one after another: find the process that started or stopped between,"
        " and measure again"},
    [MPG_FOUND_LAUNCHES] = {"few launches", MPG_PART_MESSAGES,
        "measure at least 3 launches (mpgbench --launches=3), as launches differ"},
    [MPG_FOUND_OUTLIER_LAUNCH] = {"outlying launch", MPG_PART_MESSAGES,
        "measure this launch again (--launch of the benchmark), or more launches (mpgbench --launches)"},
    [MPG_FOUND_OUTLIER_PAIR] = {"outlying pair", MPG_PART_MESSAGES,
        "look for a cause on these cores, or exclude the pair"},
    [MPG_FOUND_NETWORK_HALVES] = {"unsteady network", MPG_PART_MESSAGES,
        "find out which process, job or setting changed meanwhile, and measure again"},
    [MPG_FOUND_FEW_MEDIAN] = {"uncertain medians", MPG_PART_MESSAGES,
        "measure longer (mpgbench --full, or --max-iterations and --max-time of the benchmark)"},
    [MPG_FOUND_FEW_TAIL] = {"uncertain tails", MPG_PART_MESSAGES,
        "measure longer (mpgbench --full, or --max-iterations and --max-time of the benchmark)"},
    [MPG_FOUND_CLOCKS] = {"clocks not compared", MPG_PART_MESSAGES,
        "let pingpong measure both directions, on hosts with constant clocks"},
    [MPG_FOUND_MISFIT] = {"one-way times misfit", MPG_PART_MESSAGES,
        "measure with comparable clocks (a fit, good or bad, does not show whether both directions"
        " are equally fast)"},
    [MPG_FOUND_EAGER_LIMIT] = {"no eager limit", MPG_PART_MESSAGES, "give mpgsim the eager limit by --eager-limit"},
    [MPG_FOUND_LATE] = {"late processes", MPG_PART_COLLECTIVES,
        "leave a core to each process, and measure again"},
    [MPG_FOUND_RATES] = {"uncertain rates", MPG_PART_RATES,
        "stop other work, or measure longer (mpgbench --full, or mpgbench compute --duration)"},
    [MPG_FOUND_CAPACITY] = {"uncertain capacity", MPG_PART_MESSAGES,
        "measure longer, or more launches (mpgbench --full, or mpgbench sharing --max-time), with a core for each rank"},
    [MPG_FOUND_FALL] = {"falling capacity", MPG_PART_MESSAGES,
        "give each rank a core; if the link loses messages under load (TCP), the capacity is real"},
    [MPG_FOUND_ONE_SIDED] = {"uncertain one-sided times", MPG_PART_MESSAGES,
        "measure longer, or more launches (mpgbench --full, or mpgbench onesided --max-time)"},
    [MPG_FOUND_OVERLAP] = {"uncertain overlap", MPG_PART_MESSAGES,
        "measure longer, or more launches (mpgbench --full, or mpgbench overlap --max-time), with a core for each rank"},
};

struct mpg_check *mpg_check_new(struct mpg_error *err)
{
    struct mpg_check *c = calloc(1, sizeof *c);
    if (!c)
        mpg_error_set(err, "out of memory");
    else
        c->rates_load = -1;
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

int mpg_check_add_finding(struct mpg_check *c, enum mpg_finding finding, double moves,
                    struct mpg_error *err, const char *format, ...)
{
    va_list args;
    char *text;
    if (c->found[finding].times++ > 0 && moves <= c->found[finding].moves)
        return 0;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return mpg_error_set(err, "out of memory");
    free(c->found[finding].text);
    c->found[finding].text = text;
    c->found[finding].moves = moves;
    return 0;
}

const char *mpg_check_file_name(const struct mpg_results *r)
{
    const char *slash = strrchr(r->path, '/');
    return slash ? slash + 1 : r->path;
}

bool mpg_check_number(const struct mpg_results *r, const char *key, double *value)
{
    const char *text = mpg_fact_find(r->fact, r->facts, key);
    return text && mpg_units_parse_real(text, value, NULL) == 0;
}

/* Returns the change of a quantile from the first half of a series to the second; 0: not significant. */
static double change(const struct mpg_comparison *halves)
{
    bool chance = halves->difference.low <= 0 && halves->difference.high >= 0;
    return chance ? 0 : halves->difference.value;
}

int mpg_compare_halves(const double *samples, size_t n, double *mean, double *median, double *tail,
                     char *text, size_t size, struct mpg_error *err)
{
    struct mpg_stationarity s;
    char shown[4][32];
    *mean = *median = *tail = 0;
    if (n < MPG_STATIONARITY_MIN_SAMPLES)
        return 0;
    if (mpg_stationarity_test(samples, n, &s, err) < 0)
        return -1;
    if (s.stationary)
        return 0;
    *mean = mpg_mean(samples + n / 2, n - n / 2) - mpg_mean(samples, n / 2);
    *median = change(&s.median);
    *tail = change(&s.p99);
    snprintf(text, size, "median %s, later %s; p99 %s, later %s",
             mpg_units_format_time(shown[0], sizeof shown[0], s.median.a.value),
             mpg_units_format_time(shown[1], sizeof shown[1], s.median.b.value),
             mpg_units_format_time(shown[2], sizeof shown[2], s.p99.a.value),
             mpg_units_format_time(shown[3], sizeof shown[3], s.p99.b.value));
    return 0;
}

/* ---- checks of any results ---- */

/* Returns whether R records off-CPU time: then the effect of other processes is known, and load does not matter. */
static bool knows_off_cpu(const struct mpg_results *r)
{
    return r->column[MPG_COLUMN_OFF_CPU_NS] || mpg_fact_find(r->fact, r->facts, "off_cpu_ns");
}

/* Checks whether other processes used the CPU before the measurement, or during it if R records no off-CPU time. */
static int check_load(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err)
{
    static const char busy[] = "busy: ";
    const char *before = mpg_fact_find(r->fact, r->facts, "load_before");
    bool noise = r->benchmark == MPG_BENCHMARK_DETOUR || r->benchmark == MPG_BENCHMARK_FTQ ||
                 r->benchmark == MPG_BENCHMARK_FWQ;
    double load = 0;
    if (before && strncmp(before, busy, strlen(busy)) == 0 && !*c->busy)
        snprintf(c->busy, sizeof c->busy, "%.200s", before + strlen(busy));
    if (before && strncmp(before, busy, strlen(busy)) == 0 &&
        mpg_check_add_finding(c, MPG_FOUND_LOAD, MPG_MOVES_UNKNOWN, err, "%s: measured although %.200s",
                        mpg_check_file_name(r), before + strlen(busy)) < 0)
        return -1;
    if (knows_off_cpu(r) || !mpg_check_number(r, "other_load", &load) || load <= MAX_LOAD)
        return 0;
    return mpg_check_add_finding(c, MPG_FOUND_LOAD,
                           noise || r->benchmark == MPG_BENCHMARK_COMPUTE ? fmin(load, 1)
                                                                         : MPG_MOVES_UNKNOWN,
                           err, "%s: other processes used %.2f cores during this benchmark",
                           mpg_check_file_name(r), load);
}

static int check_surroundings(struct mpg_check *c, const struct mpg_results *r,
                              struct mpg_error *err)
{
    double resolution_ns, cost_ns = 0;
    const char *scheduling = mpg_fact_find(r->fact, r->facts, "scheduling");
    const char *oversubscribed = mpg_fact_find(r->fact, r->facts, "oversubscribed");
    mpg_check_number(r, "timer_cost_ns", &cost_ns);
    if (mpg_check_number(r, "timer_resolution_ns", &resolution_ns) &&
        resolution_ns > STEPS * cost_ns)
        c->resolution_ns = fmax(c->resolution_ns, resolution_ns);
    if (check_load(c, r, err) < 0)
        return -1;
    if (scheduling && (strstr(scheduling, "SCHED_FIFO") || strstr(scheduling, "SCHED_RR")) &&
        mpg_check_add_finding(c, MPG_FOUND_REALTIME, MPG_MOVES_UNKNOWN, err,
                        "%s: measured with %.40s: noise of ordinary programs is missing,"
                        " throttling is included", mpg_check_file_name(r), scheduling) < 0)
        return -1;
    if (oversubscribed && strcmp(oversubscribed, "no") != 0 &&
        mpg_check_add_finding(c, MPG_FOUND_OVERSUBSCRIBED, MPG_MOVES_UNKNOWN, err,
                        "%s: measured with %.100s", mpg_check_file_name(r), oversubscribed) < 0)
        return -1;
    return 0;
}

/* Checks that R has the kernel and clock of the first file: noise depends on both. */
static int check_systems(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err)
{
    static const char *const keys[] = {"kernel", "clock"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const char *mine = mpg_fact_find(r->fact, r->facts, keys[k]);
        const char *first = mpg_fact_find(c->kernel, c->kernels, keys[k]);
        if (mine && !first && mpg_fact_add(&c->kernel, &c->kernels, keys[k], mine, err) < 0)
            return -1;
        if (mine && first && strcmp(mine, first) != 0 &&
            mpg_check_add_finding(c, MPG_FOUND_KERNELS, MPG_MOVES_UNKNOWN, err, "%s: the %s is %.100s, elsewhere %.100s",
                            mpg_check_file_name(r), keys[k], mine, first) < 0)
            return -1;
    }
    return 0;
}

/* Notes what may have changed the rates of R: a virtual machine, and the load of other processes. */
static void note_rates(struct mpg_check *c, const struct mpg_results *r)
{
    double load;
    c->guest = c->guest || mpg_fact_find(r->fact, r->facts, "virtualisation");
    if (mpg_check_number(r, "other_load", &load))
        c->rates_load = fmax(c->rates_load, load);
}

/* Checks the share of repetitions that do not count because a process started late. */
static int check_collective(struct mpg_check *c, const struct mpg_results *r,
                            struct mpg_error *err)
{
    double invalid;
    if (!mpg_check_number(r, "late_repetitions", &invalid) ||
        invalid <= MPG_MAX_LATE_SHARE * (invalid + (double)r->samples))
        return 0;
    return mpg_check_add_finding(c, MPG_FOUND_LATE, MPG_MOVES_UNKNOWN, err,
                           "%s: a process missed the common start of %.0f repetitions, %zu are good",
                           mpg_check_file_name(r), invalid, r->samples);
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
    case MPG_BENCHMARK_SHARING:
    case MPG_BENCHMARK_ONE_SIDED:
    case MPG_BENCHMARK_OVERLAP:
        return mpg_check_network(c, r, err);
    case MPG_BENCHMARK_COLLECTIVE:
        return check_collective(c, r, err);
    case MPG_BENCHMARK_COMPUTE:
        note_rates(c, r);
        return 0;
    default:
        return mpg_check_noise(c, r, err);
    }
}

/* ---- assembly ---- */

/* Reports benchmarks without results. FWQ may be missing: neither mpgbench's default nor simulations use it. Sharing may be
 * missing: two pairs need four cores or two nodes. Onesided may be missing: an MPI library need not open windows.
 * Overlap may be missing: results before it have none, and nothing else is less certain. */
static int check_missing(struct mpg_check *c, struct mpg_error *err)
{
    char text[256] = "";
    size_t used = 0, missing = 0;
    for (int b = 0; b < MPG_BENCHMARKS; b++) {
        if (c->there[b] || b == MPG_BENCHMARK_FWQ || b == MPG_BENCHMARK_SHARING || b == MPG_BENCHMARK_ONE_SIDED ||
            b == MPG_BENCHMARK_OVERLAP)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", missing ? ", " : "",
                                 mpg_benchmark_name((enum mpg_benchmark)b));
        missing++;
    }
    return missing ? mpg_check_add_finding(c, MPG_FOUND_NO_RESULTS, MPG_MOVES_UNKNOWN, err, "no results of: %s", text)
                   : 0;
}

/* Returns the half width of the 95 % confidence interval of RATE's mean, relative to the mean; 0: unknown. Takes the
 * number of independent samples from the interval of the median. */
static double uncertainty(const struct mpg_distribution *rate)
{
    for (size_t i = 0; i < rate->intervals; i++) {
        const struct mpg_quantile_interval *interval = &rate->interval[i];
        double n = fmin(interval->independent, (double)rate->n);
        if (interval->p == 0.5 && n >= 1 && rate->mean > 0)
            return gsl_cdf_tdist_Pinv(1 - (1 - CONFIDENCE) / 2, fmax(1, interval->freedom)) * rate->sd / sqrt(n) / rate->mean;
    }
    return 0;
}

static int check_rates(struct mpg_check *c, const struct mpg_signature *sig,
                       struct mpg_error *err)
{
    char who[128] = "";
    if (c->rates_load >= 0 && c->rates_load <= MAX_LOAD)
        snprintf(who, sizeof who, " (other processes here used at most %.2f cores%s)", c->rates_load,
                 c->guest ? ": another guest of the host changes the speed" : "");
    for (size_t i = 0; i < sig->rates; i++) {
        const struct mpg_compute_rate *r = &sig->rate[i];
        double part = uncertainty(r->rate);
        if (part > MPG_RATES_MATTER &&
            mpg_check_add_finding(c, MPG_FOUND_RATES, part, err,
                            "compute: %.80s on core %d, with %d core%s at work: mean rate known only to +-%.0f %%, from %zu"
                            " repetitions%s", r->kernel, r->core, r->cores_at_once, r->cores_at_once == 1 ? "" : "s",
                            100 * part, r->rate->n, who) < 0)
            return -1;
    }
    return 0;
}

/* Returns a copy of TEXT, cut to the maximum length in a signature, for the caller to free; NULL: out of memory. */
static char *copy_text(const char *text)
{
    return strndup(text, MPG_LINE_MAX_BYTES);
}

/* Adds finding F to SIG, which has room for another finding. The text names the processes that disturbed the measurement, if
 * known. */
static int add_failure(const struct mpg_check *c, int f, struct mpg_signature *sig,
                       struct mpg_error *err)
{
    char *text = NULL;
    struct mpg_signature_failure *made = &sig->failure[sig->failures++];
    bool who = f == MPG_FOUND_LOAD && *c->busy && !strstr(c->found[f].text, c->busy);
    const char *before = who ? "; before, " : "", *busy = who ? c->busy : "";
    int status = c->found[f].times > 1
                     ? asprintf(&text, "%s%s%s; %zu further such case%s", c->found[f].text, before, busy,
                                c->found[f].times - 1, c->found[f].times == 2 ? "" : "s")
                     : asprintf(&text, "%s%s%s", c->found[f].text, before, busy);
    if (status < 0)
        return mpg_error_set(err, "out of memory");
    made->parts = checks[f].parts;
    made->moves = c->found[f].moves;
    made->check = copy_text(checks[f].name);
    made->found = copy_text(text);
    made->remedy = copy_text(checks[f].remedy);
    free(text);
    return made->check && made->found && made->remedy ? 0 : mpg_error_set(err, "out of memory");
}

int mpg_check_finish(struct mpg_check *c, struct mpg_signature *sig, struct mpg_error *err)
{
    if (check_missing(c, err) < 0 || mpg_check_modes(c, err) < 0 || check_rates(c, sig, err) < 0 ||
        mpg_check_paths(c, sig, err) < 0 || mpg_check_sharing(c, sig, err) < 0 ||
        mpg_check_one_sided(c, sig, err) < 0 || mpg_check_overlap(c, sig, err) < 0)
        return -1;
    if (!(sig->failure = calloc(MPG_FINDINGS, sizeof *sig->failure)))
        return mpg_error_set(err, "out of memory");
    sig->checks = MPG_FINDINGS;
    for (int f = 0; f < MPG_FINDINGS; f++)
        if (c->found[f].times > 0 && add_failure(c, f, sig, err) < 0)
            return -1;
    return 0;
}
