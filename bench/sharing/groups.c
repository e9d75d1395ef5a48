/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selection of pairs that send at the same time. */
#include "config.h"

#include "bench/sharing/groups.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A rank, with its host and core complex. */
struct member {
    int rank;
    int host, complex; /* lowest rank on this rank's host, and in this rank's core complex (unknown complex: the rank itself) */
    int host_size, complex_size; /* number of listed ranks on this host, and in this complex */
};

static bool same_host(const struct mpg_rank_location *x, const struct mpg_rank_location *y)
{
    return strcmp(x->host, y->host) == 0;
}

static bool same_complex(const struct mpg_rank_location *x, const struct mpg_rank_location *y)
{
    return same_host(x, y) && x->complex[0] && strcmp(x->complex, y->complex) == 0;
}

/* Lists the ranks with their hosts and complexes into MEMBER, which has room for all ranks; returns the number of listed ranks.
 * CORES: only the first rank of each core. */
static int list_members(const struct mpg_ranks *ranks, bool cores, struct member *member)
{
    int n = 0;
    for (int r = 0; r < ranks->ranks; r++) {
        const struct mpg_rank_location *mine = &ranks->location[r];
        struct member made = {r, r, r, 0, 0};
        bool taken = false;
        for (int i = n - 1; i >= 0; i--) {
            const struct mpg_rank_location *other = &ranks->location[member[i].rank];
            if (same_host(mine, other))
                made.host = member[i].host;
            if (same_complex(mine, other))
                made.complex = member[i].complex;
            taken = taken || (same_host(mine, other) && mine->core >= 0 && mine->core == other->core);
        }
        if (!cores || !taken)
            member[n++] = made;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            member[i].host_size += member[k].host == member[i].host;
            member[i].complex_size += member[k].complex == member[i].complex;
        }
    return n;
}

static int make_room(struct mpg_sharing_group *group, int pairs, struct mpg_error *err)
{
    group->pair = malloc((size_t)(pairs + 1) * sizeof *group->pair);
    return group->pair ? 0 : mpg_error_set(err, "out of memory");
}

static void add_pair(struct mpg_sharing_group *group, int a, int b, enum mpg_path path)
{
    group->pair[group->pairs++] = (struct mpg_rank_pair){a, b, path};
}

static void pair_in_complex(const struct member *member, int n, struct mpg_sharing_group *group)
{
    int best = 0, before = -1;
    for (int i = 1; i < n; i++)
        if (member[i].complex_size > member[best].complex_size)
            best = i;
    for (int i = 0; i < n; i++) {
        if (member[i].complex != member[best].complex)
            continue;
        if (before >= 0)
            add_pair(group, before, member[i].rank, MPG_PATH_COMPLEX);
        before = before >= 0 ? -1 : member[i].rank;
    }
}

/* Compares members: larger complexes first, then ascending complexes and ranks. */
static int by_complex(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->complex_size != b->complex_size)
        return a->complex_size > b->complex_size ? -1 : 1;
    if (a->complex != b->complex)
        return a->complex > b->complex ? 1 : -1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int largest_complex(const struct member *member, int n, int host)
{
    int largest = 0;
    for (int i = 0; i < n; i++)
        if (member[i].host == host && member[i].complex_size > largest)
            largest = member[i].complex_size;
    return largest;
}

/* Returns the number of pairs of ranks in different complexes of HOST, which has SIZE ranks. */
static int pairs_of_host(const struct member *member, int n, int host, int size)
{
    int others = size - largest_complex(member, n, host);
    return others < size / 2 ? others : size / 2;
}

/* Reorders MEMBER. In a list sorted by complex, the largest complex first, two ranks that are at least the largest
 * complex's size apart are of different complexes. */
static void pair_in_node(struct member *member, int n, struct mpg_sharing_group *group)
{
    int best = 0, most = -1, found = 0;
    for (int i = 0; i < n; i++) {
        int pairs = pairs_of_host(member, n, member[i].host, member[i].host_size);
        if (pairs > most) {
            most = pairs;
            best = member[i].host;
        }
    }
    for (int i = 0; i < n; i++)
        if (member[i].host == best)
            member[found++] = member[i];
    int apart = largest_complex(member, found, best);
    apart = apart > found / 2 ? apart : found / 2;
    qsort(member, (size_t)found, sizeof *member, by_complex);
    for (int i = 0; i < most; i++)
        add_pair(group, member[i].rank, member[i + apart].rank, MPG_PATH_NODE);
}

static int next_of(const struct member *member, int n, int host, int from)
{
    while (from < n && member[from].host != host)
        from++;
    return from;
}

static void pair_between_nodes(const struct member *member, int n, struct mpg_sharing_group *group)
{
    int first = 0, second = -1;
    for (int i = 1; i < n; i++)
        if (member[i].host_size > member[first].host_size)
            first = i;
    for (int i = 0; i < n; i++)
        if (member[i].host != member[first].host && (second < 0 || member[i].host_size > member[second].host_size))
            second = i;
    if (second < 0)
        return;
    int a = next_of(member, n, member[first].host, 0), b = next_of(member, n, member[second].host, 0);
    while (a < n && b < n) {
        add_pair(group, member[a].rank, member[b].rank, MPG_PATH_BETWEEN);
        a = next_of(member, n, member[first].host, a + 1);
        b = next_of(member, n, member[second].host, b + 1);
    }
}

int mpg_sharing_groups_find(const struct mpg_ranks *ranks, struct mpg_sharing_group group[MPG_PATHS],
                            struct mpg_error *err)
{
    struct member *member = malloc((size_t)ranks->ranks * sizeof *member);
    int status = member ? 0 : mpg_error_set(err, "out of memory");
    memset(group, 0, MPG_PATHS * sizeof *group);
    for (int p = 0; p < MPG_PATHS && status == 0; p++)
        status = make_room(&group[p], ranks->ranks / 2, err);
    if (status == 0) {
        int n = list_members(ranks, false, member);
        pair_between_nodes(member, n, &group[MPG_PATH_BETWEEN]);
        n = list_members(ranks, true, member);
        pair_in_complex(member, n, &group[MPG_PATH_COMPLEX]);
        pair_in_node(member, n, &group[MPG_PATH_NODE]);
    } else {
        mpg_sharing_groups_clear(group);
    }
    free(member);
    return status;
}

void mpg_sharing_groups_clear(struct mpg_sharing_group group[MPG_PATHS])
{
    for (int p = 0; p < MPG_PATHS; p++)
        free(group[p].pair);
    memset(group, 0, MPG_PATHS * sizeof *group);
}
