/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates for each host the facts "cores" ("0-3,8": the cores that a rank may use) and "core_limit". */
#include "trace/cores.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

enum { MAX_CORES = 16384, WORD = 64 };

/* Returns the list of cores of P; "" if unknown. */
static const char *cores_of(const struct mpg_rank_cores *p)
{
    return p->cores ? p->cores : "";
}

static int compare_places(const void *a, const void *b)
{
    const struct mpg_rank_cores *x = a, *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    const int order = strcmp(cores_of(x), cores_of(y));
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Adds the cores in TEXT, such as "0-3,8", to the bit set SET. Returns false if TEXT is not a list of cores. */
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
        if (end == text || last < first || last >= MAX_CORES)
            return false;
        for (unsigned long core = first; core <= last; core++)
            set[core / WORD] |= UINT64_C(1) << core % WORD;
        text = end + 1;
    } while (*end == ',');
    return *end == '\0';
}

/* Returns the number of cores that the N ranks PLACE may use in total; 0: unknown for at least one rank. */
static int count_cores(const struct mpg_rank_cores *place, size_t n)
{
    uint64_t set[MAX_CORES / WORD] = {0};
    int count = 0;
    for (size_t i = 0; i < n; i++)
        if ((i == 0 || strcmp(cores_of(&place[i]), cores_of(&place[i - 1])) != 0) &&
            !add_cores(set, cores_of(&place[i])))
            return 0;
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        count += __builtin_popcountll(set[i]);
    return count;
}

/* Among the N ranks PLACE, sorted by cores, finds the largest set of ranks bound to the same set of cores, if the cores are fewer
 * than the ranks. Stores the numbers of ranks and cores of this set in HOST. */
static void find_crowd(const struct mpg_rank_cores *place, size_t n, struct mpg_host_cores *host)
{
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && strcmp(cores_of(&place[end]), cores_of(&place[first])) == 0;)
            end++;
        const int cores = count_cores(place + first, end - first);
        if (cores > 0 && end - first > (size_t)cores && (int32_t)(end - first) > host->crowded) {
            host->crowded = (int32_t)(end - first);
            host->room = cores;
        }
    }
}

static struct mpg_host_cores describe(const struct mpg_rank_cores *place, size_t n)
{
    struct mpg_host_cores host = {.name = place->name, .ranks = (int32_t)n, .cores = count_cores(place, n)};
    for (size_t i = 0; i < n; i++) {
        const double limit = mpg_units_parse_fact(place[i].limit, 0);
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

int mpg_cores_of(struct mpg_rank_cores *place, size_t n, struct mpg_host_cores **list, size_t *hosts,
                 struct mpg_error *err)
{
    *hosts = 0;
    *list = calloc(n + 1, sizeof **list);
    if (!*list)
        return mpg_error_set(err, "out of memory");
    qsort(place, n, sizeof *place, compare_places);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && place[end].host == place[first].host;)
            end++;
        (*list)[(*hosts)++] = describe(place + first, end - first);
    }
    return 0;
}

int mpg_trace_cores(const struct mpg_trace *t, struct mpg_host_cores **list, size_t *n,
                    struct mpg_error *err)
{
    const size_t ranks = (size_t)mpg_trace_ranks(t);
    struct mpg_rank_cores *place = calloc(ranks, sizeof *place);
    *list = NULL;
    *n = 0;
    if (!place)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < ranks; i++) {
        const int32_t rank = (int32_t)i;
        place[i] = (struct mpg_rank_cores){.host = mpg_trace_host(t, rank),
                                           .rank = rank,
                                           .name = mpg_trace_find_fact(t, rank, "host"),
                                           .cores = mpg_trace_find_fact(t, rank, "cores"),
                                           .limit = mpg_trace_find_fact(t, rank, "core_limit")};
    }
    const int status = mpg_cores_of(place, ranks, list, n, err);
    free(place);
    return status;
}
