/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts "cores" ("0-3,8") and "core_limit" of ranks, host by host. */
#include "trace/cores.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CORES = 16384, WORD = 64 };

struct place { /* where a rank ran */
    int32_t host, rank;
    const char *cores; /* "": not said */
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    const int order = strcmp(x->cores, y->cores);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Adds the cores of TEXT to SET; false if it is no list of them. */
static bool add_cores(uint64_t *set, const char *text)
{
    char *end;
    do {
        const unsigned long first = strtoul(text, &end, 10);
        unsigned long last = first;
        if (end == text)
            return false;
        if (*end == '-') {
            text = end + 1;
            last = strtoul(text, &end, 10);
        }
        if (end == text || last < first || last >= MOST_CORES)
            return false;
        for (unsigned long core = first; core <= last; core++)
            set[core / WORD] |= UINT64_C(1) << core % WORD;
        text = end + 1;
    } while (*end == ',');
    return *end == '\0';
}

/* How many cores the N places have together; 0: some do not say. */
static int count_cores(const struct place *place, size_t n)
{
    uint64_t set[MOST_CORES / WORD] = {0};
    int count = 0;
    for (size_t i = 0; i < n; i++)
        if ((i == 0 || strcmp(place[i].cores, place[i - 1].cores) != 0) &&
            !add_cores(set, place[i].cores))
            return 0;
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        count += __builtin_popcountll(set[i]);
    return count;
}

/* Of the N places of a host, what the same cores were given to too often, if any. */
static void find_crowd(const struct place *place, size_t n, struct mpg_host_cores *host)
{
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && strcmp(place[end].cores, place[first].cores) == 0;)
            end++;
        const int cores = count_cores(place + first, end - first);
        if (cores > 0 && end - first > (size_t)cores && (int32_t)(end - first) > host->crowded) {
            host->crowded = (int32_t)(end - first);
            host->room = cores;
        }
    }
}

static struct mpg_host_cores describe(const struct mpg_trace *t, const struct place *place, size_t n)
{
    struct mpg_host_cores host = {.name = mpg_trace_find_fact(t, place->rank, "host"),
                                  .ranks = (int32_t)n,
                                  .cores = count_cores(place, n)};
    for (size_t i = 0; i < n; i++) {
        const char *text = mpg_trace_find_fact(t, place[i].rank, "core_limit");
        const double limit = text ? strtod(text, NULL) : 0;
        if (limit > 0 && (host.limit == 0 || limit < host.limit))
            host.limit = limit;
    }
    double room = host.cores;
    if (host.limit > 0 && (room == 0 || host.limit < room))
        room = host.limit;
    if (room > 0 && host.ranks > room) {
        host.crowded = host.ranks;
        host.room = room;
    } else {
        find_crowd(place, n, &host);
    }
    return host;
}

int mpg_trace_cores(const struct mpg_trace *t, struct mpg_host_cores **list, size_t *n,
                    struct mpg_error *err)
{
    const size_t ranks = (size_t)mpg_trace_ranks(t);
    struct place *place = calloc(ranks, sizeof *place);
    *list = calloc(ranks, sizeof **list);
    *n = 0;
    if (!place || !*list) {
        free(place);
        free(*list);
        *list = NULL;
        return mpg_error_set(err, "out of memory");
    }
    for (size_t i = 0; i < ranks; i++) {
        const char *cores = mpg_trace_find_fact(t, (int32_t)i, "cores");
        place[i] = (struct place){mpg_trace_host(t, (int32_t)i), (int32_t)i, cores ? cores : ""};
    }
    qsort(place, ranks, sizeof *place, compare_places);
    for (size_t first = 0, end; first < ranks; first = end) {
        for (end = first + 1; end < ranks && place[end].host == place[first].host;)
            end++;
        (*list)[(*n)++] = describe(t, place + first, end - first);
    }
    free(place);
    return 0;
}
