/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes definitions before the first event naming the definition. */
#include "trace/copy/define.h"

#include "trace/store/private.h"

enum kind { COMM, TOPOLOGY, OBJECT, STRING, MODULE, SITE };

/* Returns 1 if definition NUMBER of KIND is in MAP already; otherwise adds the definition and returns 0. -1 with ERR: out of
 * memory. */
static int meet(struct mpg_map *map, enum kind kind, int32_t number, struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(map, (uint64_t)number, (uint64_t)kind);
    if (!slot)
        return mpg_error_set(err, "out of memory");
    int met = *slot != 0;
    *slot = 1;
    return met;
}

int mpg_copy_need_comm(struct mpg_copy_stream *s, struct mpg_trace *trace, int32_t comm,
                       struct mpg_map *used, struct mpg_error *err)
{
    int met = comm == MPG_NO_COMM ? 1 : meet(&s->defined, COMM, comm, err);
    if (met)
        return met < 0 ? -1 : 0;
    const struct mpg_comm *c = mpg_trace_comm(trace, comm);
    if (meet(used, COMM, comm, err) < 0 ||
        mpg_copy_need_comm(s, trace, c->parent, used, err) < 0)
        return -1;
    const struct mpg_comm_definition definition = {.comm = comm,
                                                   .parent = c->parent,
                                                   .instance = c->instance,
                                                   .label = c->label,
                                                   .size = c->size,
                                                   .remote_size = c->remote_size,
                                                   .world_ranks = c->world_ranks,
                                                   .remote = c->world_ranks + c->size};
    return mpg_trace_write_comm(s->writer, &definition, err);
}

int mpg_copy_need_topology(struct mpg_copy_stream *s, struct mpg_trace *trace, int32_t rank,
                           int32_t comm, struct mpg_map *used, struct mpg_error *err)
{
    const struct trace_topology *t = mpg_trace_topology(trace, rank, comm);
    int met = t ? meet(&s->defined, TOPOLOGY, comm, err) : 1;
    if (met)
        return met < 0 ? -1 : 0;
    if (mpg_copy_need_comm(s, trace, comm, used, err) < 0)
        return -1;
    return mpg_trace_write_topology(s->writer, comm, t->source_number, t->sources,
                                    t->destination_number, t->destinations, err);
}

static int need_object(struct mpg_copy_stream *s, struct mpg_trace *trace, int32_t object,
                       struct mpg_map *used, struct mpg_error *err)
{
    int met = object == MPG_NO_OBJECT ? 1 : meet(&s->defined, OBJECT, object, err);
    if (met)
        return met < 0 ? -1 : 0;
    const struct mpg_object *o = mpg_trace_object(trace, object);
    if (mpg_copy_need_comm(s, trace, o->comm, used, err) < 0)
        return -1;
    return mpg_trace_write_object(s->writer, object, o->kind, o->comm, o->number, err);
}

static int need_string(struct mpg_copy_stream *s, const struct mpg_trace *trace, int32_t string,
                       struct mpg_error *err)
{
    int met = meet(&s->defined, STRING, string, err);
    if (met)
        return met < 0 ? -1 : 0;
    return mpg_trace_write_string(s->writer, string, mpg_trace_string(trace, string), err);
}

static int need_module(struct mpg_copy_stream *s, const struct mpg_trace *trace, int32_t module,
                       struct mpg_error *err)
{
    int met = module < 0 ? 1 : meet(&s->defined, MODULE, module, err);
    if (met)
        return met < 0 ? -1 : 0;
    const struct mpg_module *m = mpg_trace_module(trace, module);
    return mpg_trace_write_module(s->writer, module, m->build_id, m->build_id_size, m->path, err);
}

static int need_site(struct mpg_copy_stream *s, const struct mpg_trace *trace, int32_t site,
                     struct mpg_error *err)
{
    int met = site == MPG_NO_SITE ? 1 : meet(&s->defined, SITE, site, err);
    if (met)
        return met < 0 ? -1 : 0;
    const struct mpg_site *frames = mpg_trace_site(trace, site);
    for (uint32_t i = 0; i < frames->frame_number; i++)
        if (need_module(s, trace, frames->frames[i].module, err) < 0)
            return -1;
    return mpg_trace_write_site(s->writer, site, frames->frame_number, frames->frames, err);
}

static bool has_string(enum mpg_kind kind)
{
    return kind == MPG_KIND_REGION_BEGIN || kind == MPG_KIND_REGION_END || kind == MPG_KIND_UNKNOWN;
}

int mpg_copy_need(struct mpg_copy_stream *s, struct mpg_trace *trace, int32_t rank,
                  const struct mpg_event *e, struct mpg_map *used, struct mpg_error *err)
{
    enum mpg_kind kind = mpg_call_kind(e->call);
    if (need_site(s, trace, e->site, err) < 0)
        return -1;
    if (e->failed)
        return 0;
    if (mpg_copy_need_comm(s, trace, e->comm, used, err) < 0 ||
        mpg_copy_need_comm(s, trace, e->newcomm, used, err) < 0 ||
        need_object(s, trace, e->object, used, err) < 0)
        return -1;
    if (mpg_kind_has_neighbors(kind) &&
        mpg_copy_need_topology(s, trace, rank, e->comm, used, err) < 0)
        return -1;
    return has_string(kind) ? need_string(s, trace, e->string, err) : 0;
}
