/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds compute ratios, given as numbers, by kernels or by counters, for regions. */
#include "simulate/options/ratios.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double min = 1e-9, max = 1e9;

struct mpg_ratio {
    const char *text;
    char *what; /* the ratio as text, a number or kernel:NAME */
    char *region; /* region, in the memory of `what`; NULL: outside all named regions */
    bool is_kernel, is_counters;
    double value;
};

static int parse_one(struct mpg_ratio *x, const char *text, struct mpg_error *err)
{
    static const char kernel[] = "kernel:";
    *x = (struct mpg_ratio){.text = text, .what = strdup(text)};
    if (!x->what)
        return mpg_error_set(err, "out of memory");
    if ((x->region = strchr(x->what, '@')))
        *x->region++ = '\0';
    x->is_kernel = strncmp(x->what, kernel, sizeof kernel - 1) == 0;
    if ((x->region && !*x->region) || (x->is_kernel && !x->what[sizeof kernel - 1]))
        return mpg_error_set(err, "--compute-ratio: '%s' lacks a name", text);
    x->is_counters = strcmp(x->what, "counters") == 0;
    if (x->is_counters && x->region)
        return mpg_error_set(err, "--compute-ratio: counters are taken for all regions: leave out '@%s'", x->region);
    if (x->is_kernel || x->is_counters)
        return 0;
    char *end;
    errno = 0;
    x->value = strtod(x->what, &end);
    if (end == x->what || *end || errno || !(x->value >= min && x->value <= max))
        return mpg_error_set(err, "--compute-ratio: '%s' is neither a number from 1e-9 to 1e9 nor "
                                  "kernel:NAME nor counters", x->what);
    return 0;
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

int mpg_ratios_parse(struct mpg_ratios *r, const struct mpg_option_list *given,
                     struct mpg_error *err)
{
    *r = (struct mpg_ratios){.regions.base = 1};
    if (given->n == 0)
        return 0;
    r->ratio = calloc(given->n, sizeof *r->ratio);
    r->region = calloc(given->n, sizeof *r->region);
    r->met = calloc(given->n, sizeof *r->met);
    if (!r->ratio || !r->region || !r->met)
        return mpg_error_set(err, "out of memory");
    for (; r->given < given->n; r->given++) {
        struct mpg_ratio *x = &r->ratio[r->given];
        if (parse_one(x, given->item[r->given], err) < 0) {
            free(x->what);
            return -1;
        }
        for (size_t i = 0; i < r->given; i++)
            if (is_same(r->ratio[i].region, x->region)) {
                free(x->what);
                return mpg_error_set(err, "--compute-ratio: '%s' and '%s' are about the same",
                                     r->ratio[i].text, given->item[r->given]);
            }
    }
    return 0;
}

/* Returns the mean over cores of KERNEL's mean rate in SIG with BUSY cores at once; 0: not measured. */
static double rate_of(const struct mpg_signature *sig, const char *kernel, int busy)
{
    return mpg_core_rates_of(sig, kernel, busy).mean;
}

static int resolve_kernel(struct mpg_ratio *x, const struct mpg_ratio_sources *from, struct mpg_error *err)
{
    const char *name = strchr(x->what, ':') + 1;
    if (!from->target || !from->source)
        return mpg_error_set(err, "needs the rates of a %s, which is not given", from->target ? "source" : "--signature");
    const double target = rate_of(from->target, name, from->busy.target), source = rate_of(from->source, name, from->busy.source);
    if (!(target > 0 && source > 0))
        return mpg_error_set(err, "%s has no rates of '%s' (sigshow --all lists them)",
                             target > 0 ? from->source->path : from->target->path, name);
    x->value = source / target;
    if (!(x->value >= min && x->value <= max))
        return mpg_error_set(err, "the rates are too unlike");
    return 0;
}

static int blame_machine(const struct mpg_ratio *x, const struct mpg_parameters *machine, struct mpg_error *err)
{
    mpg_error_prefix(err, "'%s'", x->text);
    return mpg_parameters_set_key_error(machine, "MipsRatio", err);
}

/* --- from counters --- */

/* Sets *RATES to the rates of SIG with BUSY cores at once. Returns false if a rate is missing. */
static bool find_rates(const struct mpg_signature *sig, int busy, struct mpg_compute_rates *rates)
{
    if (!sig)
        return false;
    *rates = (struct mpg_compute_rates){rate_of(sig, "floating_point", busy), rate_of(sig, "integer", busy),
                                        rate_of(sig, "memory_bandwidth", busy), rate_of(sig, "memory_latency", busy)};
    return rates->floating > 0 && rates->integer > 0 && rates->bytes > 0 && rates->accesses > 0;
}

static void add_shares(struct mpg_compute_shares *sum, const struct mpg_compute_shares *x, double part)
{
    sum->floating += part * x->floating;
    sum->integer += part * x->integer;
    sum->bandwidth += part * x->bandwidth;
    sum->latency += part * x->latency;
}

/* Returns the time of the computation whose cycles were counted, ns. */
static double counted_ns(const struct mpg_counted *c)
{
    double sum_ns = 0;
    for (size_t i = 0; i < c->n; i++)
        sum_ns += c->region[i].cycles > 0 ? c->region[i].time_ns : 0;
    return sum_ns;
}

/* Sets the ratio of each counted region without a given ratio, and the ratio outside of all regions. Regions whose time or cycles
 * are 0 keep the ratio outside of all regions, and do not count in the means. */
static int resolve_counters(struct mpg_ratios *r, const struct mpg_ratio_sources *from, const struct mpg_compute_rates *source,
                            const struct mpg_compute_rates *target, struct mpg_error *err)
{
    const struct mpg_counted *c = from->counted;
    const double all_ns = counted_ns(c);
    struct mpg_region_ratio *region = realloc(r->region, (r->given + c->n) * sizeof *region);
    if (!region)
        return mpg_error_set(err, "out of memory");
    r->regions.region = r->region = region;
    bool *met = realloc(r->met, (r->given + c->n) * sizeof *met);
    if (!met)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < r->regions.n; i++)
        region[i].met = met + (region[i].met - r->met);
    r->met = met;
    r->counted = (struct mpg_counted_ratio){.is_used = true};
    for (size_t i = 0; i < c->n; i++) {
        const struct mpg_counted_region *x = &c->region[i];
        const struct mpg_compute_counts counts = {x->time_ns, x->instructions, x->cycles, x->misses,
                                                  c->knows_floating ? x->floating : -1};
        if (!(x->time_ns > 0 && x->cycles > 0))
            continue;
        const struct mpg_compute_shares shares = mpg_compute_shares_of(&counts, source, c->best_ipc);
        const double ratio = fmin(fmax(mpg_compute_shares_ratio(&shares, source, target), min), max);
        add_shares(&r->counted.shares, &shares, x->time_ns / all_ns);
        r->counted.ratio += ratio * x->time_ns / all_ns;
        if (x->string < 0)
            r->regions.base = ratio;
        if (x->string >= 0) {
            met[r->given + i] = true;
            region[r->regions.n++] =
                (struct mpg_region_ratio){mpg_trace_string(from->trace, x->string), ratio, &met[r->given + i]};
        }
    }
    return 0;
}

