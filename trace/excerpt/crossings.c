/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of operations by channel and by sequence of collectives. */
#include "trace/excerpt/crossings.h"

#include <stdlib.h>

#include "common/reserve.h"

/* Set in the first word of the names of partitioned channels; communicators are not negative. */
static const uint64_t PAIR = (uint64_t)1 << 63;

static uint64_t join(int32_t high, int32_t low)
{
    return (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
}

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

static int find_channel(struct mpg_crossings *c, uint64_t key0, uint64_t key1, uint32_t *channel, struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&c->channel_index, key0, key1);
    if (!slot)
        return out_of_memory(err);
    if (!*slot) {
        if (mpg_grow(&c->channels, c->channel_count, &c->channel_capacity, sizeof *c->channels, err) < 0) {
            mpg_map_remove(&c->channel_index, key0, key1);
            return -1;
        }
        c->channels[c->channel_count++] = (struct mpg_channel){.sender_inits = 0};
        *slot = c->channel_count;
    }
    *channel = (uint32_t)(*slot - 1);
    return 0;
}

int mpg_crossings_channel(struct mpg_crossings *c, int32_t comm, int32_t source, int32_t destination, int32_t tag,
                          uint32_t *channel, struct mpg_error *err)
{
    return find_channel(c, join(comm, source), join(destination, tag), channel, err);
}

int mpg_crossings_pair(struct mpg_crossings *c, uint32_t paired, uint32_t n, uint32_t *channel, struct mpg_error *err)
{
    return find_channel(c, PAIR | paired, n, channel, err);
}

int mpg_crossings_meeting(struct mpg_crossings *c, enum mpg_sequence sequence, int32_t where, uint32_t which, int32_t expected,
                          uint32_t *meeting, struct mpg_error *err)
{
    const uint64_t key0 = join((int32_t)sequence, where);
    uint64_t *slot = mpg_map_add(&c->meeting_index, key0, which);
    if (!slot)
        return out_of_memory(err);
    if (!*slot) {
        if (mpg_grow(&c->meetings, c->meeting_count, &c->meeting_capacity, sizeof *c->meetings, err) < 0) {
            mpg_map_remove(&c->meeting_index, key0, which);
            return -1;
        }
        c->meetings[c->meeting_count++] =
            (struct mpg_meeting){.expected = expected, .first_end = UINT64_MAX, .first_begin = UINT64_MAX};
        *slot = c->meeting_count;
    }
    *meeting = (uint32_t)(*slot - 1);
    return 0;
}

void mpg_meeting_count(struct mpg_meeting *m, uint64_t before, uint64_t inside)
{
    const uint64_t end = before + inside;
    m->seen++;
    m->latest_begin = before > m->latest_begin ? before : m->latest_begin;
    m->first_end = end < m->first_end ? end : m->first_end;
    if (inside == 0)
        return;
    m->inside += inside;
    m->first_begin = before < m->first_begin ? before : m->first_begin;
    m->latest_end = end > m->latest_end ? end : m->latest_end;
}

bool mpg_meeting_is_whole(const struct mpg_meeting *m, uint64_t number)
{
    return m->seen == m->expected && number >= m->latest_begin && number < m->first_end;
}

bool mpg_channel_is_whole(const struct mpg_channel_end *end, const struct mpg_channel_end *other)
{
    const uint64_t number = end->before + end->met;
    /* A probe can look at a message received after the excerpt. */
    return end->met < end->inside && number >= other->before && number < other->before + other->inside;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns how many operations of both ends of C have no partner in the excerpt. */
static uint64_t unpaired(const struct mpg_channel *c)
{
    const struct mpg_channel_end *s = &c->sends, *r = &c->receives;
    const uint64_t begin = s->before > r->before ? s->before : r->before;
    const uint64_t end = at_most(s->before + s->inside, r->before + r->inside);
    return s->inside + r->inside - 2 * (end > begin ? end - begin : 0);
}

void mpg_crossings_sum(const struct mpg_crossings *c, uint64_t *messages, uint64_t *collectives)
{
    *messages = *collectives = 0;
    for (size_t i = 0; i < c->channel_count; i++)
        *messages += unpaired(&c->channels[i]);
    for (size_t i = 0; i < c->meeting_count; i++) {
        const struct mpg_meeting *m = &c->meetings[i];
        /* members far apart have at most the sum of all members' collectives */
        const uint64_t some = m->latest_end > m->first_begin ? at_most(m->latest_end - m->first_begin, m->inside) : 0;
        const bool has_all = m->seen == m->expected && m->first_end > m->latest_begin;
        *collectives += some - (has_all ? m->first_end - m->latest_begin : 0);
    }
}

void mpg_crossings_restart(struct mpg_crossings *c)
{
    for (size_t i = 0; i < c->channel_count; i++)
        c->channels[i].sender_inits = c->channels[i].receiver_inits = 0;
}

void mpg_crossings_clear(struct mpg_crossings *c)
{
    mpg_map_clear(&c->channel_index);
    mpg_map_clear(&c->meeting_index);
    free(c->channels);
    free(c->meetings);
    *c = (struct mpg_crossings){.channels = NULL};
}
