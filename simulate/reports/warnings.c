/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The warnings of an answer. Each kind of warning has a function. */
#include "config.h"

#include "simulate/reports/warnings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/units.h"
#include "graph/work/bound_hypotheses.h"
#include "simulate/reports/tasks.h"
#include "simulate/reports/trace_warnings.h"
#include "simulate/reports/report.h"
#include "trace/untraced.h"

void mpg_notes_add(struct mpg_notes *list, const char *topic, const char *format, ...)
{
    struct mpg_note *grown = realloc(list->line, (list->n + 1) * sizeof *grown);
    char *text;
    va_list args;
    va_start(args, format);
    list->line = grown ? grown : list->line;
    if (grown && vasprintf(&text, format, args) >= 0)
        list->line[list->n++] = (struct mpg_note){topic, text};
    else {
        list->failed = true;
        mpg_error_set(list->err, "out of memory");
    }
    va_end(args);
}

int mpg_notes_end(struct mpg_notes *list, struct mpg_error *err)
{
    if (list->failed && !list->err)
        mpg_error_set(err, "out of memory");
    list->err = NULL;
    return list->failed ? -1 : 0;
}

void mpg_notes_clear(struct mpg_notes *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->line[i].text);
    free(list->line);
    *list = (struct mpg_notes){0};
}

/* --- parts that a signature lacks --- */

static bool has_latency(const struct mpg_network_path *path)
{
    return path && path->latency.n > 0;
}

void mpg_warnings_describe_no_limit(const struct mpg_report *r, char *text, size_t size)
{
    const int64_t limit = r->options->graph.eager_limit_bytes;
    if (limit == INT64_MAX)
        snprintf(text, size, "standard sends never wait for their receiver (--eager-limit sets it)");
    else if (limit < 0)
        snprintf(text, size,
                 "the traced machine's is used, by which all standard sends wait for their receiver (--eager-limit sets it)");
    else
        snprintf(text, size, "the traced machine's is used, %" PRId64 " %s (--eager-limit sets it)", limit,
                 mpg_units_word((uint64_t)limit, "byte", "bytes"));
}

/* Adds the note that messages share ports and memory, unless --contention=none is given. */
static void add_sharing(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_shared_messages *s = &r->result->shared;
    char mean[32];
    if (s->are)
        mpg_notes_add(list, "sharing",
                      "messages share ports and memory by the signature's sharing curves: others delay %.3g %% of them, by %s on "
                      "average (--contention=none: as if each were alone)",
                      s->messages > 0 ? 100 * s->delayed / s->messages : 0,
                      mpg_units_format_time(mean, sizeof mean, s->delayed > 0 ? s->delay_ns / s->delayed : 0));
}

/* Warns of parts given neither by the target's signature nor by an option. */
static void add_missing_parts(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_perturbation *p = r->p;
    if (!p->target)
        return;
    const char *of_path = p->target->paths > 1 ? " on this path" : "";
    char no_limit[160];
    mpg_warnings_describe_no_limit(r, no_limit, sizeof no_limit);
    const struct {
        bool missing;
        const char *topic, *what, *where, *consequence;
    } parts[] = {
        {p->noise.n == 0 && p->target_cores == 0, "noise",
         p->noise_model == MPG_NOISE_REPLAY ? "detours"
         : p->noise_model == MPG_NOISE_ECDF ? "FTQ quanta"
                                            : "noise",
         "",
         "nothing interrupts the computation (mpgbench measures noise; --noise sets it)"},
        {p->latency.n == 0 && !has_latency(p->target_path), "latency", "latency", of_path,
         "messages take no longer than traced (mpgbench pingpong measures latency; --latency sets it)"},
        {p->byte.n == 0 && !mpg_perturbation_bytes_measured(p), "bandwidth", "bandwidth", of_path,
         "bytes take no longer than traced (mpgbench bandwidth measures the time of bytes; --byte sets it)"},
        {!r->given.eager_limit && !r->options->limit_shown &&
             (!p->target_path || p->target_path->eager_limit_bytes == MPG_EAGER_LIMIT_UNKNOWN),
         "eager limit", "eager limit", of_path,
         no_limit},
    };
    if (p->noise.n == 0 && p->target_cores > 0 && !p->target_noise.kind->has_detours &&
        p->noise_model == MPG_NOISE_ANY)
        mpg_notes_add(list, "noise",
                          "no detours in this signature: losses of its FTQ quanta are drawn instead, "
                          "quantum by quantum (mpgbench measures detours)");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].missing)
            mpg_notes_add(list, parts[i].topic, "no %s%s in this signature: %s",
                              parts[i].what, parts[i].where, parts[i].consequence);
}

