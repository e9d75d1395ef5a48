/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assumptions about collectives: numbers of collectives simulated by measured times, as messages, and as rounds. */
#include <inttypes.h>
#include <stdio.h>

#include "simulate/reports/assume.h"
#include "simulate/reports/extrapolated.h"

/* Writes the measured operations among FROM to TO, as "allreduce of 2 4, 8 B to 1 MiB". Returns whether any was measured. */
static bool add_operations(const struct mpg_report *r, int from, int to, FILE *out)
{
    bool any = false;
    for (int k = from; k < to; k++) {
        const struct mpg_measured_collectives *all = &r->p->meetings[k];
        int64_t min = 0, max = 0;
        char min_text[32], max_text[32];
        if (all->n > 0)
            fprintf(out, "%s%s of", any ? "; " : "", mpg_operation_name((enum mpg_operation)k));
        for (size_t i = 0; i < all->n; i++)
            fprintf(out, " %d", all->meeting[i].processes);
        if (all->n > 0)
            mpg_measured_collective_sizes(&all->meeting[all->n - 1], &min, &max);
        if (max > 0)
            fprintf(out, ", %s to %s", mpg_units_format_size(min_text, sizeof min_text, min),
                mpg_units_format_size(max_text, sizeof max_text, max));
        any = any || all->n > 0;
    }
    return any;
}

static void add_scaled(const struct mpg_report *r, FILE *out)
{
    bool any = false;
    for (int k = 0; k < MPG_OPERATIONS; k++) {
        if (r->p->meetings[k].n == 0)
            continue;
        fprintf(out, "%s%s", any ? ", " : " (scaled to the measured times of ", mpg_operation_name((enum mpg_operation)k));
        any = true;
    }
    fprintf(out, any ? ")" : " (not scaled: no collective was measured)");
}

static void add_messages(const struct mpg_report *r, FILE *out)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    char all[32] = "";
    if (!r->options->graph.unexpanded)
        snprintf(all, sizeof all, " of %" PRIu64, c->collectives);
    fprintf(out, "%" PRIu64 "%s as the messages of their algorithms, by %s", c->expanded, all,
        r->collective_table ? r->collective_table : "the built-in table");
}

static void add_arithmetic(const struct mpg_report *r, FILE *out)
{
    if (r->p->reduces)
        fprintf(out, ", with the arithmetic of reductions as measured");
    else
        fprintf(out, ", without the arithmetic of reductions%s", r->p->target ? ", which was not measured" : "");
}

void mpg_assume_collectives(const struct mpg_report *r, FILE *out)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    const struct mpg_graph_options *graph = &r->options->graph;
    const uint64_t rounds = c->collectives - c->expanded - c->whole;
    if (r->p->parameters || (r->extrapolation && r->extrapolation->models_barrier)) {
        mpg_assume_barriers(r, out);
        return;
    }
    if (graph->unexpanded || (graph->expand && !graph->expand_some)) {
        if (graph->unexpanded) {
            fprintf(out, "%" PRIu64 " of %" PRIu64 " by their measured times%s", c->whole, c->collectives,
                    c->whole ? " (" : ", ");
            if (c->whole > 0) {
                add_operations(r, 0, MPG_OPERATIONS_WHOLE, out);
                fprintf(out, "), ");
            }
        }
        add_messages(r, out);
        if (graph->unexpanded && c->expanded > 0) {
            add_scaled(r, out);
        }
        add_arithmetic(r, out);
        if (rounds > 0)
            fprintf(out, ", %" PRIu64 " as rounds of messages", rounds);
    } else if (mpg_perturbation_collectives_measured(r->p)) {
        fprintf(out, "as measured (");
        if (!add_operations(r, 0, MPG_OPERATIONS_WHOLE, out))
            fprintf(out, "none");
        fprintf(out, "), all others as rounds of messages");
    } else
        fprintf(out, "rounds of messages");
}
