/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Meetings whose members are in several parts of a divided graph (graph/parts/parts.h). When all members of a part have entered,
 * the part tells the other parts their sums. When all members of all parts have, each part makes the contributions of its own
 * members. The merge of the contributions, in the order of members, goes from part to part: a part merges its members as far as
 * they are consecutive. The part of the last member tells all parts the value of the meeting. */
#include "graph/collectives/collective.h"

struct meeting_record {
    struct part_record record;
    struct entering entering; /* with the communicator's number in the sending part */
    /* PART_ENTERED: sums over the part's members; the call of the first member, if this part has it */
    int32_t members;
    double bytes, target_bytes;
    int64_t off_ns;
    bool has_first;
    struct mpg_origin first;
    /* PART_MERGED: the merge before member NEXT; NEXT is the number of members if the merge is complete */
    int32_t next;
    struct merged merged;
};

static int32_t rank_of(const struct collectives *collectives, const struct collective *c, int32_t i)
{
    return graph_comm_of(collectives, c)->world_ranks[i];
}

/* Adds a record of KIND for part TO; WITH_VALUE: the record has the value of C's merge. */
static struct meeting_record *add_record(struct collectives *collectives, const struct collective *c, unsigned to,
                                         enum part_record_kind kind, bool with_value, struct mpg_error *err)
{
    struct mpg_rank_part *ranks = collectives->ranks;
    if (mpg_part_tell_comm(ranks, to, c->comm, err) < 0)
        return NULL;
    struct meeting_record *r = mpg_part_add(ranks, to, kind, sizeof *r, with_value, err);
    if (!r)
        return NULL;
    r->entering = c->meeting->entering;
    if (!with_value)
        return r;
    const struct call_ref latest = {.rank = rank_of(collectives, c, c->meeting->merged.latest)};
    r->next = c->meeting->next;
    r->merged = c->meeting->merged;
    return mpg_graph_export(collectives->steps, r->merged.slot, &latest, graph_value_of(ranks, &r->record), err) < 0 ? NULL : r;
}

/* Returns the parts with members of C other than this part, as bits. */
static uint64_t other_parts(const struct collectives *collectives, const struct collective *c)
{
    return collectives->ranks->comm[c->comm].members & ~(UINT64_C(1) << collectives->ranks->index);
}

/* The merge is complete: ends the meeting in this part. The last member to enter can be in another part. */
static int end_meeting(const struct collectives *collectives, struct collective *c, struct mpg_error *err)
{
    const struct merged *merged = &c->meeting->merged;
    struct member *latest = mpg_graph_make_member(c, merged->latest);
    if (!latest)
        return mpg_graph_out_of_memory(err);
    latest->call_ref.rank = rank_of(collectives, c, merged->latest);
    latest->enter_ns = merged->latest_ns;
    mpg_graph_close_meeting(c, merged);
    return 0;
}

/* The merge is complete: tells the other parts. */
static int conclude(struct collectives *collectives, struct collective *c, struct mpg_error *err)
{
    for (uint64_t left = other_parts(collectives, c); left; left &= left - 1)
        if (!add_record(collectives, c, (unsigned)__builtin_ctzll(left), PART_MERGED, true, err))
            return -1;
    return end_meeting(collectives, c, err);
}

/* If this part has the turn, and all members have entered: merges the own members that follow, and gives the turn on. */
static int go_on(struct collectives *collectives, struct collective *c, struct mpg_error *err)
{
    struct meeting *x = c->meeting;
    if (!x->has_turn || !graph_all_arrived(c))
        return 0;
    for (; x->next < c->p && !graph_is_away(collectives->ranks, rank_of(collectives, c, x->next)); x->next++)
        if (mpg_graph_merge(collectives, graph_find_member(c, x->next), x->next, x->next == 0, &x->merged, err) < 0)
            return -1;
    x->has_turn = false;
    if (x->next == c->p)
        return conclude(collectives, c, err);
    const unsigned to = collectives->ranks->owner[rank_of(collectives, c, x->next)];
    if (!add_record(collectives, c, to, PART_MERGED, true, err))
        return -1;
    graph_free_slot(collectives->steps, x->merged.slot);
    return 0;
}

