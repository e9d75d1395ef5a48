/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/trace_warnings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/printable.h"
#include "common/units.h"
#include "graph/work/bound_hypotheses.h"
#include "trace/cores.h"

void mpg_warn_source(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_source *s = r->source;
    if (s->origin != MPG_SOURCE_UNKNOWN || !r->p->target)
        return;
    mpg_notes_add(list, "source",
        "none known, and the target does not replace it (%s): the traced machine is assumed without noise, and as fast as the "
        "target at its best. Its noise stays in the run, and the target's noise is added "
        "(give --source, or record with mpgtrace record --signature; --source=none accepts this)",
        s->why);
}

/* --- sizes --- */

static int64_t greatest(const struct mpg_network_sizes *sizes)
{
    return sizes->n > 0 ? sizes->size[sizes->n - 1].size_bytes : -1;
}

/* Returns the largest size measured on PATH, bytes, among the measurements that the answer uses; -1: none. */
static int64_t greatest_measured(const struct mpg_report *r, const struct mpg_network_path *path)
{
    int64_t max = -1;
    if (!path)
        return -1;
    if (mpg_perturbation_latency_measured(r->p))
        max = greatest(&path->latency);
    if (mpg_perturbation_bytes_measured(r->p) && greatest(&path->bandwidth) > max)
        max = greatest(&path->bandwidth);
    return max;
}

static void add_sizes(const struct mpg_report *r, const struct mpg_network_path *path,
                     const char *whose, struct mpg_notes *list)
{
    const int64_t measured = greatest_measured(r, path);
    const double max = r->result->counts.largest_bytes;
    char traced_text[32], measured_text[32];
    if (measured < 0 || max <= (double)measured)
        return;
    mpg_notes_add(list, "sizes",
        "messages have up to %s, the network of %s was measured up to %s: larger messages "
        "continue the slope of the last measured sizes (mpgbench --full measures more)",
        mpg_units_format_size(traced_text, sizeof traced_text, (int64_t)max), whose,
        mpg_units_format_size(measured_text, sizeof measured_text, measured));
}

void mpg_warn_sizes(const struct mpg_report *r, struct mpg_notes *list)
{
    add_sizes(r, r->p->target_path, "the signature", list);
    if (r->source->origin != MPG_SOURCE_TARGET)
        add_sizes(r, r->p->source_path, "the source's signature", list);
}

/* --- time --- */

void mpg_warn_record(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_signature *sig = r->p->target;
    double min_ns = INFINITY, run_ns = 0;
    char record[32], run[32];
    if (!mpg_perturbation_noise_measured(r->p) || mpg_perturbation_noise_unchanged(r->p))
        return;
    for (size_t i = 0; i < sig->cores; i++)
        if (sig->core[i].span_ns > 0)
            min_ns = fmin(min_ns, sig->core[i].span_ns);
    for (uint32_t w = 0; w < r->result->replicas; w++)
        run_ns = fmax(run_ns, r->result->run_ns[w]);
    if (!(min_ns < run_ns))
        return;
    mpg_notes_add(list, "noise",
        "the record of %s is shorter than the run of %s and is repeated: rarer noise is missing "
        "in this answer (mpgbench --full records longer)",
        mpg_units_format_time(record, sizeof record, min_ns),
        mpg_units_format_time(run, sizeof run, run_ns));
}

void mpg_warn_clocks(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    char max[32];
    if (c->backward == 0 || r->result->clocks == MPG_CLOCK_NONE)
        return;
    mpg_notes_add(list, "clocks",
        "%" PRIu64 " of %" PRIu64 " %s before %s sent, by up to %s: the traced "
        "clocks are wrong by as much. %s assumed to arrive at once%s",
        c->backward, c->messages, mpg_units_word(c->backward, "messages arrives", "messages arrive"),
        mpg_units_word(c->backward, "it was", "they were"), mpg_units_format_time(max, sizeof max, c->backward_ns),
        mpg_units_word(c->backward, "It is", "They are"),
        r->result->absorb == MPG_ABSORB_CLOCK
            ? ", and early messages absorb too much or too little (--absorb=wait needs no clocks)"
            : "");
}

/* --- places --- */

