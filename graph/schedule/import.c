/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/schedule/import.h"

#include "graph/matching/away.h"

static int import(struct mpg_graph *g, const struct part_record *record, struct mpg_error *err)
{
    switch ((enum part_record_kind)record->kind) {
    case PART_COMM:
        return mpg_part_learn_comm(g->part, record, err);
    case PART_MESSAGE:
        return mpg_graph_import_message(&g->matching, record, err);
    case PART_ANSWER:
        return mpg_graph_import_answer(&g->matching, record, err);
    case PART_ARRIVAL:
        return mpg_graph_import_member(&g->collectives, record, err);
    case PART_ENTERED:
    case PART_MERGED:
        return mpg_graph_import_meeting(&g->collectives, record, err);
    }
    return 0;
}

static int import_all(struct mpg_graph *g, struct mpg_error *err)
{
    for (const struct part_record *record; (record = mpg_part_take(g->part));)
        if (import(g, record, err) < 0)
            return -1;
    return 0;
}

static int refuse(struct mpg_error *err)
{
    return mpg_error_set(err, "another part of the ranks cannot go on");
}

int mpg_graph_exchange(struct mpg_graph *g, struct mpg_error *err)
{
    if (!g->has_begun) { /* the trace defines communicators as its own ranks name them */
        g->has_begun = true;
        return 0;
    }
    if (!mpg_part_publish(g->part))
        return refuse(err);
    mpg_part_forget(g->part);
    mpg_part_pace(g->part, g->counts.calls);
    return import_all(g, err);
}

int mpg_graph_await_parts(struct mpg_graph *g, struct mpg_error *err)
{
    switch (mpg_part_wait(g->part, g->finished == g->own)) {
    case PART_HAS_RECORDS:
        return import_all(g, err) < 0 ? -1 : 1;
    case PART_IS_OVER:
        return 0;
    default:
        return refuse(err);
    }
}

int mpg_graph_check_shared(struct mpg_graph *g, enum mpg_kind kind, struct mpg_error *err)
{
    switch (kind) {
    case MPG_KIND_WIN_CONSTRUCTOR:
    case MPG_KIND_WIN_FENCE:
    case MPG_KIND_WIN_FREE:
    case MPG_KIND_WIN_GROUP:
    case MPG_KIND_WIN_EPOCH:
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_WIN_ALL:
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
        return mpg_part_refuse(g->part, MPG_PARTS_ONE_SIDED, err);
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PRECV_INIT:
        return mpg_part_refuse(g->part, MPG_PARTS_PARTITIONED, err);
    default:
        return 0;
    }
}
