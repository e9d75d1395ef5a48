/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs partitioned sends with partitioned receives. */
#include "graph/matching/partitioned.h"

static struct channel_pairs *find_pairs(struct channels *channels, const struct channel_name *user,
                                struct mpg_error *err)
{
    uint64_t key[2];
    mpg_graph_channel_keys(user, key);
    uint64_t *slot = mpg_map_add(&channels->pairs, key[0], key[1]);
    if (slot && *slot)
        return (struct channel_pairs *)(uintptr_t)*slot;
    struct channel_pairs *pairs = slot ? mpg_pool_take(&channels->pair_pool) : NULL;
    if (!pairs) {
        mpg_map_remove(&channels->pairs, key[0], key[1]);
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    pairs->number = channels->pair_number++;
    *slot = (uint64_t)(uintptr_t)pairs;
    return pairs;
}

int mpg_graph_pair_partitioned(struct matching *matching, const struct call *call, bool sends, int32_t comm, int32_t peer,
                               int32_t tag, struct channel_name *name, bool *foreign, struct mpg_error *err)
{
    int32_t other = mpg_graph_peer(matching->members, call, comm, peer, err);
    *foreign = other == MPG_FOREIGN;
    matching->counts->foreign += *foreign;
    if (*foreign)
        return 0;
    if (other < 0)
        return -1;
    const struct channel_name user = {SPACE_USER, comm, sends ? call->rank : other,
                                      sends ? other : call->rank, tag};
    struct channel_pairs *pairs = find_pairs(&matching->channels, &user, err);
    if (!pairs)
        return -1;
    *name = (struct channel_name){SPACE_PARTITIONED, pairs->number, user.source, user.destination,
                                  pairs->made[sends]++};
    return 0;
}
