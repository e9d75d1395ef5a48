/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* P, as WHY says, in words. */
static void describe(const struct mpg_places *p, const char *option, const char *value, char *text,
                     size_t size)
{
    int32_t nodes = 0;
    for (int32_t i = 0; i < p->ranks; i++)
        nodes = p->node[i] >= nodes ? p->node[i] + 1 : nodes;
    snprintf(text, size, "%" PRId32 " ranks on %" PRId32 " node%s (%s%s); the farthest two: %s",
             p->ranks, nodes, nodes == 1 ? "" : "s", option, value, mpg_path_name(p->farthest));
}

/* Of the source's path where none of its places is known. */
static void describe_source_path(const struct mpg_report *r, char *text, size_t size)
{
    const struct mpg_network_path *path = r->p->source_path;
    if (path)
        snprintf(text, size, "; source: one path, '%s', as the trace names no hosts (--source-map)",
                 mpg_path_name(path->path));
}

void mpg_assume_places(const struct mpg_report *r, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    if (r->places)
        describe(r->places, "--map=", r->map, text, size);
    used = strlen(text);
    if (r->source_places) {
        used += (size_t)snprintf(text + used, size - used, "%ssource: ", used > 0 ? "; " : "");
        if (used < size)
            describe(r->source_places, r->source_map ? "--source-map=" : "the trace's hosts",
                     r->source_map ? r->source_map : "", text + used, size - used);
    } else if (!r->result->predicted)
        describe_source_path(r, text + used, size - used);
}

static int add_paths(const struct mpg_places *places, const struct mpg_signature *sig, bool of_target,
                     struct mpg_attention *list, struct mpg_error *err)
{
    for (int class = 0; places && sig && class < MPG_PATHS; class++) {
        const struct mpg_network_path *path = mpg_places_path(sig, (enum mpg_path_class)class);
        if (places->taken[class] && path && path->path != (enum mpg_path_class)class &&
            mpg_attention_add(list, err, "path",
                              of_target ? "'%s' was not measured: messages take '%s' in its place"
                                        : "'%s' was not measured on the source: '%s' stands for it",
                              mpg_path_name((enum mpg_path_class)class),
                              mpg_path_name(path->path)) < 0)
            return -1;
    }
    return 0;
}

int mpg_doubt_places(const struct mpg_report *r, struct mpg_attention *list, struct mpg_error *err)
{
    if (add_paths(r->places, r->p->target, true, list, err) < 0)
        return -1;
    return add_paths(r->source_places, r->p->source, false, list, err);
}
