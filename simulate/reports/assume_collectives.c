/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an answer rests on, as far as collectives go: how many were taken as measured, as messages, as rounds. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "simulate/reports/assume.h"
#include "simulate/reports/extrapolated.h"

/* Adds to TEXT of SIZE, which is ended whatever there is room for. */
static void add(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    if (used < size)
        vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* Of FROM to TO operations what was measured: "allreduce of 2 4, 8 B to 1 MiB"; whether there is any. */
static bool add_operations(const struct mpg_report *r, int from, int to, char *text, size_t size)
{
    bool any = false;
    for (int k = from; k < to; k++) {
        const struct mpg_measured_meetings *all = &r->p->meetings[k];
        int64_t least = 0, most = 0;
        char least_text[32], most_text[32];
        if (all->n > 0)
            add(text, size, "%s%s of", any ? "; " : "", mpg_operation_name((enum mpg_operation)k));
        for (size_t i = 0; i < all->n; i++)
            add(text, size, " %d", all->meeting[i].processes);
        if (all->n > 0)
            mpg_meeting_sizes(&all->meeting[all->n - 1], &least, &most);
        if (most > 0)
            add(text, size, ", %s to %s", mpg_units_format_size(least_text, sizeof least_text, least),
                mpg_units_format_size(most_text, sizeof most_text, most));
        any = any || all->n > 0;
    }
    return any;
}

static void add_scaled(const struct mpg_report *r, char *text, size_t size)
{
    bool any = false;
    for (int k = 0; k < MPG_OPERATIONS; k++) {
        if (r->p->meetings[k].n == 0)
            continue;
        add(text, size, "%s%s", any ? ", " : " (scaled to what was measured of ", mpg_operation_name((enum mpg_operation)k));
        any = true;
    }
    add(text, size, any ? ")" : " (scaled to nothing: no collective was measured)");
}

static void add_messages(const struct mpg_report *r, char *text, size_t size)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    char all[32] = "";
    if (!r->options->graph.wholes)
        snprintf(all, sizeof all, " of %" PRIu64, c->collectives);
    add(text, size, "%" PRIu64 "%s as the messages of their algorithms, which %s says", c->expanded, all,
        r->collective_table ? r->collective_table : "the built-in table");
}

static void add_arithmetic(const struct mpg_report *r, char *text, size_t size)
{
    if (r->p->reduces)
        add(text, size, ", with the arithmetic of reductions as measured");
    else
        add(text, size, ", without the arithmetic of reductions%s", r->p->target ? ", which was not measured" : "");
}

void mpg_assume_collectives(const struct mpg_report *r, char *text, size_t size)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    const struct mpg_graph_options *graph = &r->options->graph;
    const uint64_t rounds = c->collectives - c->expanded - c->whole;
    text[0] = '\0';
    if (r->p->parameters || (r->extrapolation && r->extrapolation->models_barrier)) {
        mpg_assume_barriers(r, text, size);
        return;
    }
    if (graph->wholes || (graph->expand && !graph->expand_some)) {
        if (graph->wholes) {
            add(text, size, "%" PRIu64 " of %" PRIu64 " as measured as a whole%s", c->whole, c->collectives, c->whole ? " (" : ", ");
            if (c->whole > 0) {
                add_operations(r, 0, MPG_OPERATIONS_WHOLE, text, size);
                add(text, size, "), ");
            }
        }
        add_messages(r, text, size);
        if (graph->wholes && c->expanded > 0) {
            add_scaled(r, text, size);
        }
        add_arithmetic(r, text, size);
        if (rounds > 0)
            add(text, size, ", %" PRIu64 " as rounds of messages", rounds);
    } else if (mpg_perturbation_collectives_measured(r->p)) {
        add(text, size, "as measured (");
        if (!add_operations(r, 0, MPG_OPERATIONS_WHOLE, text, size))
            add(text, size, "none");
        add(text, size, "), all others as rounds of messages");
    } else
        add(text, size, "rounds of messages");
}
