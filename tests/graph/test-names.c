/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of pending entries by channel name (graph/matching/channel_table.h) and sequence numbers (sequences.h),
 * both compared with linear searches in arrays. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/matching/channel_table.h"
#include "graph/matching/sequences.h"
#include "tests/tap.h"

enum { NAMES = 4000, ROUNDS = 60000, RANKS = 3000 };

static uint64_t state = 20261123;

static uint32_t random_below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

/* Returns a random name with few ranks, communicators and tags: many names differ in a single field. */
static struct channel_name any_name(void)
{
    const int32_t where[] = {0, 1, 2, 1 << 30}, tag[] = {0, 1, -1, INT32_MAX};
    return (struct channel_name){(enum space)random_below(4), where[random_below(4)], (int32_t)random_below(12),
                                 (int32_t)random_below(12), tag[random_below(4)]};
}

static bool is_same(const struct channel_name *a, const struct channel_name *b)
{
    return a->space == b->space && a->where == b->where && a->source == b->source &&
           a->destination == b->destination && a->tag == b->tag;
}

struct model {
    struct channel_name name[NAMES];
    struct channel channel[NAMES];
    struct message message[NAMES];
    bool waits[NAMES], alone[NAMES];
    int n;
};

/* Returns the index of NAME, added if missing and if there is room; otherwise -1. */
static int find_in(struct model *m, const struct channel_name *name)
{
    for (int i = 0; i < m->n; i++)
        if (is_same(&m->name[i], name))
            return i;
    if (m->n == NAMES)
        return -1;
    const int i = m->n++;
    m->name[i] = m->channel[i].name = *name;
    m->message[i] = (struct message){.source = name->source, .destination = name->destination, .comm = name->where,
                                     .tag = name->tag, .space = name->space};
    return i;
}

static struct channel_entry what_of(struct model *m, int i)
{
    return m->alone[i] ? (struct channel_entry){.alone = &m->message[i]}
                       : (struct channel_entry){.channel = &m->channel[i]};
}

/* Looks up a random name, and then changes the name's entry. Returns whether the look-up found the expected entry. */
static bool look_up(struct channel_table *channel_table, struct model *m)
{
    const struct channel_name name = any_name();
    void **where;
    const int i = find_in(m, &name);
    if (i < 0)
        return true;
    const uint32_t hash = mpg_graph_channel_hash(&name);
    mpg_graph_channel_expect(channel_table, &name);
    const struct channel_entry found = mpg_graph_channel_find(channel_table, &name, hash, &where);
    const struct channel_entry expected = m->waits[i] ? what_of(m, i) : (struct channel_entry){NULL, NULL};
    if (found.alone != expected.alone || found.channel != expected.channel || !where != !m->waits[i])
        return false;
    if (!m->waits[i]) {
        m->waits[i] = true;
        m->alone[i] = random_below(2);
        return mpg_graph_channel_add(channel_table, hash, what_of(m, i)) == 0;
    }
    if (m->alone[i] && random_below(2)) {
        m->alone[i] = false;
        mpg_graph_channel_change(where, what_of(m, i));
        return true;
    }
    m->waits[i] = false;
    mpg_graph_channel_remove(channel_table, hash, where);
    return true;
}

static size_t waiting(const struct model *m)
{
    size_t n = 0;
    for (int i = 0; i < m->n; i++)
        n += m->waits[i];
    return n;
}

static void test_places(void)
{
    static struct model m;
    struct channel_table channel_table = {0};
    bool right = true;
    size_t i = 0, listed = 0;
    for (int round = 0; round < ROUNDS && right; round++)
        right = look_up(&channel_table, &m);
    ok(right, "%d look-ups of %d names find what waits there", ROUNDS, m.n);
    ok(channel_table.count == waiting(&m), "as much waits as was left: %zu", channel_table.count);
    for (struct channel_entry p; p = mpg_graph_channel_next(&channel_table, &i), p.alone || p.channel;)
        listed++;
    ok(listed == waiting(&m), "all of it is listed: %zu", listed);
    for (int k = 0; k < m.n; k++) {
        void **where;
        if (!m.waits[k])
            continue;
        const uint32_t hash = mpg_graph_channel_hash(&m.name[k]);
        (void)mpg_graph_channel_find(&channel_table, &m.name[k], hash, &where);
        mpg_graph_channel_remove(&channel_table, hash, where);
    }
    uint64_t passed = 0;
    for (size_t l = 0; l < channel_table.lines; l++)
        passed += channel_table.line[l].passed;
    ok(channel_table.count == 0 && passed == 0, "without any of it no line says that something stands behind it");
    mpg_graph_channel_table_clear(&channel_table);
}