/* Returns, in words, the overheads missing in PATH; NULL: none. The time within sends can replace o_s. */
static const char *missing_overheads(const struct mpg_network_path *path)
{
    const bool sends = path->send_overhead.n + path->sender.n > 0;
    const bool receives = path->receive_overhead.n > 0;
    return sends && receives ? NULL
           : sends           ? "overheads of receives"
           : receives        ? "overheads of sends"
                             : "overheads of sends and receives";
}

/* Warns of missing costs of calls: overheads, and collectives if the trace has collectives. Costs of calls are used only together
 * with a signature's message times. */
static void add_missing_calls(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_perturbation *p = r->p;
    const struct mpg_graph_counts *c = &r->result->counts;
    const struct {
        const struct mpg_signature *sig;
        const struct mpg_network_path *path;
        const char *machine;
    } sides[] = {{p->target, p->target_path, "this"}, {p->source, p->source_path, "the source's"}};
    const int n = p->source && r->source->origin != MPG_SOURCE_TARGET ? 2 : 1;
    if (!p->target || !has_latency(p->target_path) || p->latency.n + p->byte.n > 0)
        return;
    for (int i = 0; i < n; i++) {
        const char *what = sides[i].path ? missing_overheads(sides[i].path) : NULL;
        if (what && c->messages > 0)
            mpg_notes_add(list, "overheads",
                              "no %s in %s signature: these calls keep their traced overhead "
                              "(mpgbench overhead measures overheads)",
                              what, sides[i].machine);
        if (sides[i].sig->collectives == 0 && c->collectives > 0 && !p->ignores_collectives)
            mpg_notes_add(list, "collectives",
                              "none in %s signature, and %" PRIu64 " in the trace: their messages are not scaled to "
                              "measured times (mpgbench collective measures collectives)",
                              sides[i].machine, c->collectives);
    }
}

/* Warns of parts that only the target's signature has, because without the source's part no difference can be computed. */
static void add_missing_source(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_perturbation *p = r->p;
    if (!p->source || !p->target)
        return;
    if (mpg_perturbation_noise_measured(p) && p->source_cores == 0)
        mpg_notes_add(list, "source",
                          "no noise in the source's signature: the source's noise stays in the "
                          "run");
    if (mpg_perturbation_latency_measured(p) && !has_latency(p->source_path))
        mpg_notes_add(list, "source",
                          "no latency in the source's signature: latency is the target's value "
                          "minus its minimum");
    if (mpg_perturbation_bytes_measured(p) && !mpg_perturbation_has_transfers(p->source_path))
        mpg_notes_add(list, "source",
                                 "no bandwidth in the source's signature: the time of bytes is the target's "
                                 "value minus its minimum");
}

/* --- failed checks of measurements --- */

/* Returns the parts of a signature used by the answer, as bits of enum mpg_signature_part, without the rates of computation. */
static int used_parts(const struct mpg_perturbation *p, bool path)
{
    return (mpg_perturbation_noise_measured(p) ? MPG_PART_NOISE : 0) |
           (path ? MPG_PART_MESSAGES : 0) |
           (mpg_perturbation_collectives_measured(p) ? MPG_PART_COLLECTIVES : 0);
}

/* Warns if the results of SIG (NULL: none) were not checked, or failed checks of PARTS, the parts that the answer uses. */
static void add_verdict(const struct mpg_signature *sig, int parts, const char *machine, struct mpg_notes *list)
{
    char concerns[512], path[512];
    if (!sig || parts == 0 || (sig->checks > 0 && sig->failures == 0))
        return;
    if (sig->checks == 0) {
        mpg_notes_add(list, MPG_TOPIC_QUALITY,
                                 "not checked: the signature of %s has no quality checks "
                                 "(make it again from its results with sigmake)", machine);
        return;
    }
    size_t n = mpg_signature_concerns(sig, parts, concerns, sizeof concerns);
    if (n == 0)
        return;
    mpg_notes_add(list, MPG_TOPIC_QUALITY,
                             "%zu of the %d quality checks of %s failed and affect this answer: %s; "
                             "'sigshow --all %s' says what to do", n, sig->checks, machine,
                             concerns, mpg_printable(path, sizeof path, sig->path));
}

