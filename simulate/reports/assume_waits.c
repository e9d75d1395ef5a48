/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assumptions about progress: sends, transfers and nonblocking collectives that wait for a call of another rank (docs/MODEL.md,
 * section 10). */
#include <inttypes.h>
#include <stdio.h>

#include "simulate/reports/assume.h"
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