/* --- lines of the table that overflow --- */

enum { LINES = 16, OF_A_LINE = BUCKET_ENTRIES + 1, LONGEST_S = 60 };

/* Messages for each line of an otherwise empty table, with different tags only. */
struct round {
    struct channel_table channel_table;
    struct message message[LINES][OF_A_LINE];
    int n[LINES];
    int32_t tag;
};

static struct channel_name name_of(const struct message *m)
{
    return (struct channel_name){(enum space)m->space, m->comm, m->source, m->destination, m->tag};
}

static bool add(struct round *r, struct message *m)
{
    const struct channel_name name = name_of(m);
    return mpg_graph_channel_add(&r->channel_table, mpg_graph_channel_hash(&name), (struct channel_entry){.alone = m}) == 0;
}

static void take(struct round *r, const struct message *m)
{
    const struct channel_name name = name_of(m);
    const uint32_t hash = mpg_graph_channel_hash(&name);
    void **where;
    if (mpg_graph_channel_find(&r->channel_table, &name, hash, &where).alone == m)
        mpg_graph_channel_remove(&r->channel_table, hash, where);
}

/* Returns the line of M's name in an otherwise empty table. */
static size_t line_of(struct round *r, struct message *m)
{
    size_t l = 0;
    if (!add(r, m))
        return LINES;
    while (l < LINES && !r->channel_table.line[l].entry[0])
        l++;
    take(r, m);
    return l;
}

/* Finds for each line as many messages as fit, and another one. */
static bool find_messages(struct round *r)
{
    for (size_t found = 0; found < LINES * OF_A_LINE; r->tag++) {
        struct message m = {.is_sent = true, .tag = r->tag};
        const size_t l = line_of(r, &m);
        if (l >= LINES || r->channel_table.lines != LINES)
            return false;
        if (r->n[l] == OF_A_LINE)
            continue;
        r->message[l][r->n[l]++] = m;
        found++;
    }
    return true;
}

/* Fills the lines in turn, each by an entry too many, which overflows to the next line; then removes all entries of the
 * line but the overflowed. */
static void test_round(void)
{
    static struct round r;
    void **where;
    bool passed = true, right = true;
    ok(find_messages(&r), "messages of each line of a table");
    for (int l = 0; l < LINES; l++) {
        for (int i = l > 0; i < OF_A_LINE; i++)
            right = right && add(&r, &r.message[l][i]);
        for (int i = l > 0; i < OF_A_LINE - 1; i++)
            take(&r, &r.message[l][i]);
    }
    for (int l = 0; l < LINES; l++)
        passed = passed && r.channel_table.line[l].passed == 1;
    ok(right && passed && r.channel_table.count == LINES && r.channel_table.lines == LINES,
       "each line has been passed by what stays");
    const struct channel_name missing = {SPACE_USER, 0, 0, 0, r.tag};
    const uint32_t hash = mpg_graph_channel_hash(&missing);
    alarm(LONGEST_S);
    const struct channel_entry found = mpg_graph_channel_find(&r.channel_table, &missing, hash, &where);
    alarm(0);
    ok(!found.alone && !found.channel && !where, "what is not there is not found, all the same");
    for (int l = 0; l < LINES; l++)
        take(&r, &r.message[l][OF_A_LINE - 1]);
    ok(r.channel_table.count == 0, "and what is there is");
    mpg_graph_channel_table_clear(&r.channel_table);
}

/* Returns rank I of a series: consecutive ranks, ranks that differ by powers of 2, and scattered ranks. */
static int32_t rank_of(int i)
{
    return i % 3 == 0 ? i / 3 : i % 3 == 1 ? i << 12 : (int32_t)((uint32_t)i * 2654435761u >> 1);
}

static void test_sequences(void)
{
    struct sequences sequences = {0};
    struct mpg_error err;
    bool right = true;
    for (int i = 0; i < RANKS; i++)
        right = right && mpg_graph_sequence(&sequences, rank_of(i), &err) == (uint32_t)i + 1;
    ok(right, "each rank that is new gets the next number");
    for (int i = 0; i < RANKS; i++)
        right = right && mpg_graph_sequence(&sequences, rank_of(i), &err) == (uint32_t)i + 1 && sequences.count[i] == 0;
    ok(right, "and keeps it");
    mpg_graph_sequences_clear(&sequences);
}

int main(void)
{
    test_places();
    test_round();
    test_sequences();
    return done();
}