static int use_counters(struct mpg_ratios *r, const struct mpg_ratio_sources *from, bool asked, struct mpg_error *err)
{
    struct mpg_compute_rates source, target;
    if (!from->counted || from->counted->n == 0)
        return asked ? mpg_error_set(err, "--compute-ratio=counters: the trace lacks counters of instructions, cycles or "
                                          "last-level misses: record it with --papi=PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_L3_TCM")
                     : 0;
    const bool source_known = find_rates(from->source, from->busy.source, &source),
               target_known = find_rates(from->target, from->busy.target, &target);
    if (!source_known || !target_known)
        return asked ? mpg_error_set(err, "--compute-ratio=counters: the %s has no rates of all kernels (mpgbench compute)",
                                     source_known ? "target" : "source")
                     : 0;
    if (counted_ns(from->counted) == 0)
        return asked ? mpg_error_set(err, "--compute-ratio=counters: the trace's counters counted no cycles of computation") : 0;
    return asked || from->source != from->target ? resolve_counters(r, from, &source, &target, err) : 0;
}

/* --- all --- */

bool mpg_ratios_want_counters(const struct mpg_ratios *r)
{
    for (size_t i = 0; i < r->given; i++)
        if (r->ratio[i].is_counters)
            return true;
    return r->given == 0;
}

int mpg_ratios_resolve(struct mpg_ratios *r, const struct mpg_ratio_sources *from, struct mpg_error *err)
{
    const struct mpg_parameters *machine = from->machine;
    bool asked = false;
    r->regions.n = 0;
    r->regions.region = r->region;
    for (size_t i = 0; i < r->given; i++) {
        struct mpg_ratio *x = &r->ratio[i];
        asked = asked || x->is_counters;
        if (x->is_counters)
            continue;
        if (x->is_kernel && resolve_kernel(x, from, err) < 0)
            return machine && x->text == machine->mips_ratio
                       ? blame_machine(x, machine, err)
                       : mpg_error_prefix(err, "--compute-ratio=%s", x->text);
        if (x->region) {
            r->region[r->regions.n] = (struct mpg_region_ratio){x->region, x->value, &r->met[i]};
            r->regions.n++;
        } else
            r->regions.base = x->value;
    }
    return asked || (r->given == 0 && from->prefers_counters) ? use_counters(r, from, asked, err) : 0;
}

void mpg_ratios_clear(struct mpg_ratios *r)
{
    for (size_t i = 0; i < r->given; i++)
        free(r->ratio[i].what);
    free(r->ratio);
    free(r->region);
    free(r->met);
    *r = (struct mpg_ratios){0};
}

int mpg_ratios_of_kernels(const struct mpg_signature *target, const struct mpg_signature *source, struct mpg_busy_cores busy,
                          const char **min_kernel, double *min_ratio, const char **largest_kernel, double *largest_ratio)
{
    int n = 0;
    if (!target || !source || (target == source && busy.target == busy.source))
        return 0;
    for (size_t i = 0; i < target->rates; i++) {
        const char *kernel = target->rate[i].kernel;
        if (i > 0 && strcmp(kernel, target->rate[i - 1].kernel) == 0)
            continue;
        const struct mpg_core_rates there = mpg_core_rates_of(target, kernel, busy.target),
                                    here = mpg_core_rates_of(source, kernel, busy.source);
        const double shortest = here.min / there.max, longest = here.max / there.min;
        if (!(there.min > 0 && here.min > 0 && shortest >= min && longest <= max))
            continue;
        if (n == 0 || shortest < *min_ratio) {
            *min_ratio = shortest;
            *min_kernel = kernel;
        }
        if (n == 0 || longest > *largest_ratio) {
            *largest_ratio = longest;
            *largest_kernel = kernel;
        }
        n++;
    }
    return n;
}
