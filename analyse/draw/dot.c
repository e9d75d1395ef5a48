/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawings in the DOT language (graphviz.org/doc/info/lang.html). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analyse/draw/drawing.h"

static void put_node(FILE *out, const struct mpg_drawn_at *at)
{
    if (at->kind == MPG_DRAWN_MEETING)
        fprintf(out, "\"m%" PRId32 ".%" PRIu64 ".%" PRIu32 "\"", at->rank, at->number, at->index);
    else
        fprintf(out, "\"%" PRId32 ".%" PRIu64 " %c\"", at->rank, at->number, at->kind == MPG_DRAWN_ENTER ? 'S' : 'E');
}

/* Writes the delay on edge E, such as "λ + τ(8 B)": latency and transfer time. Several rounds are not written as a product
 * such as "2 (λ + τ)", because the latency differs between rounds. */
static void put_delta(FILE *out, const struct mpg_drawn_edge *e, bool weights)
{
    char size[32], time[32];
    mpg_units_format_size(size, sizeof size, (int64_t)e->bytes);
    const char *of = weights ? size : "d";
    switch (e->kind) {
    case MPG_DRAWN_MESSAGE:
        fprintf(out, "λ + τ(%s)", of);
        break;
    case MPG_DRAWN_ENVELOPE:
        fputs("λ", out);
        break;
    case MPG_DRAWN_ACK:
        fprintf(out, "τ(%s) + λ2", of);
        break;
    default:
        if (e->rounds == 0)
            return;
        if (e->rounds > 1)
            fprintf(out, "%" PRIu32 " ", e->rounds);
        fprintf(out, "λ + τ(%s)", weights ? size : "b");
        return;
    }
    if (weights && !isnan(e->took_ns))
        fprintf(out, "\\n%s", mpg_units_format_time(time, sizeof time, e->took_ns));
}

static void put_edge(FILE *out, const struct mpg_drawn_edge *e, bool weights)
{
    char time[32];
    fputs("  ", out);
    put_node(out, &e->from);
    fputs(" -> ", out);
    put_node(out, &e->to);
    switch (e->kind) {
    case MPG_DRAWN_OUTSIDE:
        fputs(" [style=dotted]", out);
        break;
    case MPG_DRAWN_COMPUTE:
        fprintf(out, " [label=\"%s\"]", mpg_units_format_time(time, sizeof time, e->took_ns));
        break;
    case MPG_DRAWN_CALL:
        fprintf(out, " [penwidth=2, label=\"%s\"]", mpg_units_format_time(time, sizeof time, e->took_ns));
        break;
    default:
        fprintf(out, " [style=dashed, color=\"%s\", constraint=%s, label=\"",
                e->kind == MPG_DRAWN_ACK ? "#D55E00" : "#0072B2", e->kind == MPG_DRAWN_ACK ? "false" : "true");
        put_delta(out, e, weights);
        fputs("\"]", out);
        break;
    }
    fputs(";\n", out);
}

static void put_call(FILE *out, const struct mpg_drawn_call *c, bool threads)
{
    char thread[32] = "";
    if (threads)
        snprintf(thread, sizeof thread, ", thread %" PRIu32, c->thread);
    for (int leaves = 0; leaves < 2; leaves++)
        fprintf(out, "    \"%" PRId32 ".%" PRIu64 " %c\" [label=\"%" PRId32 ".%" PRIu64 " %c\\n%s%s\"];\n", c->rank,
                c->number, leaves ? 'E' : 'S', c->rank, c->number, leaves ? 'E' : 'S', mpg_call_name(c->call), thread);
}

/* Writes an invisible chain of edges to keep ranks in order from left to right. */
static void put_order(FILE *out, const struct mpg_drawing *d)
{
    const char *between = "  { rank=same; ";
    if (d->call[0].rank == d->call[d->calls - 1].rank)
        return;
    for (uint32_t i = 0; i < d->calls; i++)
        if (i == 0 || d->call[i].rank != d->call[i - 1].rank) {
            fputs(between, out);
            put_node(out, &(struct mpg_drawn_at){MPG_DRAWN_ENTER, d->call[i].rank, d->call[i].number, 0});
            between = " -> ";
        }
    fputs(" [style=invis]; }\n", out);
}

void mpg_drawing_write(const struct mpg_drawing *d, const struct mpg_trace *trace, bool weights, FILE *out)
{
    uint32_t messages = 0, i = 0;
    for (uint32_t k = 0; k < d->edges; k++)
        messages += d->edge[k].kind >= MPG_DRAWN_MESSAGE && d->edge[k].kind <= MPG_DRAWN_ACK;
    fprintf(out, "// made by mpgtrace graph of mpgkit; 'dot -Tsvg' draws it\n"
                 "// %" PRIu32 " calls of two nodes each, %" PRIu32 " nodes of collectives, %" PRIu32 " edges, of which %" PRIu32
                 " of messages; not drawn: %" PRIu64 " messages from or to other calls\n"
                 "digraph mpg {\n"
                 "  newrank=true;\n"
                 "  node [shape=box, fontsize=10, margin=\"0.05,0.02\", height=0.3];\n"
                 "  edge [fontsize=9];\n",
            d->calls, d->meetings, d->edges, messages, d->cut);
    while (i < d->calls) {
        const int32_t rank = d->call[i].rank;
        fprintf(out, "  subgraph cluster_%" PRId32 " {\n    label=\"rank %" PRId32 "\";\n", rank, rank);
        for (; i < d->calls && d->call[i].rank == rank; i++)
            put_call(out, &d->call[i], mpg_trace_threads(trace, rank) > 1);
        fputs("  }\n", out);
    }
    put_order(out, d);
    for (uint32_t k = 0; k < d->meetings; k++) {
        fputs("  ", out);
        put_node(out, &d->meeting[k].at);
        fprintf(out, " [shape=diamond, label=\"%s\"];\n", mpg_call_name(d->meeting[k].call));
    }
    for (uint32_t k = 0; k < d->edges; k++)
        put_edge(out, &d->edge[k], weights);
    fputs("}\n", out);
}
