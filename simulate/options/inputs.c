/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the input files, and makes the settings from files and command line. */
#include "simulate/options/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "common/kind.h"
#include "common/output.h"
#include "graph/work/bound_hypotheses.h"
#include "history/history.h"
#include "simulate/evaluate/driver/scales.h"
#include "simulate/cache/cache.h"
#include "simulate/models/corrections.h"
#include "simulate/models/factors.h"
#include "simulate/models/quiet.h"
#include "simulate/models/resize.h"
#include "simulate/noise/removals.h"
#include "simulate/options/observed.h"
#include "simulate/processes/processes.h"
#include "simulate/rules.h"
#include "trace/cores.h"
#include "trace/untraced.h"

static int load_signature(const char *path, struct mpg_signature **sig, struct mpg_error *err)
{
    if (!path)
        return 0;
    if ((*sig = mpg_signature_load(path, err)))
        return mpg_complete_tails(*sig, err) < 0 ? -1 : mpg_bound_overheads(*sig, err);
    return mpg_kind_explain(path, MPG_FILE_SIGNATURE, err);
}

/* The files to be written, which must not be input files. */
struct outputs {
    size_t n;
    struct {
        const char *option, *path;
    } output[4];
};

static void add_output(struct outputs *all, const char *option, const char *path)
{
    all->output[all->n].option = option;
    all->output[all->n++].path = path;
}

static int spare(void *outputs, const char *role, const char *path, struct mpg_error *err)
{
    const struct outputs *all = outputs;
    (void)role;
    for (size_t i = 0; i < all->n; i++)
        if (mpg_output_differs_from_input(all->output[i].option, all->output[i].path, path, err) < 0)
            return -1;
    return 0;
}

/* Error: an output file is also an input, the history, or another output. */
static int check_outputs(const struct mpg_config *c, const char *trace, const struct mpg_setting *setting,
                         struct mpg_error *err)
{
    struct outputs all = {.output = {{"output", c->output.output}}, .n = 1};
    if (c->output.timeline)
        add_output(&all, "timeline", c->output.timeline);
    if (c->output.report)
        add_output(&all, "report", c->output.report);
    for (size_t i = 0; c->output.history && i < all.n; i++)
        if (mpg_output_same(all.output[i].path, c->output.history))
            return mpg_error_set(err, "--%s: %s is the history file", all.output[i].option, all.output[i].path);
    for (size_t i = 1; i < all.n; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(all.output[i].path, all.output[k].path) == 0 || mpg_output_same(all.output[i].path, all.output[k].path))
                return mpg_error_set(err, "--%s and %s%s both go to '%s'", all.output[i].option, k ? "--" : "",
                                     k ? all.output[k].option : "the answer", all.output[k].path);
    if (c->output.history)
        add_output(&all, "history", c->output.history);
    return spare(&all, "trace", trace, err) < 0 ? -1 : mpg_config_see_inputs(c, setting, spare, &all, err);
}

static const struct mpg_collective_table *expanded_by(const struct mpg_config *c, const struct mpg_files *f)
{
    return c->model.expand || c->model.expand_some ? f->table : NULL;
}

/* Loads the table of collective algorithms, if needed by any point of the sweep. */
static int load_table(const struct mpg_config *c, struct mpg_files *f, struct mpg_error *err)
{
    const bool expands_rest =
        c->model.expand_rest || (mpg_config_sweeps(c) && c->target.signatures.n > 0) || mpg_config_scales_messages(c);
    if (!c->model.expand && !expands_rest && !c->model.expand_some && !c->model.has_weak_progress)
        return 0;
    f->table =
        c->model.collective_table ? mpg_collective_table_read(c->model.collective_table, err) : mpg_collective_table_default(err);
    return f->table ? 0 : -1;
}

