/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the noise of each core: FTQ and FWQ quanta, and kernel events during the measurement. */
#include "signature/make/collect_private.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns core ID of HOST in SIG, added if missing; cores ascend in host, then number. NULL: out of memory. */
static struct mpg_noise_core *find_core(struct mpg_signature *sig, const char *host, int64_t id,
                                        struct mpg_error *err)
{
    size_t i = 0;
    for (; i < sig->cores; i++) {
        int order = strcmp(sig->core[i].host, host);
        if (order > 0 || (order == 0 && sig->core[i].core >= id))
            break;
    }
    if (i < sig->cores && sig->core[i].core == id && strcmp(sig->core[i].host, host) == 0)
        return &sig->core[i];
    struct mpg_noise_core *grown = realloc(sig->core, (sig->cores + 1) * sizeof *grown);
    if (grown)
        sig->core = grown;
    char *copy = grown ? strdup(host) : NULL;
    if (!copy) {
        mpg_collect_no_memory(err);
        return NULL;
    }
    memmove(&grown[i + 1], &grown[i], (sig->cores - i) * sizeof *grown);
    grown[i] = (struct mpg_noise_core){.host = copy, .core = (int)id, .alone_lost = -1};
    sig->cores++;
    return &grown[i];
}

static int check_order(const struct mpg_results *r, struct mpg_error *err)
{
    const double *start_ns = r->column[MPG_COLUMN_START_NS];
    for (size_t i = 1; i < r->samples; i++)
        if (start_ns[i] < start_ns[i - 1])
            return mpg_error_set(err, "%s: quantum %zu starts before the one before it", r->path,
                                 i);
    return 0;
}

/* Returns whether R's quanta start at multiples of their length, which a spectrum requires. */
static bool equally_spaced(const struct mpg_results *r, double quantum_ns)
{
    const double *start_ns = r->column[MPG_COLUMN_START_NS];
    bool equal = true;
    for (size_t i = 0; i < r->samples; i++)
        equal = equal && fabs(start_ns[i] - start_ns[0] - (double)i * quantum_ns) <=
                             quantum_ns / 10;
    return equal;
}

/* Warns that a core's quanta were measured both alone and together with other cores: only the first file read counts. */
static int warn_measured_twice(struct mpg_collect *c, const struct mpg_results *r, struct mpg_error *err)
{
    return mpg_collect_warn(c, err, "%s: %s quanta of this core exist already, measured %s;"
                                    " this file is ignored", r->path,
                            mpg_benchmark_name(r->benchmark),
                            mpg_collect_is_together(r) ? "by itself" : "together with others");
}

static int add_ftq(struct mpg_collect *c, const struct mpg_results *r,
                   struct mpg_noise_core *core, struct mpg_error *err)
{
    const double *lost_ns = r->column[MPG_COLUMN_LOST_NS];
    if (core->ftq.lost_ns)
        return warn_measured_twice(c, r, err);
    if (check_order(r, err) < 0 ||
        mpg_results_number(r, "quantum_ns", 1, MPG_DISTRIBUTION_LIMIT, &core->ftq.quantum_ns,
                           err) < 0)
        return -1;
    if (mpg_collect_distribution(lost_ns, r->samples, true, &core->ftq.lost_ns, err) < 0)
        return mpg_error_prefix(err, "%s", r->path);
    if (!equally_spaced(r, core->ftq.quantum_ns))
        return mpg_collect_warn(c, err, "%s: quanta do not start every %g ns: no spectrum"
                                        " was computed", r->path, core->ftq.quantum_ns);
    if (mpg_collect_quanta(lost_ns, r->samples, core, err) < 0)
        return mpg_error_prefix(err, "%s", r->path);
    return 0;
}

/* Adds the lost time of fixed work: the recorded interruptions or, in older files without interruptions, each quantum's time
 * minus the fastest quantum's time. */
static int add_fwq(struct mpg_collect *c, const struct mpg_results *r,
                   struct mpg_noise_core *core, struct mpg_error *err)
{
    struct mpg_noise_quanta *fwq = &core->fwq;
    const double *lost_ns = r->column[MPG_COLUMN_LOST_NS];
    if (fwq->lost_ns)
        return warn_measured_twice(c, r, err);
    if (check_order(r, err) < 0 ||
        mpg_results_number(r, "work_ns", 1, MPG_DISTRIBUTION_LIMIT, &fwq->quantum_ns, err) < 0)
        return -1;
    double *lost = malloc(r->samples * sizeof *lost);
    if (!lost)
        return mpg_collect_no_memory(err);
    for (size_t i = 0; i < r->samples; i++)
        lost[i] = lost_ns ? lost_ns[i]
                       : fmax(0, r->column[MPG_COLUMN_DURATION_NS][i] - fwq->quantum_ns);
    int status = mpg_collect_distribution(lost, r->samples, true, &fwq->lost_ns, err);
    free(lost);
    return status < 0 ? mpg_error_prefix(err, "%s", r->path) : 0;
}

/* Adds the counts of events in R's header to CORE; keys begin with the benchmark's name. */
static int add_events(const struct mpg_results *r, struct mpg_noise_core *core,
                      struct mpg_error *err)
{
    static const char *const keys[] = {"context_switches", "cpu_migrations", "page_faults",
                                       "preemptions", "cpu_share", "off_cpu_ns", "speed_range",
                                       "speed_below_best", "steal_ns",
                                       "interrupts", "softirqs"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const char *value = mpg_collect_fact(r, keys[k]);
        char key[64];
        snprintf(key, sizeof key, "%s%s %s", mpg_benchmark_name(r->benchmark),
                 mpg_collect_is_together(r) ? " together" : "", keys[k]);
        if (value && mpg_fact_add(&core->event, &core->events, key, value, err) < 0)
            return mpg_error_prefix(err, "%s", r->path);
    }
    return 0;
}

int mpg_collect_add_noise(struct mpg_collect *c, const struct mpg_results *r, int64_t id,
                          struct mpg_error *err)
{
    struct mpg_noise_core *core = find_core(c->sig, mpg_collect_fact(r, "host"), id, err);
    double cores_at_once = 0;
    if (!core || add_events(r, core, err) < 0 ||
        (mpg_collect_fact(r, "cores_at_once") &&
         mpg_results_number(r, "cores_at_once", 1, INT32_MAX, &cores_at_once, err) < 0))
        return -1;
    if (core->cores_at_once < cores_at_once)
        core->cores_at_once = (int)cores_at_once;
    if (r->benchmark == MPG_BENCHMARK_DETOUR)
        return mpg_collect_add_detours(c, r, core, err);
    return r->benchmark == MPG_BENCHMARK_FTQ ? add_ftq(c, r, core, err) : add_fwq(c, r, core, err);
}

/* a signature of a single host names the host in the header; with several hosts each core names a host */
void mpg_collect_put_noise(struct mpg_collect *c)
{
    const char *hosts = mpg_fact_find(c->sig->fact, c->sig->facts, "host");
    for (size_t i = 0; i < c->sig->cores; i++) {
        struct mpg_noise_core *core = &c->sig->core[i];
        if (hosts && strcmp(core->host, hosts) == 0) {
            free(core->host);
            core->host = NULL;
        }
    }
}