static void add_verdicts(const struct mpg_report *r, struct mpg_notes *list)
{
    int parts = used_parts(r->p, mpg_report_uses_target_path(r));
    add_verdict(r->p->target, parts, "the target", list);
    parts = used_parts(r->p, mpg_report_uses_target_path(r) || r->result->floors_of_source);
    if (r->source->origin != MPG_SOURCE_TARGET) /* otherwise the target's signature, checked above */
        add_verdict(r->p->source, parts, r->source->origin == MPG_SOURCE_STORED ? "the source (stored in the trace)"
                                                                               : "the source", list);
}

/* --- options that replace other options, or change nothing --- */

/* Appends WORD to the list in TEXT. */
static void join(char *text, size_t size, const char *word)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", word);
}

static void add_replaced(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_perturbation *p = r->p;
    const struct mpg_network_path *path = p->target_path;
    char by[96] = "", what[96] = "";
    const struct {
        bool replaced;
        const char *by, *what;
    } parts[] = {
        {p->noise.n > 0 && p->target_cores > 0, "--noise", "noise"},
        {p->latency.n > 0 && has_latency(path), "--latency", "latency"},
        {p->byte.n > 0 && mpg_perturbation_has_transfers(path), "--byte", "bandwidth"},
        {r->given.eager_limit && path && path->eager_limit_bytes != MPG_EAGER_LIMIT_UNKNOWN,
         "--eager-limit", "eager limit"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].replaced) {
            join(by, sizeof by, parts[i].by);
            join(what, sizeof what, parts[i].what);
        }
    if (*by)
        mpg_notes_add(list, "replaced", "%s instead of the signature's %s%s", by,
                                 what,
                                 p->noise.n > 0 && p->target_cores > 0 &&
                                         !mpg_specs_are_for_all(&p->noise)
                                     ? ", also on ranks that --noise does not name: they have none"
                                     : "");
}

/* Returns whether the answer uses any part of the target's signature. */
static bool uses_target(const struct mpg_report *r)
{
    const struct mpg_perturbation *p = r->p;
    return mpg_perturbation_noise_measured(p) || mpg_report_uses_target_path(r);
}

static bool uses_source(const struct mpg_report *r)
{
    const struct mpg_perturbation *p = r->p;
    return (p->noise.n == 0 && p->target && p->source_cores > 0) ||
           (mpg_perturbation_latency_measured(p) && has_latency(p->source_path)) ||
           (mpg_perturbation_bytes_measured(p) && mpg_perturbation_has_transfers(p->source_path)) ||
           r->result->floors_of_source;
}

/* Returns, in words, why the answer uses no part of the source's signature. */
static const char *why_not_source(const struct mpg_report *r)
{
    const struct mpg_perturbation *p = r->p;
    if (!p->target)
        return "the source is subtracted from a --signature, and none is given";
    return uses_target(r) && (mpg_perturbation_noise_measured(p) ||
                              mpg_perturbation_latency_measured(p) ||
                              mpg_perturbation_bytes_measured(p))
               ? "it lacks all parts of the target's signature that are used"
               : "options replace all of the target's values";
}

static void add_unused_files(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_perturbation *p = r->p;
    if (p->target && !uses_target(r))
        mpg_notes_add(list, "signature", "no part of --signature is used");
    if (p->source && !uses_source(r))
        mpg_notes_add(list, "source", "no part of --source is used: %s",
                          why_not_source(r));
    if (r->given.path && !mpg_report_uses_target_path(r))
        mpg_notes_add(list, "path",
                                 "--map=path changes nothing: no latency, bandwidth or eager limit of "
                                 "the signature is used");
}

static bool drops_some(const struct mpg_report *r)
{
    const struct mpg_bound_hypotheses *x = r->options->graph.bound;
    const struct mpg_hypotheses *list = x ? mpg_bound_list(x) : NULL;
    for (size_t i = 0; list && i < list->n; i++)
        if (list->item[i].kind == MPG_HYPOTHESIS_DROP)
            return true;
    return false;
}

