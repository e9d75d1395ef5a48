/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assumptions about progress: sends, transfers and nonblocking collectives that wait for a call of another rank (docs/MODEL.md,
 * sections 5 and 10). */
#include <inttypes.h>
#include <stdio.h>

#include "simulate/models/times.h"
#include "simulate/reports/assume.h"
#include "simulate/rules.h"
#include "trace/event.h"

bool mpg_report_has_weak_progress(const struct mpg_report *r)
{
    const struct mpg_graph_options *o = &r->options->graph;
    return o->has_weak_progress && (o->weak.blocking_bytes < INT64_MAX || o->weak.requested_bytes < INT64_MAX);
}

void mpg_assume_progress(const struct mpg_report *r, FILE *out)
{
    const struct mpg_weak_progress *c = &r->options->graph.weak;
    char blocking[64] = "", requested[64] = "";
    if (c->blocking_bytes < INT64_MAX)
        snprintf(blocking, sizeof blocking, "blocking sends of more than %" PRId64 " bytes", c->blocking_bytes);
    if (c->requested_bytes < INT64_MAX)
        snprintf(requested, sizeof requested, "nonblocking sends of more than %" PRId64 " bytes", c->requested_bytes);
    fprintf(out, "some sends complete only once their receiver is inside MPI: %s%s%s (shown by the trace)",
             blocking, *blocking && *requested ? ", " : "", requested);
}

/* Returns whether messages of R take PATH of the target. */
static bool is_taken(const struct mpg_report *r, const struct mpg_network_path *path)
{
    return r->placement ? r->placement->taken[path->path] : path == r->p->target_path;
}

bool mpg_report_overlaps(const struct mpg_report *r)
{
    const struct mpg_signature *target = r->p->target;
    bool any = false;
    for (size_t i = 0; target && i < target->paths; i++)
        any = any || (is_taken(r, &target->network[i]) && target->network[i].overlap[MPG_OVERLAP_RECEIVE].share.n > 0);
    return any && r->result->predicted && !r->p->parameters && r->result->counts.synchronous_messages > 0 &&
           (r->p->latency.n == 0 || r->p->byte.n == 0) && mpg_rule_holds(MPG_RULE_OVERLAP);
}

/* Prints at how many of the sizes above PATH's eager limit messages progress while the rank SIDE computes. */
static void print_sizes(const struct mpg_network_path *path, enum mpg_overlap_side side, FILE *out)
{
    const struct mpg_network_sizes *share = &path->overlap[side].share;
    int progress = 0, all = 0;
    for (size_t i = 0; i < share->n; i++) {
        if (share->size[i].size_bytes <= path->eager_limit_bytes)
            continue;
        all++;
        progress += mpg_distribution_quantile(share->size[i].time_ns, 0.5) > MPG_OVERLAP_MATTERS;
    }
    fprintf(out, "%d of %d sizes", progress, all);
}

void mpg_assume_overlap(const struct mpg_report *r, FILE *out)
{
    const struct mpg_signature *target = r->p->target;
    fprintf(out, "messages above the eager limit progress during computation as the target's overlap shows:");
    for (size_t i = 0; i < target->paths; i++) {
        const struct mpg_network_path *path = &target->network[i];
        if (!is_taken(r, path) || path->overlap[MPG_OVERLAP_RECEIVE].share.n == 0)
            continue;
        fprintf(out, " %s, while the receiver computes, at ", mpg_path_name(path->path));
        print_sizes(path, MPG_OVERLAP_RECEIVE, out);
        if (path->overlap[MPG_OVERLAP_SEND].share.n > 0) {
            fprintf(out, ", while the sender computes, at ");
            print_sizes(path, MPG_OVERLAP_SEND, out);
            fprintf(out, " (assumed at all)");
        }
        fputc(';', out);
    }
    fprintf(out, " other receives wait for a call");
}

void mpg_assume_transfers(const struct mpg_report *r, FILE *out)
{
    const struct mpg_weak_progress *c = &r->options->graph.weak;
    fprintf(out, "some one-sided transfers complete only once their target is inside MPI:");
    for (uint32_t i = 0; i < c->rma_number; i++)
        fprintf(out, "%s MPI_%s of %" PRId64 " bytes%s", i ? "," : "", mpg_call_name(c->rma[i].call),
                c->rma[i].bytes, c->rma[i].starting ? "" : ", at the completing call");
    fprintf(out, " (shown by the trace)");
}

bool mpg_report_moves(const struct mpg_report *r)
{
    const struct mpg_graph_options *o = &r->options->graph;
    return o->has_weak_progress && o->nonblocking_table && mpg_weak_progress_of_collectives(&o->weak);
}

/* Prints the name of the nonblocking operation M. */
static void print_kind(const struct mpg_nonblocking *m, FILE *out)
{
    char name[64];
    snprintf(name, sizeof name, "%s", mpg_call_name(m->call));
    name[0] = (char)(name[0] | 0x20);
    fprintf(out, "I%s of %d members, %" PRId64 " bytes: ", name, m->members, m->bytes);
    if (m->is_weak)
        fprintf(out, "%s%s%s", mpg_algorithm_name(m->choice.algorithm),
                m->choice.waits ? ", no message leaves when it is posted" : "",
                m->sends_weak ? ", sends also wait for progress" : "");
    else
        fprintf(out, "progress at any time");
}

void mpg_assume_moved(const struct mpg_report *r, FILE *out)
{
    enum { MOST = 4 };
    const struct mpg_weak_progress *c = &r->options->graph.weak;
    fprintf(out, "nonblocking collectives progress only inside their members' MPI calls, by the algorithm that fits the "
                           "trace best: ");
    for (uint32_t i = 0; i < c->nonblocking_number && i < MOST; i++) {
        fprintf(out, "%s", i ? "; " : "");
        print_kind(&c->nonblocking[i], out);
    }
    if (c->nonblocking_number > MOST)
        fprintf(out, "; and %u other kinds", c->nonblocking_number - MOST);
    if (c->nonblocking_weak)
        fprintf(out, "; others by the table of algorithms");
}
