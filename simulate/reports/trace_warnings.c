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
        "none known (%s): the traced machine is taken for one without noise, and as fast as the "
        "target at its best. What it lost itself stays in the trace, and the target's comes on "
        "top (--source, or mpgtrace record --signature; --source=none if that is meant)",
        s->why);
}

/* --- sizes --- */

static int64_t greatest(const struct mpg_network_sizes *sizes)
{
    return sizes->n > 0 ? sizes->size[sizes->n - 1].size_bytes : -1;
}

/* Returns the largest measured size on PATH among the measurements that the answer uses; -1: none. */
static int64_t greatest_measured(const struct mpg_report *r, const struct mpg_network_path *path)
{
    int64_t most = -1;
    if (!path)
        return -1;
    if (mpg_perturbation_latency_measured(r->p))
        most = greatest(&path->latency);
    if (mpg_perturbation_bytes_measured(r->p) && greatest(&path->bandwidth) > most)
        most = greatest(&path->bandwidth);
    return most;
}

static void add_sizes(const struct mpg_report *r, const struct mpg_network_path *path,
                     const char *whose, struct mpg_notes *list)
{
    const int64_t measured = greatest_measured(r, path);
    const double most = r->result->counts.largest_bytes;
    char traced_text[32], measured_text[32];
    if (measured < 0 || most <= (double)measured)
        return;
    mpg_notes_add(list, "sizes",
        "messages of up to %s, and the network of %s was measured up to %s: beyond that it is "
        "taken to go on as between its last sizes (mpgbench --full measures more)",
        mpg_units_format_size(traced_text, sizeof traced_text, (int64_t)most), whose,
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
    double least_ns = INFINITY, run_ns = 0;
    char record[32], run[32];
    if (!mpg_perturbation_noise_measured(r->p) || mpg_perturbation_noise_unchanged(r->p))
        return;
    for (size_t i = 0; i < sig->cores; i++)
        if (sig->core[i].span_ns > 0)
            least_ns = fmin(least_ns, sig->core[i].span_ns);
    for (uint32_t w = 0; w < r->result->replicas; w++)
        run_ns = fmax(run_ns, r->result->run_ns[w]);
    if (!(least_ns < run_ns))
        return;
    mpg_notes_add(list, "noise",
        "its record of %s is shorter than the run of %s: it is repeated, and what the system does "
        "more rarely than once in it is not in this answer (mpgbench --full records more)",
        mpg_units_format_time(record, sizeof record, least_ns),
        mpg_units_format_time(run, sizeof run, run_ns));
}

void mpg_warn_clocks(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    char most[32];
    if (c->backward == 0 || r->result->clocks == MPG_CLOCK_NONE)
        return;
    mpg_notes_add(list, "clocks",
        "%" PRIu64 " of %" PRIu64 " %s before %s left, by up to %s: the traced "
        "clocks are wrong by as much. %s taken to have come at once%s",
        c->backward, c->messages, mpg_units_word(c->backward, "messages arrives", "messages arrive"),
        mpg_units_word(c->backward, "it", "they"), mpg_units_format_time(most, sizeof most, c->backward_ns),
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
            "%" PRId32 " ranks had %.3g core%s of %s when they were traced%s: they waited for each "
            "other's turns. That is in the trace as computation and as waiting for messages, and "
            "the answer is for a program that does so, too",
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
        "completed, received by polling): when times change, so may what meets what, and this "
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
        "%" PRIu64 " of %" PRIu64 " messages came to receivers that waited for them only once their sender called "
        "MPI_Wait... (%s, all together): what it computed until then is taken for their flight, which no hypothesis "
        "changes. --predict is the better question",
        c->held_messages, c->messages, mpg_units_format_time(waited, sizeof waited, c->held_ns));
}

/* Whether NS is more than a hundredth of all ranks' run times. */
static bool is_much(const struct mpg_report *r, double ns)
{
    return r->options->graph.bound && ns * 100 > mpg_result_recorded(r->result);
}

/* Warns if the trace does not show clearly whether some sends wait for a call of their receiver. */
void mpg_warn_weak_sends(const struct mpg_report *r, struct mpg_notes *list)
{
    char waited[32];
    const struct mpg_weak_progress *c = &r->options->graph.weak;
    if (!c->is_observed || r->result->clocks == MPG_CLOCK_NONE || !is_much(r, c->unexplained_ns))
        return;
    mpg_notes_add(list, "sends",
        "%" PRIu64 " sends waited until their receiver was in a call (%s, all together), and too many others of their "
        "size did not: what they waited is taken for their own time, which no hypothesis changes. --predict is the better "
        "question", c->unexplained, mpg_units_format_time(waited, sizeof waited, c->unexplained_ns));
}

/* Warns if the trace does not show whether sends of the resized sizes wait. */
void mpg_warn_resized(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    if (c->kept_waiting > 0)
        mpg_notes_add(list, "resized",
                          "%" PRIu64 " of the messages that are resized %s for a call of their receiver, as with the size "
                          "that they had; of the new one the trace does not show whether sends do. If they are done at "
                          "once, --without=weak-progress is the answer; a trace with messages of such sizes shows it",
                          c->kept_waiting, mpg_units_word(c->kept_waiting, "waits", "wait"));
    if (c->kept_leaving > 0)
        mpg_notes_add(list, "resized",
                          "%" PRIu64 " of the messages that are resized %s at once, as with the size that they "
                          "had; of the new one the trace does not show whether sends wait for their receiver. If "
                          "they do until their receive is posted, --eager-limit says so; whether they do for longer, as with "
                          "a library that moves them in its calls only, a trace with messages of such sizes shows",
                          c->kept_leaving, mpg_units_word(c->kept_leaving, "is done", "are done"));
}

void mpg_warn_windows(const struct mpg_report *r, struct mpg_notes *list)
{
    char took[32];
    const double ns = r->result->counts.alone_ns;
    if (is_much(r, ns))
        mpg_notes_add(
            list, "windows",
            "MPI_Win_start, transfers, locks and flushes took %s, all together: what they waited for, no hypothesis "
            "changes. mpgreplay with the same hypotheses makes the calls for real",
            mpg_units_format_time(took, sizeof took, ns));
}

/* Warns of waiting by load and store in shared windows, which is in no trace. */
void mpg_warn_shared(const struct mpg_report *r, struct mpg_notes *list)
{
    const uint64_t n = r->result->counts.shared_windows;
    if (n > 0 && r->result->ranks > 1)
        mpg_notes_add(
            list, "shared memory",
            "ranks made %" PRIu64 " %s of shared memory: where they wait for each other's stores there, that "
            "is in the trace as computation (between MPI_Win_syncs of one callsite as polling), which does not move with "
            "the other rank. Messages or barriers in place of such flags are followed",
            n, mpg_units_word(n, "window", "windows"));
}

/* Warns of waiting between threads outside of MPI, which is in no trace. */
void mpg_warn_threads(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_graph_options *graph = &r->options->graph;
    const uint64_t n = r->result->counts.threads;
    if (n == 0 || !graph->bound || !mpg_bound_of_work(graph->bound, graph->active))
        return;
    mpg_notes_add(list, "threads",
                      "%" PRIu64
                      " beside those that called MPI_Init: what threads of a rank waited for each other outside of MPI "
                      "(joins, barriers, locks) is in the trace as computation of no region, and no hypothesis changes it. "
                      "Regions that enclose what is waited for and the waiting (a parallel construct as a whole), of "
                      "one thread, are changed as one",
                      n);
}

/* Warns that another call may serve a transfer: the trace shows only the call that served the transfer in the traced
 * run. */
void mpg_warn_served(const struct mpg_report *r, struct mpg_notes *list)
{
    char waited[32];
    const double ns = r->result->counts.served_ns;
    if (is_much(r, ns))
        mpg_notes_add(list, "windows",
                          "transfers waited %s, all together, until their target was in a call that sees to them. "
                          "Here it is the same call; where the hypotheses have ranks come at about the same "
                          "time, it is an earlier or a later one, and the answer off by what lies between. "
                          "mpgreplay with the same hypotheses makes the calls for real",
                          mpg_units_format_time(waited, sizeof waited, ns));
}

void mpg_warn_posted(const struct mpg_report *r, struct mpg_notes *list)
{
    char took[32];
    const double ns = r->result->counts.posted_ns;
    if (!is_much(r, ns))
        return;
    const char *kept = r->result->predicted
                           ? "Predicted, they do not: if the changed program's calls come at other times, they may take as long. "
                             "mpgreplay with the same hypotheses makes the calls for real"
                           : "That is taken for their messages' flight, and for their own time, which no hypothesis changes. "
                             "--predict is the better question";
    mpg_notes_add(list, "collectives",
                      "calls that complete nonblocking ones still took %s, all together, when all members had posted, as with a "
                      "library that moves these in its calls only. %s",
                      mpg_units_format_time(took, sizeof took, ns), kept);
}

/* Warns of collectives that would be simulated as messages if no other option needed them whole. */
void mpg_warn_partial(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_graph_options *graph = &r->options->graph;
    const uint64_t n = r->result->counts.partial;
    if (!graph->bound || graph->expand || graph->sync_reduce || r->collectives || n == 0)
        return;
    const char *followed = r->extrapolation ? "without --target" : "with --predict, as one of them may be resized";
    mpg_notes_add(list, "collectives",
        "%" PRIu64 " with a root, or %s, wait for the root or the ranks before alone: what their members waited for each "
        "other in the trace no hypothesis changes. Their algorithms' messages are followed %s", n,
        n == 1 ? "a scan" : "scans", followed);
}

void mpg_warn_answers(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_result *q = r->result;
    if (!r->options->graph.bound || q->redone == 0)
        return;
    mpg_notes_add(list, "answers",
        "%" PRIu32 " of %" PRIu32 " %s the traced order: by the hypotheses a message that answers another one, or that "
        "a receive is waiting for, comes too late to be the same. Who is given work on request gets as much as in the trace, "
        "which the program would hand out anew",
        q->redone, q->replicas, q->redone == 1 ? "replicas keeps" : "replicas keep");
}