static int load_targets(const struct mpg_config *c, struct mpg_files *f, struct mpg_error *err)
{
    const size_t n = c->target.signatures.n;
    if (!(f->target = calloc(n > 0 ? n : 1, sizeof *f->target)))
        return mpg_error_set(err, "out of memory");
    if (n == 0)
        f->targets = 1;
    for (; f->targets < n; f->targets++)
        if (load_signature(c->target.signatures.item[f->targets], &f->target[f->targets], err) < 0)
            return -1;
    return 0;
}

/* Binds hypotheses about messages, in one pass over the trace that finds the posted operations to drop. Error: a hypothesis
 * selects nothing. */
static int learn(const struct mpg_files *f, const struct mpg_config *c, struct mpg_error *err)
{
    const struct mpg_graph_options options = {.bound = f->bound,
                                              .active = mpg_bound_all(f->bound),
                                              .of_target = c->target.predict,
                                              .expand = expanded_by(c, f),
                                              .expand_some = c->model.expand_some,
                                              .eager_limit_bytes = INT64_MAX,
                                              .source_eager_limit_bytes = INT64_MAX,
                                              .lenient = c->model.lenient};
    return mpg_graph_learn(f->trace, &options, err);
}

static int bind_hypotheses(struct mpg_files *f, const struct mpg_config *c, struct mpg_error *err)
{
    if (!(f->bound = mpg_bound_new(f->trace, &c->change.hypotheses, err)))
        return -1;
    const uint64_t all = mpg_bound_all(f->bound);
    return mpg_bound_of_messages(f->bound, all) ? learn(f, c, err) : 0;
}

/* Returns true if SIGNATURE states the eager limit of each path. */
static bool has_limits(const struct mpg_signature *signature)
{
    size_t i = 0;
    while (signature && i < signature->paths && signature->network[i].eager_limit_bytes != MPG_EAGER_LIMIT_UNKNOWN)
        i++;
    return signature && i > 0 && i == signature->paths;
}

/* Returns true if traced times are compared with other times: waiting in the trace then matters. */
static bool compares_times(const struct mpg_config *c, const struct mpg_simulation_options *o)
{
    return c->target.predict || !o->absorb_given || o->absorb == MPG_ABSORB_CLOCK;
}

/* Returns true if, with hypotheses, the eager limit must be found from the trace: neither an option nor the source given by
 * --source gives a limit, and a target has no limit. */
static bool needs_observed_limit(const struct mpg_files *f, const struct mpg_config *c)
{
    size_t i = 0;
    if (c->given.eager_limit || c->given.source_eager_limit || has_limits(f->given_source))
        return false;
    while (i < f->targets && has_limits(f->target[i]))
        i++;
    return i < f->targets;
}

static int read_files(struct mpg_files *f, const struct mpg_config *c, const char *trace, const struct mpg_setting *setting,
                      struct mpg_error *err)
{
    if (check_outputs(c, trace, setting, err) < 0 || load_table(c, f, err) < 0 || load_targets(c, f, err) < 0 ||
        load_signature(c->source.file, &f->given_source, err) < 0 || !(f->trace = mpg_excerpt_open(trace, &c->excerpt, err)))
        return -1;
    return c->target.predict && !c->target.both ? 0 : mpg_trace_need_times(f->trace, "the traced run that is perturbed", err);
}

static int add_digest(void *digest, const char *role, const char *path, struct mpg_error *err)
{
    uint64_t *all = digest;
    char sum[40] = ""; /* zeros after the text, because all 40 bytes enter the digest */
    (void)err;
    mpg_history_checksum(path, sum);
    *all = mpg_processes_digest(mpg_processes_digest(*all, role, strlen(role)), sum, sizeof sum);
    return 0;
}

/* Checks that all processes have read equal files, because a folder may be local to each host. STATUS: success of this
 * process. */
static int agree_on_files(const struct mpg_files *f, const struct mpg_config *c, const struct mpg_setting *setting, int status,
                          struct mpg_error *err)
{
    struct mpg_processes *p = setting->simulation.processes;
    uint64_t trace = 0, others = 1;
    if (!p || !p->messenger)
        return status;
    if (status == 0) {
        (void)mpg_trace_sum(f->trace, &trace);
        trace = mpg_processes_digest(1, &trace, sizeof trace);
        status = mpg_config_see_inputs(c, setting, add_digest, &others, err);
    }
    if (mpg_processes_agree(p, status, trace, err) < 0)
        return -1;
    return mpg_processes_agree_on(p, "other contents of a file that an option names", 0, others, err);
}