void mpg_warn_cores(const struct mpg_report *r, struct mpg_notes *list)
{
    struct mpg_host_cores *host;
    size_t n, crowded = 0, first = 0;
    char name[256], others[64] = "";
    if (mpg_trace_cores(r->trace, &host, &n, list->err) < 0) {
        list->failed = true;
        return;
    }
    for (size_t i = n; i-- > 0;)
        if (host[i].crowded > 0) {
            crowded++;
            first = i;
        }
    if (crowded > 1)
        snprintf(others, sizeof others, ", and so on %zu more host%s", crowded - 1,
                 crowded > 2 ? "s" : "");
    if (crowded > 0)
        mpg_notes_add(list, "cores",
            "oversubscribed recording (%" PRId32 " ranks had %.3g core%s of %s%s): time-sharing is counted as "
            "computation and as waiting for messages. Record with --cpu-time and ask with "
            "--predict (--cores=N if ranks share cores on the target, too), or record with a core for each rank",
            host[first].crowded, host[first].room, host[first].room == 1 ? "" : "s",
            host[first].name ? mpg_printable(name, sizeof name, host[first].name) : "their host",
            others);
    free(host);
}

void mpg_warn_order(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    if (c->asynchronous == 0)
        return;
    mpg_notes_add(list, "asynchronous",
        "%" PRIu64 " of %" PRIu64 " messages %s waited for by neither side (sends that are never "
        "completed, received by polling): when times change, messages may match other receives; this "
        "answer keeps the traced order",
        c->asynchronous, c->messages, mpg_units_word(c->asynchronous, "is", "are"));
}

void mpg_warn_progress(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    char waited[32];
    if (!r->options->graph.bound || r->result->clocks == MPG_CLOCK_NONE ||
        r->options->graph.weak.requested_bytes < INT64_MAX || c->held_messages * 100 <= c->messages ||
        c->held_ns * 1000 <= mpg_result_recorded(r->result))
        return;
    mpg_notes_add(list, "progress",
        "%" PRIu64 " of %" PRIu64 " messages reached their waiting receivers only once the sender called "
        "MPI_Wait... (%s, all together): the sender's computation until then counts as message time, which no hypothesis "
        "changes. --predict is the better question",
        c->held_messages, c->messages, mpg_units_format_time(waited, sizeof waited, c->held_ns));
}

/* Returns whether NS is more than a hundredth of the sum of all ranks' run times. */
static bool is_much(const struct mpg_report *r, double ns)
{
    return r->options->graph.bound && ns * 100 > mpg_result_recorded(r->result);
}

/* Warns if the trace does not show clearly whether sends wait for a call of the receiver. */
void mpg_warn_weak_sends(const struct mpg_report *r, struct mpg_notes *list)
{
    char waited[32];
    const struct mpg_weak_progress *c = &r->options->graph.weak;
    if (!c->is_observed || r->result->clocks == MPG_CLOCK_NONE || !is_much(r, c->unexplained_ns))
        return;
    mpg_notes_add(list, "sends",
        "%" PRIu64 " sends waited until their receiver was inside MPI (%s, all together), and too many others of their "
        "size did not: this waiting counts as MPI overhead, which no hypothesis changes. --predict is the better "
        "question", c->unexplained, mpg_units_format_time(waited, sizeof waited, c->unexplained_ns));
}

/* Warns if the trace does not show whether sends of the resized sizes wait. */
void mpg_warn_resized(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    if (c->kept_waiting > 0)
        mpg_notes_add(list, "resized",
                          "%" PRIu64 " of the resized messages %s for a call of their receiver, as with the traced size; "
                          "for the new size the trace does not show whether they would. If such sends complete at "
                          "once, use --without=weak-progress; a trace with messages of the new size shows it",
                          c->kept_waiting, mpg_units_word(c->kept_waiting, "waits", "wait"));
    if (c->kept_leaving > 0)
        mpg_notes_add(list, "resized",
                          "%" PRIu64 " of the resized messages %s at once, as with the traced size; "
                          "for the new size the trace does not show whether sends wait for their receiver. If "
                          "sends wait for the post of their receive, give --eager-limit; longer waits, of "
                          "a library that progresses messages only inside MPI, show in a trace with messages of the new size",
                          c->kept_leaving, mpg_units_word(c->kept_leaving, "completes", "complete"));
}

