/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds callsites by FUNCTION, or by FILE:LINE, the names used in tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/call_ref.h"
#include "graph/work/private.h"
#include "trace/stat/names.h"

struct sites {
    struct mpg_bound_hypotheses *x;
    struct stat_callsites callsites;
    struct mpg_symbols *symbols;
    int32_t site; /* index of the callsite being compared */
};

/* Returns whether the path PATH ends with NAME, of N characters, and NAME begins after a slash or at PATH's begin. */
static bool ends_with(const char *path, const char *name, size_t n)
{
    const size_t length = strlen(path);
    return length >= n && memcmp(path + length - n, name, n) == 0 && (length == n || path[length - n - 1] == '/');
}

static bool is_line(const struct mpg_symbol *s, const char *name)
{
    const char *colon = strrchr(name, ':');
    char line[16];
    snprintf(line, sizeof line, "%d", s->line);
    return colon && s->file && s->line > 0 && strcmp(colon + 1, line) == 0 &&
           ends_with(s->file, name, (size_t)(colon - name));
}

/* Returns whether NAME is the name of S's function, which may have a parameter list. */
static bool is_function(const struct mpg_symbol *s, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(s->function, name, n) == 0 && (s->function[n] == '\0' || s->function[n] == '(');
}

static int compare(void *context, const struct stat_frame *place)
{
    struct sites *s = context;
    const struct mpg_hypotheses *list = s->x->list;
    for (size_t i = 0; i < list->n && place->symbol; i++) {
        const char *name = list->item[i].select.place;
        if (name && (is_line(place->symbol, name) || is_function(place->symbol, name)))
            s->x->placed[s->site] |= UINT64_C(1) << i;
    }
    return 0;
}

static bool are_named(const struct mpg_hypotheses *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->item[i].select.place)
            return true;
    return false;
}

int mpg_bound_find_sites(struct mpg_bound_hypotheses *x, const struct mpg_trace *trace, struct mpg_error *err)
{
    struct sites s = {.x = x, .callsites = mpg_stat_callsites_of(trace)};
    int status = 0;
    if (!are_named(x->list))
        return 0;
    if (!(x->placed = calloc(x->sites + 1, sizeof *x->placed)))
        return mpg_graph_out_of_memory(err);
    if (!(s.symbols = mpg_symbols_new(NULL, err)))
        return -1;
    for (; (size_t)s.site < x->sites && status == 0; s.site++)
        if (x->site[s.site] >= 0)
            status = mpg_stat_walk_site(&s.callsites, s.site, s.symbols, 1, compare, &s, err);
    mpg_symbols_free(s.symbols);
    return status;
}

bool mpg_bound_has_site(const struct mpg_bound_hypotheses *x, size_t i)
{
    for (size_t site = 0; site < x->sites; site++)
        if (x->placed[site] >> i & 1)
            return true;
    return false;
}