int mpg_files_open(struct mpg_files *f, const struct mpg_config *c, const char *trace,
                   const struct mpg_setting *setting, struct mpg_error *err)
{
    *f = (struct mpg_files){.observed = {INT64_MAX, mpg_no_weak_progress}};
    if (agree_on_files(f, c, setting, read_files(f, c, trace, setting, err), err) < 0 || !(f->removals = mpg_removals_new(err)))
        return -1;
    if (!c->cache && !c->output.output_trace && !mpg_trace_is_excerpt(f->trace))
        f->cache = mpg_cache_open(f->trace, mpg_processes_first(setting->simulation.processes));
    if (c->target.signatures.n > 0 && mpg_ratios_want_counters(&setting->ratios) &&
        mpg_count_regions(f->trace, &f->counted, err) < 0)
        return -1;
    if (c->change.hypotheses.n == 0)
        return 0;
    if (bind_hypotheses(f, c, err) < 0)
        return -1;
    if (compares_times(c, &setting->simulation))
        f->observed = mpg_observed_find(f->trace, f->table, c->model.lenient);
    if (!c->model.has_weak_progress)
        f->observed.weak = mpg_no_weak_progress;
    if (!needs_observed_limit(f, c))
        f->observed.limit_bytes = INT64_MAX;
    return 0;
}

/* Adds to ERR that messages of TRACE could not be matched because calls are missing in TRACE. */
static void add_untraced(struct mpg_trace *trace, struct mpg_error *err)
{
    struct mpg_untraced_calls list;
    char words[512];
    size_t used = strlen(err->text);
    if (mpg_untraced_find(trace, true, &list, NULL) == 0 &&
        mpg_untraced_words(&list, words, sizeof words))
        snprintf(err->text + used, sizeof err->text - used,
                 "; the trace misses %s, which the tracer did not know", words);
    mpg_untraced_clear(&list);
}

int mpg_files_explain(const struct mpg_files *files, const struct mpg_processes *processes,
                      struct mpg_error *err)
{
    if (processes->failed)
        return -1;
    mpg_trace_prefix_call(files->trace, err);
    add_untraced(files->trace, err);
    return -1;
}

void mpg_files_close(struct mpg_files *f)
{
    for (size_t i = 0; i < f->targets; i++)
        mpg_signature_free(f->target[i]);
    free(f->target);
    mpg_signature_free(f->given_source);
    mpg_cache_close(f->cache);
    mpg_removals_free(f->removals);
    mpg_bound_free(f->bound);
    mpg_counted_clear(&f->counted);
    mpg_trace_close(f->trace);
    mpg_collective_table_free(f->table);
    *f = (struct mpg_files){0};
}

/* --- placement of ranks --- */

int32_t mpg_setting_node(const struct mpg_placement *places, const struct mpg_trace *trace, int32_t rank)
{
    return places && places->ranks > 0 ? places->node[rank] : mpg_trace_host(trace, rank);
}

/* Returns the source's node of each rank: by --source=map, else the host in TRACE. *NAMED: whether nodes are given or recorded.
 * The caller frees the array; NULL: out of memory. */
static int32_t *source_nodes(const struct mpg_config *c, const struct mpg_trace *trace, const struct mpg_setting *in, bool *named,
                             struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(trace);
    int32_t *node = malloc((size_t)ranks * sizeof *node);
    *named = c->source.map != NULL;
    if (!node)
        mpg_error_set(err, "out of memory");
    for (int32_t i = 0; node && i < ranks; i++) {
        node[i] = mpg_setting_node(c->source.map ? &in->source_placement : NULL, trace, i);
        *named = *named || mpg_trace_find_fact(trace, i, "host");
    }
    return node;
}