/* Warns of --source=latency and --source=byte without effect: both give only minimum message times, used by few rules. */
static void add_unused_floors(const struct mpg_report *r, struct mpg_notes *list)
{
    if (!r->options->floors.has_source_cost)
        return;
    const char *names = r->given.source_latency && r->given.source_byte
                            ? "--source=latency and --source=byte"
                        : r->given.source_latency ? "--source=latency"
                                                  : "--source=byte";
    if (!r->result->floor_rule || r->result->counts.messages + r->result->counts.collectives == 0)
        mpg_notes_add(list, "minimum time", "%s without effect: %s", names,
            r->result->floor_rule
                ? drops_some(r) ? "hypotheses drop all messages and collectives" : "the trace has no messages"
                : "only --absorb=clock, or messages that become faster, need message times");
}

static void add_unused_draws(const struct mpg_report *r, struct mpg_notes *list)
{
    char names[64] = "";
    if (mpg_perturbation_is_random(r->p))
        return;
    if (r->given.replicas && r->options->replicas > 1)
        join(names, sizeof names, "--replicas");
    if (r->given.first_replica)
        join(names, sizeof names, "--replicas=first");
    if (r->given.seed)
        join(names, sizeof names, "--seed");
    if (*names)
        mpg_notes_add(list, "draws",
                                      "%s without effect: nothing is random, all replicas are the "
                                      "same",
                                      names);
}

/* --- missing data of the trace --- */

/* Warns of communication functions unknown to the tracer. */
static void add_untraced(const struct mpg_report *r, struct mpg_notes *list)
{
    struct mpg_untraced_calls untraced;
    if (mpg_untraced_find(r->trace, r->result->counts.unknown > 0, &untraced, list->err) < 0)
        list->failed = true;
    for (size_t i = 0; !list->failed && i < untraced.count; i++) {
        const struct mpg_untraced_call *c = &untraced.calls[i];
        char name[256];
        if (!c->local)
            mpg_notes_add(list, "not in trace",
                "%" PRIu64 " %s call%s on %" PRId32 " rank%s: their communication is missing "
                "in this answer",
                c->calls, mpg_printable_bytes(name, sizeof name, c->name, (size_t)c->length),
                c->calls == 1 ? "" : "s", c->ranks, c->ranks == 1 ? "" : "s");
    }
    mpg_untraced_clear(&untraced);
}

/* Warns of messages enlarged by hypotheses beyond all messages in the trace, if message times come only from the trace. */
static void add_unseen_sizes(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_bound_hypotheses *x = r->options->graph.bound;
    const struct mpg_hypotheses *all = x ? mpg_bound_list(x) : NULL;
    const double largest = r->result->counts.largest_bytes;
    if (!r->result->floor_rule || r->options->floors.has_source_cost || has_latency(r->p->source_path) ||
        mpg_flight_target_known(r->p))
        return;
    for (size_t i = 0; all && i < all->n; i++) {
        const struct mpg_hypothesis *h = &all->item[i];
        if (h->kind == MPG_HYPOTHESIS_EXCHANGE && (double)h->size_bytes > largest) {
            mpg_notes_add(list, "inserted", "'%s': the trace's largest message has %.0f bytes, and does not show the time of "
                                     "larger ones. Give --source (a signature of the traced machine), or --source=latency and "
                                     "--source=byte", h->text, largest);
            return;
        }
    }
}

static void add_unmet_options(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    const struct mpg_perturbation *p = r->p;
    int64_t limit = r->options->graph.eager_limit_bytes;
    bool network = p->latency.n > 0 || p->byte.n > 0 || r->given.eager_limit || r->given.path;
    if (network && c->messages + c->collectives + c->transfers == 0) {
        mpg_notes_add(list, "messages",
                                 "this trace has no messages and no collectives: options about "
                                 "messages have no effect");
        return;
    }
    if (r->given.eager_limit && c->synchronous_messages == 0 && c->expanded == 0)
        mpg_notes_add(list, "eager limit",
                                 "no message of the trace is larger than --eager-limit=%" PRId64
                                 ": none waits for its receiver",
                                 limit);
}

/* Warns of an option about collectives without effect, because collectives are simulated as rounds in any case. */
static void add_unused_rounds(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_perturbation *p = r->p;
    const bool given = p->latency.n + p->byte.n > 0;
    if (!r->collectives || strcmp(r->collectives, "rounds") != 0 || (!given && p->target->collectives > 0 &&
                                      r->result->counts.collectives > 0))
        return;
    mpg_notes_add(list, "collectives", "--collectives=rounds without effect: %s",
                             given ? "with --latency or --byte all are rounds"
                             : p->target->collectives == 0 ? "the signature has none"
                                                           : "the trace has none");
}

