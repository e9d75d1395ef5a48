/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a profile, one rank after another. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "scale/read/core_facts.h"
#include "scale/read/gather.h"
#include "trace/profile/profile.h"

static const struct mpg_site *site_of(const void *profile, int32_t site)
{
    return mpg_profile_site(profile, site);
}

static const struct mpg_module *module_of(const void *profile, int32_t module)
{
    return mpg_profile_module(profile, module);
}

static int keep_fact(const char *key, const char *value, const char *wanted, char **text, struct mpg_error *err)
{
    if (*text || strcmp(key, wanted) != 0 || (*text = strdup(value)))
        return 0;
    return mpg_error_set(err, "out of memory");
}

static int keep_facts(const struct mpg_profile *p, int32_t rank, struct scale_run *run, struct scale_core_facts *facts,
                      struct mpg_error *err)
{
    const char *key, *value, *host = NULL, *cores = NULL, *limit = NULL;
    for (size_t i = 0; mpg_profile_fact(p, i, &key, &value); i++) {
        if (keep_fact(key, value, "program", &run->program, err) < 0 ||
            keep_fact(key, value, "date", &run->date, err) < 0 || keep_fact(key, value, "host", &run->host, err) < 0)
            return -1;
        if (strcmp(key, "host") == 0)
            host = value;
        if (strcmp(key, "cores") == 0)
            cores = value;
        if (strcmp(key, "core_limit") == 0)
            limit = value;
    }
    return mpg_scale_core_facts_add(facts, rank, host, cores, limit, err);
}

static bool is_in_run(enum mpg_call call)
{
    const enum mpg_kind kind = mpg_call_kind(call);
    return kind > MPG_KIND_REGION_END && kind != MPG_KIND_INIT && kind != MPG_KIND_FINALIZE;
}

/* Returns whether ROW's total time lies, within 0.1 %, between the number of calls times the shortest call and the number of
 * calls times the longest call. */
static bool is_consistent(const struct mpg_profile_row *row)
{
    const double time_ns = (double)row->time_ns, count = (double)row->count;
    return time_ns >= 0.999 * count * (double)row->min_ns && time_ns <= 1.001 * count * (double)row->max_ns;
}

static int add_row(struct scale_gather *g, struct scale_run *run, const struct mpg_profile_row *row,
                   const char *names, uint32_t value_number, struct mpg_error *err)
{
    const struct scale_sum sum = {.count = row->count,
                                  .time_ns = (double)row->time_ns,
                                  .min_ns = (double)row->min_ns,
                                  .max_ns = (double)row->max_ns,
                                  .sent_bytes = (double)row->sent_bytes,
                                  .received_bytes = (double)row->received_bytes};
    if (!is_consistent(row))
        return mpg_error_set(err, "%" PRIu64 " calls of %" PRId64 " to %" PRId64 " ns are no %" PRId64 " ns (MPI_%s)",
                             row->count, row->min_ns, row->max_ns, row->time_ns, mpg_call_name(row->call));
    run->comm_ns += sum.time_ns;
    if (g->how->computation)
        return 0;
    if (row->site == MPG_OTHER_SITES)
        run->other_ns += sum.time_ns;
    const int64_t chain = mpg_scale_gather_find(g, mpg_call_plain(row->call), row->site, 0, NULL, err);
    if (chain < 0 || mpg_scale_gather_add(g, chain, &sum, err) < 0)
        return -1;
    return row->values ? mpg_scale_gather_count(g, chain, names, row->values, value_number, err) : 0;
}

/* Returns the names of the counters of P's current rank, separated by blanks; NULL: the rank has none. */
static const char *names_of(const struct mpg_profile *p)
{
    const char *key, *value;
    for (size_t i = 0; mpg_profile_fact(p, i, &key, &value); i++)
        if (strcmp(key, "values") == 0)
            return value;
    return NULL;
}