/* Places noise on nodes, and counts the ranks of the fullest node. Without --map the target has the source's nodes. */
static int place_noise(const struct mpg_config *c, const struct mpg_trace *trace,
                       struct mpg_setting *in, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(trace);
    bool named;
    int status;
    in->threads = mpg_rank_threads_new(trace, &status, err);
    if (status < 0)
        return -1;
    in->p.threads = in->threads;
    in->simulation.graph.parallel = in->threads ? in->threads->rank : NULL;
    int32_t *source = source_nodes(c, trace, in, &named, err);
    if (!source)
        return -1;
    const bool placed = in->placement.ranks > 0;
    const int32_t *target = placed ? in->placement.node : source;
    in->busy.source = named ? mpg_busy_cores_of(source, ranks) : 0;
    in->busy.target = placed || named ? mpg_busy_cores_of(target, ranks) : 0;
    status = mpg_perturbation_noise_location(&in->p, ranks, target, source, c->model.cosched, err);
    free(source);
    return status;
}

/* Places the ranks on the source: by --source=map; or, if paths are requested, by the hosts in the trace. */
static int place_source(const struct mpg_config *c, const struct mpg_trace *trace,
                        struct mpg_setting *in, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(trace);
    bool named;
    if (c->source.map)
        return mpg_placement_parse(&in->source_placement, "source=map", c->source.map, ranks, err);
    if (!c->target.map || c->target.predict)
        return 0;
    int32_t *host = source_nodes(c, trace, in, &named, err);
    if (!host)
        return -1;
    const int status = named ? mpg_placement_of_hosts(&in->source_placement, host, ranks, err) : 0;
    free(host);
    return status;
}

/* Returns the source's path without a placement: the path of the target's class, else the farthest path. */
static const struct mpg_network_path *unplaced_source_path(const struct mpg_config *c,
                                                           const struct mpg_setting *in)
{
    const struct mpg_network_path *target = c->target.path == MPG_PATHS
                                                ? mpg_signature_farthest(in->target)
                                                : mpg_signature_path(in->target, c->target.path);
    const struct mpg_network_path *path =
        target ? mpg_signature_path(in->source.signature, target->path) : NULL;
    return path ? path : mpg_signature_farthest(in->source.signature);
}

/* Returns the path of messages on the source. In perturb mode: the path between the farthest ranks; NULL: unknown placement. In
 * predict mode with --map, which does not apply to the source: the path without a placement; NULL: no --map. */
static const struct mpg_network_path *source_path(const struct mpg_config *c,
                                                  const struct mpg_setting *in)
{
    if (c->target.predict && c->target.map && in->target && in->source.signature)
        return unplaced_source_path(c, in);
    const bool says = !c->target.predict && in->source.signature && in->source_placement.ranks > 0;
    return says ? mpg_placement_path(in->source.signature, in->source_placement.farthest) : NULL;
}

/* Returns the path class of messages: as given, or the class of the farthest ranks by --map; MPG_PATHS: the farthest class
 * measured. */
static enum mpg_path_class path_class(const struct mpg_config *c, const struct mpg_setting *in)
{
    if (in->placement.ranks == 0 || !in->target)
        return c->target.path;
    const struct mpg_network_path *path = mpg_placement_path(in->target, in->placement.farthest);
    return path ? path->path : c->target.path;
}

/* Error: ranks shared cores, and the trace has no CPU times to tell work from waiting for a core. */
static int check_cores(const struct mpg_config *c, const struct mpg_trace *trace, struct mpg_error *err)
{
    struct mpg_host_cores *host;
    size_t n, crowded = 0;
    int32_t lacking = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(trace); r++)
        lacking += mpg_trace_find_value(trace, r, "cpu_ns") < 0;
    if (c->target.work || lacking == 0)
        return 0;
    if (mpg_trace_cores(trace, &host, &n, err) < 0)
        return -1;
    while (crowded < n && host[crowded].crowded == 0)
        crowded++;
    int status = 0;
    if (crowded < n)
        status = mpg_error_set(err, "%s: %d ranks had %.3g core%s, and the trace has no CPU times: computation cannot be "
                                    "told from waiting for a core. Record with mpgtrace record --cpu-time, or count all "
                                    "time between calls as computation (--target=work=wall)",
                               mpg_trace_path(trace), (int)host[crowded].crowded, host[crowded].room,
                               host[crowded].room == 1 ? "" : "s");
    free(host);
    return status;
}

