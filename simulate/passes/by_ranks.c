/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/passes/by_ranks.h"

#include <pthread.h>
#include <stdlib.h>

#include "simulate/passes/private.h"

/* With fewer events a thread, or a rank, reopening the trace takes longer than evaluating the events. Approximate bytes of a rank
 * in the further traces, and the memory limit of the further traces. MPGKIT_EVENTS_A_PART sets another number of events, for
 * tests. */
enum { EVENTS_A_PART = 20000, EVENTS_A_RANK = 100, RANK_BYTES = 512, MORE_BYTES = 256 << 20 };

/* The thread of a part. */
struct part_reader {
    struct mpg_pass_config pass_config;
    struct mpg_graph_options options;
    const struct mpg_step_consumer *consumers;
    size_t n;
    struct mpg_passed passed;
    pthread_t thread;
};

static const char *indivisible_options(const struct mpg_graph_options *o)
{
    return o->choose                                   ? "calls choose among messages"
           : o->bound                                  ? "hypotheses apply"
           : o->has_weak_progress || o->observes_progress ? "messages progress weakly"
           : o->sync_reduce                            ? "members of a Reduce or Gather wait for the root"
           : !mpg_pass_can_be_read_in_threads(o)       ? "computation differs by region"
                                                       : NULL;
}

const char *mpg_pass_indivisible(const struct mpg_pass_config *pass_config, const struct mpg_passed *passed)
{
    const struct mpg_graph_counts *c = &passed->counts;
    const char *reason = indivisible_options(pass_config->graph);
    if (reason)
        return reason;
    return c->expanded > 0                                                     ? "collectives are expanded into messages"
           : c->transfers > 0 || c->transfers_alone > 0 || c->shared_windows > 0 ? "one-sided communication"
           : c->unmatched > 0                                                  ? "messages without receive"
                                                                               : NULL;
}

unsigned mpg_pass_parts(const struct mpg_trace *trace, unsigned processes, unsigned threads)
{
    const char *set = getenv("MPGKIT_EVENTS_A_PART");
    const double each = set ? atof(set) : EVENTS_A_PART, events = (double)mpg_trace_events(trace, -1);
    const double ranks = mpg_trace_ranks(trace);
    unsigned n = threads;
    if (!set && processes == 1 && events < ranks * EVENTS_A_RANK) /* processes also share the memory of ranks */
        return 0;
    while (n > 0 && (n * processes > MPG_PARTS_MAX || n * processes > ranks || events < each * (n * processes) ||
                     ranks * RANK_BYTES * n > MORE_BYTES))
        n--;
    return n;
}

static void *read_part(void *context)
{
    struct part_reader *x = context;
    struct mpg_error ignored; /* the caller makes the pass in another way, and meets the error again */
    x->pass_config.trace = mpg_pass_reopen(&x->pass_config);
    if (!x->pass_config.trace)
        mpg_rank_part_give_up(x->options.part, MPG_PARTS_TRACE);
    else if (mpg_pass_once(&x->pass_config, x->consumers, x->n, 0, &x->passed, &ignored) < 0)
        mpg_rank_part_give_up(x->options.part, MPG_PARTS_ERROR);
    mpg_trace_close(x->pass_config.trace);
    return NULL;
}

/* Runs the readers: the first in this thread, or, with several processes, all in other threads, because this thread is the
 * courier. A part whose thread the system refuses ends all parts. */
static void read_parts(struct part_reader *reader, unsigned n, struct mpg_rank_parts *parts, const struct mpg_together *together)
{
    const unsigned first = together ? 0 : 1;
    unsigned started = first;
    while (started < n && pthread_create(&reader[started].thread, NULL, read_part, &reader[started]) == 0)
        started++;
    if (started < n)
        mpg_rank_part_give_up(reader[0].options.part, MPG_PARTS_THREAD);
    if (together)
        mpg_rank_parts_carry(parts, &together->processes->messenger->post);
    else
        read_part(&reader[0]);
    for (unsigned i = first; i < started; i++)
        pthread_join(reader[i].thread, NULL);
}

/* Sums up the findings of N parts of each process. EARLIER: the findings of earlier passes, the only passes with both ends of
 * each message. Returns false if EARLIER is empty although sends are never completed. */
static bool sum_up(const struct part_reader *reader, unsigned n, const struct mpg_together *together, struct mpg_passed *earlier)
{
    struct mpg_passed sum = reader[0].passed;
    for (unsigned i = 1; i < n; i++)
        mpg_passed_add(&sum, &reader[i].passed);
    if (together)
        mpg_together_sum(together, &sum);
    if (earlier->counts.calls == 0 && sum.counts.uncompleted_sends > 0)
        return false;
    sum.counts.asynchronous = earlier->counts.asynchronous;
    sum.counts.waited_sends = earlier->counts.waited_sends;
    sum.counts.waited_bytes = earlier->counts.waited_bytes;
    sum.counts.waited_ns = earlier->counts.waited_ns;
    sum.evident_limit = earlier->evident_limit;
    *earlier = sum;
    return true;
}

/* Prepares X, the reader of PART. IS_FIRST: the thread of X shows the progress. */
static void begin_part(struct part_reader *x, const struct mpg_pass_config *pass_config, struct mpg_rank_part *part,
                       bool is_first)
{
    x->options = *pass_config->graph;
    x->options.part = part;
    x->pass_config = *pass_config;
    x->pass_config.graph = &x->options;
    x->pass_config.passes = NULL;
    x->pass_config.hides_progress = pass_config->hides_progress || !is_first;
}

/* Returns the parts of this process, if each process has N. */
static struct mpg_parts_here parts_here(const struct mpg_together *together, unsigned n)
{
    const struct mpg_processes *p = together ? together->processes : NULL;
    return (struct mpg_parts_here){p ? (unsigned)p->rank * n : 0, n, p ? (unsigned)p->size * n : n};
}

int mpg_pass_by_ranks(const struct mpg_pass_config *pass_config, const struct mpg_step_consumer *consumers, size_t n,
                      unsigned parts, size_t value_bytes, mpg_part_has_ranks *has_ranks, void *context,
                      struct mpg_passed *passed, const char **reason, struct mpg_error *err)
{
    struct mpg_together *together = pass_config->together;
    const struct mpg_parts_here here = parts_here(together, parts);
    struct mpg_rank_parts *p = mpg_rank_parts_new(pass_config->trace, here, value_bytes, err);
    struct part_reader *reader = p ? calloc(parts, sizeof *reader) : NULL;
    int status = reader ? 0 : mpg_error_set(err, "out of memory");
    for (unsigned i = 0; i < parts && reader; i++) {
        int32_t first, end;
        begin_part(&reader[i], pass_config, mpg_rank_parts_part(p, here.first + i), here.first + i == 0);
        reader[i].passed = *passed;
        reader[i].consumers = consumers + i * n;
        reader[i].n = n;
        mpg_rank_part_ranks(reader[i].options.part, &first, &end);
        has_ranks(context, i, first, end);
        if (together && i == 0)
            together->first = first;
        if (together)
            together->ranks = end - together->first;
    }
    if (together)
        status = mpg_processes_agree(together->processes, status, 0, err);
    *reason = NULL;
    if (status == 0) {
        read_parts(reader, parts, p, together);
        *reason = mpg_rank_parts_reason(p);
        if (!*reason && !sum_up(reader, parts, together, passed))
            *reason = "sends are never completed";
    }
    if (status == 0 && !*reason && pass_config->passes)
        ++*pass_config->passes;
    free(reader);
    mpg_rank_parts_free(p);
    return status < 0 ? -1 : *reason ? 0 : 1;
}