/* Adds a rank's computation: RUN_NS minus COMM_NS, the time in MPI calls. */
static int add_computation(struct scale_gather *g, struct scale_run *run, double run_ns, double comm_ns,
                           struct mpg_error *err)
{
    const double work_ns = run_ns > comm_ns ? run_ns - comm_ns : 0;
    const struct scale_sum sum = {1, work_ns, work_ns, work_ns, 0, 0};
    const int64_t chain = mpg_scale_gather_find_computation(g, -1, NULL, err);
    run->comp_ns += work_ns;
    return chain < 0 ? -1 : mpg_scale_gather_add(g, chain, &sum, err);
}

/* Adds a rank to run->times: RUN_NS of run time, including COMM_NS in MPI calls. end_efficiency() divides mean_compute_ns,
 * until then a sum, by the number of ranks. */
static void add_efficiency(struct scale_run *run, double run_ns, double comm_ns)
{
    const double compute_ns = fmax(0, run_ns - comm_ns);
    run->times.mean_compute_ns += compute_ns;
    run->times.max_compute_ns = fmax(run->times.max_compute_ns, compute_ns);
    run->times.run_ns = fmax(run->times.run_ns, run_ns);
}

static void end_efficiency(struct scale_run *run)
{
    run->times.ranks = run->ranks;
    run->times.mean_compute_ns /= run->ranks > 0 ? run->ranks : 1;
    run->times.ideal_ns = run->counters.instructions = run->counters.cycles = NAN;
}

static int add_rank(struct scale_gather *g, struct scale_run *run, struct scale_core_facts *facts,
                    const struct mpg_profile *p, const struct mpg_profile_rank *rank, struct mpg_error *err)
{
    const double run_ns = (double)(rank->run_ns - rank->paused_ns), before_ns = run->comm_ns;
    const char *names = names_of(p);
    uint64_t content = scale_mix((uint64_t)rank->rank, (uint64_t)rank->run_ns);
    if (rank->state == MPG_PROFILE_RUNNING)
        return mpg_error_set(err, rank->runs ? "it is still running" : "it died: the rest of its run is unknown");
    if (run_ns < 0)
        return mpg_error_set(err, "paused for longer than it ran");
    for (size_t i = 0; i < rank->row_number; i++) {
        const struct mpg_profile_row *row = &rank->rows[i];
        content = scale_mix(scale_mix(scale_mix(content, row->call), row->count), (uint64_t)row->time_ns);
        if (is_in_run(row->call) && add_row(g, run, row, names, rank->value_number, err) < 0)
            return -1;
    }
    if (g->how->computation && add_computation(g, run, run_ns, run->comm_ns - before_ns, err) < 0)
        return -1;
    mpg_scale_gather_end_rank(g, rank->rank);
    add_efficiency(run, run_ns, run->comm_ns - before_ns);
    run->content += content;
    run->ranks = rank->ranks;
    run->unfinished |= rank->state == MPG_PROFILE_ENDED;
    run->app_ns += run_ns;
    run->longest_ns = run_ns > run->longest_ns ? run_ns : run->longest_ns;
    return keep_facts(p, rank->rank, run, facts, err);
}

int mpg_scale_read_profile(struct scale_gather *g, struct scale_run *run, struct mpg_error *err)
{
    struct mpg_profile *p = mpg_profile_open(run->path, err);
    struct mpg_profile_rank rank = {0};
    struct scale_core_facts facts = {0};
    if (!p)
        return -1;
    const struct stat_callsites source = {p, site_of, module_of};
    int status = mpg_scale_gather_begin(g, &source, err);
    int more = 0;
    run->threads = 1;
    while (status == 0 && (more = mpg_profile_next(p, &rank, err)) > 0)
        if (add_rank(g, run, &facts, p, &rank, err) < 0)
            status = mpg_error_prefix(err, "rank %d", rank.rank);
    mpg_profile_close(p);
    end_efficiency(run);
    if (status == 0 && more == 0)
        status = mpg_scale_core_facts_judge(&facts, run, err);
    mpg_scale_core_facts_clear(&facts);
    return status < 0 || more < 0 ? -1 : 0;
}