/* Places ranks on the hosts of a parametric target: the nodes of --map, if the signature has the costs of messages; otherwise the
 * target's clusters. */
static int place_hosts(const struct mpg_config *c, struct mpg_setting *in, struct mpg_error *err)
{
    if (c->target.machine && in->placement.ranks > 0)
        mpg_processors_use_nodes(&in->processors, in->placement.node);
    return c->target.machine ? mpg_processors_check_hosts(&in->processors, c->target.machine, err) : 0;
}

static int resolve_ratios(struct mpg_setting *in, const struct mpg_config *c, const struct mpg_files *f, struct mpg_error *err)
{
    const struct mpg_ratio_sources from = {.target = in->target, .source = in->source.signature, .busy = in->busy,
                                           .machine = c->target.machine, .trace = f->trace, .counted = &f->counted,
                                           .prefers_counters = c->target.predict && !c->target.machine};
    return mpg_ratios_resolve(&in->ratios, &from, err);
}

/* Replaces the target by a copy without the noise of the causes named by --without-noise. */
static int take_noise_out(struct mpg_setting *in, const struct mpg_config *c, struct mpg_error *err)
{
    if (c->change.quiet.n == 0)
        return 0;
    in->quiet = mpg_quiet_make(in->target, &c->change.quiet, err);
    in->target = in->quiet;
    return in->quiet ? 0 : -1;
}

static int read_setting(struct mpg_setting *in, const struct mpg_config *c, const struct mpg_files *f,
                        struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(f->trace);
    struct mpg_perturbation *p = &in->p;
    p->processors = &in->processors;
    if (c->target.machine &&
        (check_cores(c, f->trace, err) < 0 || mpg_processors_init(&in->processors, c->target.machine, ranks, err) < 0))
        return -1;
    if (mpg_source_find(&in->source, f->trace, in->target, f->given_source,
                        c->source.none, err) < 0 ||
        take_noise_out(in, c, err) < 0 || mpg_setting_scale_messages(in, in->target, err) < 0 ||
        (c->target.map && mpg_placement_parse(&in->placement, "map", c->target.map, ranks, err) < 0) ||
        place_hosts(c, in, err) < 0 || place_source(c, f->trace, in, err) < 0 ||
        mpg_perturbation_use(p, in->target, in->source.signature, path_class(c, in),
                             source_path(c, in), err) < 0 ||
        mpg_setting_check_noise(in, c, err) < 0 || place_noise(c, f->trace, in, err) < 0)
        return -1;
    return resolve_ratios(in, c, f, err) < 0 ? -1 : mpg_setting_check_ranks(c, p, ranks, err);
}

static void clear_setting(struct mpg_setting *in)
{
    const struct mpg_specs none = {0};
    struct mpg_perturbation *p = &in->p;
    if (in->borrows)
        p->noise = p->call_noise = p->latency = p->byte = none;
    mpg_perturbation_clear(p);
    mpg_rank_threads_free(in->threads);
    mpg_ratios_clear(&in->ratios);
}

void mpg_setting_close(struct mpg_setting *in)
{
    clear_setting(in);
    mpg_placement_clear(&in->placement);
    mpg_placement_clear(&in->source_placement);
    mpg_processors_clear(&in->processors);
    mpg_capacities_clear(&in->capacities);
    mpg_source_clear(&in->source);
    free(in->unexpanded.whole);
    mpg_factors_free(in->scaled);
    mpg_quiet_free(in->quiet);
    *in = (struct mpg_setting){0};
}

/* --- settings --- */