/* Warns of compute ratios for regions that the program never enters. */
static void add_unmet_regions(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_region_ratios *ratios = r->options->graph.ratios;
    for (size_t i = 0; ratios && i < ratios->n; i++)
        if (!*ratios->region[i].met)
            mpg_notes_add(list, "regions",
                              "--compute-ratio names '%s', which is no region of this trace: it "
                              "has no effect",
                              ratios->region[i].name);
}

static void add_unplaced(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    if (c->truncated > 0)
        mpg_notes_add(list, "truncated",
                          "%" PRIu64 " %s: %s received whole (--lenient)", c->truncated,
                          mpg_units_word(c->truncated, "message is longer than its receive buffer", "messages are longer than "
                                         "their receive buffers"),
                          c->truncated == 1 ? "it is" : "they are");
    if (c->unmatched + c->incomplete_ranks == 0)
        return;
    mpg_notes_add(list, "missing",
                             "%" PRIu64 " %s no partner and %" PRIu64 " %s no MPI_Finalize: the simulation continues "
                             "without them (--lenient)", c->unmatched,
                             mpg_units_word(c->unmatched, "operation has", "operations have"), c->incomplete_ranks,
                             mpg_units_word(c->incomplete_ranks, "rank", "ranks"));
}

/* Warns if the wait states of the traced run use an eager limit, but the predicted run's do not. */
static void add_waits(const struct mpg_report *r, struct mpg_notes *list)
{
    if (!r->waits || r->waits->limit != MPG_WAITS_LIMIT_FOUND ||
        !(mpg_waits_of_all(r->waits->run[0]).wait_ns[MPG_WAIT_LATE_RECEIVER] > 0))
        return;
    mpg_notes_add(list, "waits",
                             "no eager limit is known: traced late receivers follow the limit that the trace shows, "
                             "the predicted run has none (--eager-limit=%" PRId64 " applies to both)", r->waits->limit_bytes);
}

int mpg_warnings_gather(const struct mpg_report *r, struct mpg_notes *list,
                         struct mpg_error *err)
{
    static mpg_warning *const kinds[] = {
        add_untraced,      add_unplaced,       add_verdicts,       mpg_warn_source,  add_waits,         add_missing_parts,
        add_missing_calls, add_missing_source, mpg_warn_sizes,    mpg_warn_means,   mpg_warn_record,  mpg_warn_clocks,
        mpg_warn_cores,   mpg_warn_order,    mpg_warn_progress, mpg_warn_placement,  mpg_warn_answers, mpg_warn_partial,
        mpg_warn_windows, mpg_warn_target_progress,   mpg_warn_posted,   mpg_warn_threads, mpg_warn_shared,  mpg_warn_weak_sends,
        mpg_warn_resized, add_replaced,       add_unused_files,   add_unused_floors, add_unused_draws,  add_unmet_options,
        add_unmet_regions, add_unused_rounds,  add_unseen_sizes,  mpg_warn_tasks,
    };
    static mpg_warning *const predicted[] = {
        add_sharing,       mpg_warn_tasks,    add_untraced,      add_unplaced,         add_verdicts,
        mpg_predicted_missing, mpg_warn_sizes, mpg_warn_means,
        mpg_warn_record,  mpg_warn_order,   mpg_predicted_warnings, add_replaced,          add_unused_draws,  add_unmet_options,
        add_unmet_regions, add_unused_rounds, mpg_warn_answers,    mpg_warn_partial,     mpg_warn_windows,
        mpg_warn_target_progress,
        mpg_warn_posted,  mpg_warn_threads, mpg_warn_shared,     mpg_warn_resized,
    };
    const size_t n = r->result->predicted ? sizeof predicted / sizeof *predicted
                                          : sizeof kinds / sizeof *kinds;
    list->err = err;
    for (size_t i = 0; i < n; i++)
        (r->result->predicted ? predicted : kinds)[i](r, list);
    return mpg_notes_end(list, err);
}

int mpg_report_take_notes(struct mpg_report *r, struct mpg_notes *warnings, struct mpg_notes *assumed, struct mpg_error *err)
{
    r->warnings = warnings;
    r->assumed = assumed;
    return mpg_warnings_gather(r, warnings, err) < 0 ? -1 : mpg_assumptions_gather(r, assumed, err);
}
