/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/waits/critical.h"

/* Records the replica K of S. */
static int record(struct mpg_critical_path *c, const struct mpg_simulated *s, uint32_t k, struct mpg_error *err)
{
    struct mpg_simulation_options options = *s->options;
    struct mpg_simulated recorded = *s;
    struct mpg_result again = {.ranks = 0};
    options.path = c->path;
    recorded.options = &options;
    if (mpg_simulate_again(&recorded, c->replica, NULL, &again, err) < 0) {
        mpg_result_clear(&again);
        return -1;
    }
    const bool is_same = again.run_ns[0] == s->result->run_ns[k];
    mpg_result_clear(&again);
    return is_same ? 0 : mpg_error_set(err, "replica %u alone is another one", c->replica);
}

static int put_together(struct mpg_critical_path *c, const struct mpg_trace *trace, const enum mpg_where_by *by, size_t n,
                        struct mpg_error *err)
{
    if (!(c->where = mpg_where_new(1, err)))
        return -1;
    mpg_where_take(c->where, c->path->tally, 0);
    if (mpg_where_finish(c->where, err) < 0)
        return -1;
    while (c->tables < n) {
        struct mpg_where_table *table = &c->table[c->tables];
        const enum mpg_where_by which = by[c->tables++];
        if (mpg_where_table_make(table, c->where, trace, which, mpg_path_ns, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_critical_path_find(struct mpg_critical_path *c, const struct mpg_simulated *s, uint32_t segments,
                           const enum mpg_where_by *by, size_t n, struct mpg_error *err)
{
    uint32_t k = 0;
    *c = (struct mpg_critical_path){.replica = 0};
    if (mpg_median_replica(s->result, &k, err) < 0)
        return -1;
    c->replica = s->result->first_replica + k;
    if (!(c->path = mpg_path_new(segments, err)) || record(c, s, k, err) < 0 || mpg_path_follow(c->path, err) < 0 ||
        put_together(c, s->trace, by, n, err) < 0)
        return mpg_error_prefix(err, "--where=path");
    return 0;
}

void mpg_critical_path_clear(struct mpg_critical_path *c)
{
    for (size_t i = 0; i < c->tables; i++)
        mpg_where_table_clear(&c->table[i]);
    mpg_where_free(c->where);
    mpg_path_free(c->path);
    *c = (struct mpg_critical_path){.replica = 0};
}