/* Sets *LIMIT_BYTES to PATH's eager limit. Returns false if unknown. */
static bool find_limit(const struct mpg_network_path *path, int64_t *limit_bytes)
{
    if (!path || path->eager_limit_bytes == MPG_EAGER_LIMIT_UNKNOWN)
        return false;
    *limit_bytes = path->eager_limit_bytes;
    return true;
}

/* Sets the eager limits of target and source: each machine's limit, otherwise the other machine's, otherwise OBSERVED_BYTES from
 * the trace; without a limit, no send is synchronous. */
static void set_limits(const struct mpg_config *c, const struct mpg_setting *in, int64_t observed_bytes,
                       struct mpg_simulation_options *o)
{
    int64_t target = INT64_MAX, source = INT64_MAX;
    const struct mpg_network_path *path = in->p.target_path;
    bool has_target = c->given.eager_limit || find_limit(path, &target);
    bool has_source = c->given.source_eager_limit || find_limit(in->p.source_path, &source);
    if (c->given.eager_limit)
        target = c->change.eager_limit;
    if (c->given.source_eager_limit)
        source = c->source.eager_limit;
    if (!has_target)
        target = has_source ? source : observed_bytes;
    o->limit_shown = !has_target && !has_source && observed_bytes != INT64_MAX;
    o->graph.eager_limit_bytes = target;
    o->graph.source_eager_limit_bytes = has_source ? source : target;
    o->source_limit = !has_target                ? MPG_LIMIT_OF_TARGET
                      : has_source               ? MPG_LIMIT_GIVEN
                      : c->given.eager_limit || !mpg_rule_holds(MPG_RULE_TRACE_LIMIT) ? MPG_LIMIT_OF_TARGET
                                                                                     : MPG_LIMIT_IN_TRACE;
}

static void set_ratios(struct mpg_setting *in)
{
    struct mpg_perturbation *p = &in->p;
    const struct mpg_region_ratios *ratios = &in->ratios.regions;
    p->counted_ratios = in->ratios.counted.is_used;
    p->compute_ratio = ratios->base;
    p->region_ratios = ratios->n > 0;
    for (size_t i = 0; i < ratios->n; i++)
        p->regions_differ |= ratios->region[i].ratio != 1;
}

static bool has_resizes(const struct mpg_config *c)
{
    bool has = false;
    for (size_t i = 0; i < c->change.hypotheses.n; i++)
        has = has || c->change.hypotheses.item[i].kind == MPG_HYPOTHESIS_RESIZE;
    return has;
}

/* Returns true if a hypothesis drops transfers for which a call waits. */
static bool drops_transfers(const struct mpg_config *c)
{
    bool drops = false;
    for (size_t i = 0; i < c->change.hypotheses.n; i++) {
        const struct mpg_hypothesis *h = &c->change.hypotheses.item[i];
        const bool is_named = h->kind == MPG_HYPOTHESIS_DROP && h->select.call != MPG_CALL_COUNT;
        drops = drops || (is_named && (mpg_call_kind(h->select.call) == MPG_KIND_RMA ||
                                       mpg_call_kind(h->select.call) == MPG_KIND_IRMA));
    }
    return drops;
}

bool mpg_setting_is_random(const struct mpg_setting *in, const struct mpg_perturbation *p)
{
    const struct mpg_simulation_options *o = &in->simulation;
    return (p->target && !o->predicts && (o->placement || o->source_placement)) || mpg_perturbation_is_random(p);
}

/* The MPI call of each operation measured as a whole. */
static const enum mpg_call whole_calls[MPG_OPERATIONS_WHOLE] = {[MPG_OPERATION_BARRIER] = MPG_CALL_Barrier,
                                                                [MPG_OPERATION_ALLREDUCE] = MPG_CALL_Allreduce,
                                                                [MPG_OPERATION_ALLGATHER] = MPG_CALL_Allgather,
                                                                [MPG_OPERATION_ALLTOALL] = MPG_CALL_Alltoall,
                                                                [MPG_OPERATION_REDUCE_SCATTER] = MPG_CALL_Reduce_scatter};