/* All members of all parts have entered: makes the contributions of the own members. */
static int contribute(struct collectives *collectives, struct collective *c, struct mpg_error *err)
{
    for (int32_t i = 0; i < c->p; i++)
        if (graph_has_arrived(c, i) && mpg_graph_contribute(collectives, c, graph_find_member(c, i), err) < 0)
            return -1;
    c->meeting->has_turn = c->meeting->has_turn || !graph_is_away(collectives->ranks, rank_of(collectives, c, 0));
    return go_on(collectives, c, err);
}

/* All members of this part have entered: tells the other parts. */
static int tell_entered(struct collectives *collectives, const struct collective *c, struct mpg_error *err)
{
    for (uint64_t left = other_parts(collectives, c); left; left &= left - 1) {
        struct meeting_record *r = add_record(collectives, c, (unsigned)__builtin_ctzll(left), PART_ENTERED, false, err);
        if (!r)
            return -1;
        r->members = c->own;
        r->bytes = r->target_bytes = 0;
        r->off_ns = 0;
        r->has_first = graph_has_arrived(c, 0);
        r->first = c->meeting->first;
        for (int32_t i = 0; i < c->p; i++) {
            const struct member *m = graph_find_member(c, i);
            if (!m || !m->arrived)
                continue;
            r->bytes += (double)m->bytes;
            r->target_bytes += (double)m->target_bytes;
            r->off_ns = m->off_ns > r->off_ns ? m->off_ns : r->off_ns;
        }
    }
    return 0;
}

int mpg_graph_enter_meeting(struct collectives *collectives, struct collective *c, const struct entering *entering,
                            struct mpg_error *err)
{
    struct meeting *x = c->meeting;
    x->entering = *entering;
    if (++x->entered < c->own)
        return 0;
    if (graph_has_arrived(c, 0))
        x->first = graph_member_origin(graph_find_member(c, 0));
    if (tell_entered(collectives, c, err) < 0)
        return -1;
    return graph_all_arrived(c) ? contribute(collectives, c, err) : 0;
}

/* The members of the part of R have entered. */
static int import_entered(struct collectives *collectives, struct collective *c, const struct meeting_record *r,
                          struct mpg_error *err)
{
    c->arrived += r->members;
    c->total_bytes += r->bytes;
    c->total_target_bytes += r->target_bytes;
    c->off_ns = r->off_ns > c->off_ns ? r->off_ns : c->off_ns;
    if (r->has_first)
        c->meeting->first = r->first;
    return graph_all_arrived(c) ? contribute(collectives, c, err) : 0;
}

/* The merge has come to this part, or is complete. */
static int import_merged(struct collectives *collectives, struct collective *c, const struct meeting_record *r,
                         struct mpg_error *err)
{
    struct meeting *x = c->meeting;
    const struct call_ref there = {.rank = rank_of(collectives, c, r->merged.latest)};
    x->merged = r->merged;
    x->next = r->next;
    if (mpg_graph_import(collectives->steps, graph_value_of(collectives->ranks, &r->record), &there, &x->merged.slot, err) < 0)
        return -1;
    if (x->next < c->p) {
        x->has_turn = true;
        return go_on(collectives, c, err);
    }
    return end_meeting(collectives, c, err);
}

int mpg_graph_import_meeting(struct collectives *collectives, const struct part_record *record, struct mpg_error *err)
{
    const struct meeting_record *r = (const struct meeting_record *)(const void *)record;
    struct entering entering = r->entering;
    entering.comm = entering.where = graph_comm_here(collectives->ranks, record->from, r->entering.comm);
    struct collective *c = mpg_graph_join(collectives, &entering, err);
    if (!c)
        return -1;
    return record->kind == PART_ENTERED ? import_entered(collectives, c, r, err) : import_merged(collectives, c, r, err);
}
