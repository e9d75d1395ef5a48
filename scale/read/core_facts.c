/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the cores that the ranks of a run may use, by host. */
#include "scale/read/core_facts.h"

#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

int mpg_scale_core_facts_add(struct scale_core_facts *facts, int32_t rank, const char *host, const char *cores, const char *limit,
                             struct mpg_error *err)
{
    const char *const values[] = {host, cores, limit};
    if (mpg_reserve_at(&facts->rank, sizeof *facts->rank, &facts->capacity, facts->n + 1, err) < 0 ||
        mpg_reserve_at(&facts->text, sizeof *facts->text, &facts->text_capacity, facts->n + 1, err) < 0)
        return -1;
    char **text = facts->text[facts->n];
    bool copied = true;
    for (int i = 0; i < 3; i++)
        copied &= (text[i] = values[i] ? strdup(values[i]) : NULL) || !values[i];
    facts->rank[facts->n++] = (struct mpg_rank_cores){.rank = rank, .name = text[0], .cores = text[1], .limit = text[2]};
    return copied ? 0 : out_of_memory(err);
}

static const char *host_of(const struct mpg_rank_cores *rank)
{
    return rank->name ? rank->name : "";
}

static int by_host(const void *a, const void *b)
{
    return strcmp(host_of(a), host_of(b));
}

int mpg_scale_core_facts_max(const struct mpg_host_cores *host, size_t n, struct scale_run *run, struct mpg_error *err)
{
    const struct mpg_host_cores *max = NULL;
    for (size_t i = 0; i < n; i++)
        if (host[i].crowded > 0 && (!max || host[i].crowded * max->room > max->crowded * host[i].room))
            max = &host[i];
    if (!max)
        return 0;
    run->crowded = max->crowded;
    run->room = max->room;
    run->crowded_on = max->name ? strdup(max->name) : NULL;
    return max->name && !run->crowded_on ? out_of_memory(err) : 0;
}

int mpg_scale_core_facts_judge(struct scale_core_facts *facts, struct scale_run *run, struct mpg_error *err)
{
    struct mpg_host_cores *host = NULL;
    size_t hosts;
    if (facts->n == 0)
        return 0;
    qsort(facts->rank, facts->n, sizeof *facts->rank, by_host);
    facts->rank[0].host = 0;
    for (uint32_t i = 1; i < facts->n; i++)
        facts->rank[i].host = facts->rank[i - 1].host + (by_host(&facts->rank[i], &facts->rank[i - 1]) != 0);
    int status = mpg_cores_of(facts->rank, facts->n, &host, &hosts, err);
    if (status == 0)
        status = mpg_scale_core_facts_max(host, hosts, run, err);
    free(host);
    return status;
}

void mpg_scale_core_facts_clear(struct scale_core_facts *facts)
{
    for (uint32_t i = 0; i < facts->n; i++)
        for (int k = 0; k < 3; k++)
            free(facts->text[i][k]);
    free(facts->text);
    free(facts->rank);
    *facts = (struct scale_core_facts){0};
}