static int list_unexpanded(const struct mpg_perturbation *p, struct mpg_unexpanded *unexpanded, struct mpg_error *err)
{
    size_t max = 1;
    for (int k = 0; k < MPG_OPERATIONS_WHOLE; k++)
        max += p->meetings[k].n;
    if (!(unexpanded->whole = calloc(max, sizeof *unexpanded->whole)))
        return mpg_error_set(err, "out of memory");
    for (int k = 0; k < MPG_OPERATIONS_WHOLE; k++)
        for (size_t i = 0; i < p->meetings[k].n; i++) {
            struct mpg_unexpanded_kind *w = &unexpanded->whole[unexpanded->n++];
            *w = (struct mpg_unexpanded_kind){.call = whole_calls[k], .members = p->meetings[k].meeting[i].processes};
            mpg_measured_collective_sizes(&p->meetings[k].meeting[i], &w->from_bytes, &w->to_bytes);
        }
    return 0;
}

/* Decides which collectives are expanded, and sets the factors of the collectives' messages. The measured machine is target I of
 * F. */
static int set_collectives(const struct mpg_config *c, const struct mpg_files *f, size_t i, struct mpg_setting *in,
                           struct mpg_error *err)
{
    struct mpg_graph_options *graph = &in->simulation.graph;
    struct mpg_perturbation *p = &in->p;
    graph->expand = expanded_by(c, f);
    graph->expand_some = c->model.expand_some;
    const int64_t limit_bytes = graph->eager_limit_bytes;
    if (in->scaled && mpg_perturbation_multiply_collectives(p, in->scaled, f->target[i], f->table, limit_bytes, err) < 0)
        return -1;
    /* message times are unknown: factors cannot be computed */
    if (!c->model.expand_rest || mpg_flight_rule(p) == MPG_FLIGHT_NONE)
        return 0;
    graph->expand = f->table;
    graph->unexpanded = &in->unexpanded;
    if (list_unexpanded(p, &in->unexpanded, err) < 0)
        return -1;
    return mpg_perturbation_scale_collectives(p, f->table, limit_bytes, err);
}

static void set_options(const struct mpg_config *c, const struct mpg_files *f, struct mpg_setting *in)
{
    struct mpg_simulation_options *o = &in->simulation;
    struct mpg_perturbation *p = &in->p;
    set_ratios(in);
    o->graph.ratios = &in->ratios.regions;
    o->graph.lenient = c->model.lenient;
    o->graph.sync_reduce = mpg_option_has_word(&c->model.paper, MPG_PAPER_SYNC_REDUCE);
    o->deterministic = c->model.deterministic;
    o->horizon = (uint64_t)c->model.horizon;
    o->cache = f->cache;
    o->removals = f->removals;
    o->polling_ns = in->simulation.times.polling == MPG_POLLING_WAIT ? in->simulation.times.polling_interval_ns : -1;
    o->graph.bound = f->bound;
    o->graph.active = f->bound ? mpg_bound_all(f->bound) : 0;
    o->graph.of_target = c->target.predict;
    o->graph.progresses_in_calls = c->target.predict && !c->target.machine && mpg_rule_holds(MPG_RULE_PROGRESS);
    o->graph.marks = c->output.output_trace && f->bound && mpg_bound_of_work(f->bound, mpg_bound_all(f->bound));
    p->resizes = !c->target.predict && (has_resizes(c) || drops_transfers(c));
    p->source_byte_given = c->given.source_byte;
    p->source_byte_ns = c->source.byte_ns;
    p->changes_work = f->bound && mpg_bound_of_work(f->bound, o->graph.active);
    p->without_tracer = p->target && !mpg_option_has_word(&c->model.without, MPG_WITHOUT_TRACER) && !c->target.predict;
    set_limits(c, in, f->observed.limit_bytes, o);
    o->graph.weak = f->observed.weak;
    o->graph.has_weak_progress = mpg_weak_progress_any(&f->observed.weak);
    o->graph.nonblocking_table = c->model.has_weak_progress ? f->table : NULL;
    o->floors.has_source_cost = c->given.source_latency || c->given.source_byte;
    o->floors.latency_ns = c->source.latency_ns;
    o->floors.byte_ns = c->source.byte_ns;
    o->floors.source = p->source_path;
    o->first_replica = (uint32_t)c->first_replica;
    o->predicts = c->target.predict;
    o->placement = in->placement.ranks > 0 ? &in->placement : NULL;
    o->source_placement = in->source_placement.ranks > 0 && !c->target.predict ? &in->source_placement : NULL;
    const bool has_random_links = c->target.machine && mpg_spec_is_random(&c->target.machine->time[MPG_BACKGROUND]);
    o->replicas = c->given.replicas || has_random_links || mpg_setting_is_random(in, p) ? (uint32_t)c->replicas : 1;
}

