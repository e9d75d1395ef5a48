/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/replica/critical_path.h"

static int make_tables(struct mpg_critical_path *c, const struct mpg_trace *trace, const enum mpg_attribution_by *by, size_t n,
                       struct mpg_error *err)
{
    if (!(c->where = mpg_attribution_new(1, err)))
        return -1;
    mpg_attribution_take(c->where, c->path->tally, 0);
    if (mpg_attribution_finish(c->where, err) < 0)
        return -1;
    while (c->tables < n) {
        struct mpg_attribution_table *table = &c->table[c->tables];
        const enum mpg_attribution_by which = by[c->tables++];
        if (mpg_attribution_table_make(table, c->where, trace, which, mpg_critical_ns, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_critical_path_find(struct mpg_critical_path *c, const struct mpg_simulated *s, uint32_t segments,
                           const enum mpg_attribution_by *by, size_t n, struct mpg_error *err)
{
    *c = (struct mpg_critical_path){.path = mpg_critical_new(segments, err)};
    if (!c->path || mpg_rerun_median(s, NULL, c->path, &c->replica, err) < 0 || mpg_critical_follow(c->path, err) < 0 ||
        make_tables(c, s->trace, by, n, err) < 0)
        return mpg_error_prefix(err, "--where=path");
    return 0;
}

void mpg_critical_path_clear(struct mpg_critical_path *c)
{
    for (size_t i = 0; i < c->tables; i++)
        mpg_attribution_table_clear(&c->table[i]);
    mpg_attribution_free(c->where);
    mpg_critical_free(c->path);
    *c = (struct mpg_critical_path){.replica = 0};
}
