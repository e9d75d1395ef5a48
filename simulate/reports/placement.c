/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Placement of the ranks in the report of mpgsim: the assumption (nodes, and the option that places ranks) and the warnings about
 * network paths not measured in the signature. */
#include "simulate/reports/assume.h"

#include <inttypes.h>
#include <stdio.h>

#include "simulate/reports/trace_warnings.h"

/* Writes that ranks are placed as in P, by VALUE of OPTION. */
static void describe(const struct mpg_placement *p, const char *option, const char *value, FILE *out)
{
    int32_t nodes = 0;
    for (int32_t i = 0; i < p->ranks; i++)
        nodes = p->node[i] >= nodes ? p->node[i] + 1 : nodes;
    fprintf(out, "%" PRId32 " ranks on %" PRId32 " node%s (%s%s); the farthest two: %s",
            p->ranks, nodes, nodes == 1 ? "" : "s", option, value, mpg_path_name(p->farthest));
}

void mpg_assume_placement(const struct mpg_report *r, FILE *out)
{
    const struct mpg_network_path *path = r->p->source_path;
    if (r->placement)
        describe(r->placement, "--map=", r->map, out);
    if (r->source_placement) {
        fprintf(out, "%ssource: ", r->placement ? "; " : "");
        describe(r->source_placement, r->source_map ? "--source=map=" : "the trace's hosts", r->source_map ? r->source_map : "",
                 out);
    } else if (!r->result->predicted && path) /* the placement on the source is unknown */
        fprintf(out, "; source: one path, '%s', as the trace names no hosts (--source=map)", mpg_path_name(path->path));
}

static void add_paths(const struct mpg_placement *placement, const struct mpg_signature *sig, bool of_target,
                     struct mpg_notes *list)
{
    for (int class = 0; placement && sig && class < MPG_PATHS; class++) {
        const struct mpg_network_path *path = mpg_placement_path(sig, (enum mpg_path_class)class);
        if (placement->taken[class] && path && path->path != (enum mpg_path_class)class)
            mpg_notes_add(list, "path",
                              of_target ? "'%s' was not measured: its messages take the times of '%s'"
                                        : "'%s' was not measured on the source: the times of '%s' are used",
                              mpg_path_name((enum mpg_path_class)class),
                              mpg_path_name(path->path));
    }
}

void mpg_warn_placement(const struct mpg_report *r, struct mpg_notes *list)
{
    add_paths(r->placement, r->p->target, true, list);
    add_paths(r->source_placement, r->p->source, false, list);
}