/* Returns true if any rank has CPU times. */
static bool has_cpu_times(const struct mpg_trace *trace)
{
    for (int32_t r = 0; r < mpg_trace_ranks(trace); r++) {
        const char *values = mpg_trace_find_fact(trace, r, "values");
        if (values && strstr(values, "cpu_ns"))
            return true;
    }
    return false;
}

/* Returns true if all ranks of TRACE have recorded their time off the CPU. */
static bool knows_off_cpu(const struct mpg_trace *trace)
{
    for (int32_t r = 0; r < mpg_trace_ranks(trace); r++)
        if (!mpg_trace_find_fact(trace, r, "off_cpu"))
            return false;
    return true;
}

int mpg_setting_open(struct mpg_setting *in, const struct mpg_config *c, const struct mpg_files *f,
                     size_t i, struct mpg_error *err)
{
    in->target = f->target[i];
    in->p.predicts = c->target.predict;
    in->p.off_cpu_known = knows_off_cpu(f->trace);
    if (read_setting(in, c, f, err) < 0)
        return -1;
    if (mpg_trace_cut(f->trace) && !c->model.lenient)
        return mpg_error_set(err, "%s (--lenient reads the complete part)", mpg_trace_cut(f->trace));
    set_options(c, f, in);
    if (set_collectives(c, f, i, in, err) < 0)
        return -1;
    if (mpg_setting_share(in, c, f, i, err) < 0)
        return -1;
    if (!c->target.predict && has_resizes(c) && !mpg_resize_is_known(&in->p))
        return mpg_error_set(err, "resize: neither a source's signature nor --source=byte gives the time of a byte on the "
                           "traced machine (--predict needs neither)");
    return 0;
}

int mpg_setting_begin(struct mpg_setting *in, const struct mpg_config *c, const struct mpg_files *f,
                      uint32_t replicas, struct mpg_error *err)
{
    struct mpg_simulation_options *o = &in->simulation;
    struct mpg_perturbation *p = &in->p;
    o->replicas = replicas;
    p->every_path = c->target.predict || o->placement;
    p->every_source_path = o->source_placement != NULL;
    if (mpg_perturbation_measure(p, o->first_replica, replicas, err) < 0)
        return -1;
    /* with CPU times noise is separated from work even if both machines have equal noise records */
    p->same_noise = p->same_noise && !(c->target.predict && has_cpu_times(f->trace));
    return 0;
}

struct mpg_report mpg_setting_report(const struct mpg_setting *in, const struct mpg_config *c,
                                     const struct mpg_files *f, const struct mpg_perturbation *p,
                                     const struct mpg_simulation_options *options,
                                     const struct mpg_result *result)
{
    return (struct mpg_report){.trace = f->trace,
                               .p = p,
                               .source = &in->source,
                               .placement = in->placement.ranks > 0 ? &in->placement : NULL,
                               .source_placement = options->source_placement,
                               .map = c->target.map,
                               .source_map = c->source.map,
                               .collectives = mpg_collectives_word(c->model.collectives),
                               .collective_table = c->model.collective_table,
                               .times = &in->simulation.times,
                               .options = options,
                               .result = result,
                               .against_ns = c->target.against_ns,
                               .given = c->given};
}