void mpg_warn_windows(const struct mpg_report *r, struct mpg_notes *list)
{
    char took[32];
    const double ns = r->result->counts.alone_ns;
    if (is_much(r, ns))
        mpg_notes_add(
            list, "windows",
            "MPI_Win_start, transfers, locks and flushes took %s, all together: no hypothesis changes their "
            "waiting. mpgreplay with the same hypotheses makes the calls on a real machine",
            mpg_units_format_time(took, sizeof took, ns));
}

/* Warns of waiting by loads and stores in shared windows, which traces do not show. */
void mpg_warn_shared(const struct mpg_report *r, struct mpg_notes *list)
{
    const uint64_t n = r->result->counts.shared_windows;
    if (n > 0 && r->result->ranks > 1)
        mpg_notes_add(
            list, "shared memory",
            "ranks made %" PRIu64 " %s of shared memory: waiting for another rank's store there "
            "counts as computation (between MPI_Win_syncs of one callsite as polling) and does not depend on "
            "the other rank. Waiting for messages or barriers does",
            n, mpg_units_word(n, "window", "windows"));
}

/* Warns of waiting between threads outside of MPI, which traces do not show. */
void mpg_warn_threads(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_graph_options *graph = &r->options->graph;
    const uint64_t n = r->result->counts.threads;
    if (n == 0 || !graph->bound || !mpg_bound_of_work(graph->bound, graph->active))
        return;
    mpg_notes_add(list, "threads",
                      "%" PRIu64
                      " beside those that called MPI_Init: waiting of a rank's threads for each other outside of MPI "
                      "(joins, barriers, locks) counts as computation outside of regions, and no hypothesis changes it. "
                      "A region of one thread that encloses a whole parallel construct, with its waiting, "
                      "changes as a whole",
                      n);
}

/* Warns that in the changed run another call may serve a transfer; the trace shows only the serving call of the traced run. */
void mpg_warn_target_progress(const struct mpg_report *r, struct mpg_notes *list)
{
    char waited[32];
    const double ns = r->result->counts.served_ns;
    if (is_much(r, ns))
        mpg_notes_add(list, "windows",
                          "transfers waited %s, all together, until their target was inside MPI. "
                          "The same call of the target progresses them here; if the hypotheses change the order of "
                          "calls, another call does, and the answer is wrong by the time between both. "
                          "mpgreplay with the same hypotheses makes the calls on a real machine",
                          mpg_units_format_time(waited, sizeof waited, ns));
}

void mpg_warn_posted(const struct mpg_report *r, struct mpg_notes *list)
{
    char took[32];
    const double ns = r->result->counts.posted_ns;
    if (!is_much(r, ns))
        return;
    const char *kept = r->result->predicted
                           ? "The prediction has no such time: the changed program's calls may still take as long. "
                             "mpgreplay with the same hypotheses makes the calls on a real machine"
                           : "This time counts as message time and MPI overhead, which no hypothesis changes. "
                             "--predict is the better question";
    mpg_notes_add(list, "collectives",
                      "calls that complete nonblocking collectives still took %s, all together, after all members had posted, "
                      "as with a library that progresses collectives only inside MPI. %s",
                      mpg_units_format_time(took, sizeof took, ns), kept);
}

/* Warns of collectives that are not simulated as messages because another option needs whole collectives. */
void mpg_warn_partial(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_graph_options *graph = &r->options->graph;
    const uint64_t n = r->result->counts.partial;
    if (!graph->bound || graph->expand || graph->sync_reduce || r->collectives || n == 0)
        return;
    const char *followed = r->extrapolation ? "without --target" : "with --predict, as a collective may be resized";
    mpg_notes_add(list, "collectives",
        "%" PRIu64 " with a root, or %s: members wait only for the root or for lower ranks. No hypothesis changes the "
        "waiting for other members in the trace. The messages of their algorithms are followed %s", n,
        n == 1 ? "a scan" : "scans", followed);
}

void mpg_warn_answers(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_result *q = r->result;
    if (!r->options->graph.bound || q->redone == 0)
        return;
    mpg_notes_add(list, "answers",
        "%" PRIu32 " of %" PRIu32 " %s the traced order: with the hypotheses, a message would be sent before the message that it "
        "answers, or a receive would find no message. Dynamic work distribution is frozen: each worker gets as much work as in "
        "the trace",
        q->redone, q->replicas, q->redone == 1 ? "replicas keeps" : "replicas keep");
}
