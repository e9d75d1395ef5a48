/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Only tags in the upper half of MPI's range get new numbers, and the new numbers also lie in the upper half. A new tag
 * therefore never equals a kept tag, and ranks need to exchange only large tags. */
#include "replay/tags.h"

#include <stdlib.h>
#include <string.h>

#include "common/map.h"

int32_t mpg_tags_max(const struct mpg_event *e)
{
    int32_t max = e->tag > e->recvtag ? e->tag : e->recvtag;
    for (uint32_t i = 0; i < e->resolution_number; i++)
        if (e->resolutions[i].tag > max)
            max = e->resolutions[i].tag;
    return max > 0 ? max : 0;
}

int32_t mpg_tags_above(int32_t limit)
{
    return limit / 2;
}

static int by_tag(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int note(struct mpg_map *seen, int32_t above, int32_t tag, struct mpg_error *err)
{
    if (tag <= above || mpg_map_add(seen, (uint64_t)tag, 0))
        return 0;
    return mpg_error_set(err, "out of memory");
}

static int note_all(struct mpg_map *seen, int32_t above, const struct mpg_event *e, struct mpg_error *err)
{
    if (mpg_tags_max(e) <= above)
        return 0;
    for (uint32_t i = 0; i < e->resolution_number; i++)
        if (note(seen, above, e->resolutions[i].tag, err) < 0)
            return -1;
    return note(seen, above, e->tag, err) < 0 ? -1 : note(seen, above, e->recvtag, err);
}

static int list(const struct mpg_map *seen, struct mpg_tags *tags, struct mpg_error *err)
{
    tags->tag = malloc((seen->count + 1) * sizeof *tags->tag);
    if (!tags->tag)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < seen->capacity; i++)
        if (seen->entries[i].used)
            tags->tag[tags->n++] = (int32_t)seen->entries[i].key[0];
    return 0;
}

int mpg_tags_collect(struct mpg_trace *trace, int32_t rank, int32_t above, struct mpg_tags *tags, struct mpg_error *err)
{
    const struct mpg_event *e;
    struct mpg_map seen = {0};
    *tags = (struct mpg_tags){.above = above};
    struct mpg_cursor *c = mpg_cursor_open(trace, rank, err);
    int more = -1;
    while (c && (more = mpg_cursor_read(c, &e, err)) > 0)
        if (note_all(&seen, above, e, err) < 0) {
            more = -1;
            break;
        }
    mpg_cursor_close(c);
    const int status = more < 0 ? -1 : list(&seen, tags, err);
    mpg_map_clear(&seen);
    return status;
}

/* Sorts the tags ascending and removes duplicates. */
static void sort(struct mpg_tags *tags)
{
    size_t kept = 0;
    qsort(tags->tag, tags->n, sizeof *tags->tag, by_tag);
    for (size_t i = 0; i < tags->n; i++)
        if (kept == 0 || tags->tag[kept - 1] != tags->tag[i])
            tags->tag[kept++] = tags->tag[i];
    tags->n = kept;
}

/* Adds the lists of the ranks one at a time: a process never holds more than the joined list and a single further list. */
int mpg_tags_join(struct mpg_tags *tags, const struct mpg_enactor *mpi, int32_t rank, int32_t ranks, struct mpg_error *err)
{
    struct mpg_tags all = {.above = tags->above};
    for (int32_t from = 0; from < ranks; from++) {
        int32_t more = (int32_t)tags->n;
        mpi->broadcast(from, &more, 1);
        int32_t *grown = realloc(all.tag, (all.n + (size_t)more + 1) * sizeof *grown);
        if (!grown) {
            mpg_tags_clear(&all);
            return mpg_error_set(err, "out of memory");
        }
        all.tag = grown;
        if (from == rank && more > 0)
            memcpy(all.tag + all.n, tags->tag, (size_t)more * sizeof *all.tag);
        mpi->broadcast(from, all.tag + all.n, more);
        all.n += (size_t)more;
        sort(&all);
    }
    mpg_tags_clear(tags);
    *tags = all;
    return 0;
}

int32_t mpg_tags_map(const struct mpg_tags *tags, int32_t tag)
{
    if (tag <= tags->above)
        return tag;
    const int32_t *at = bsearch(&tag, tags->tag, tags->n, sizeof tag, by_tag);
    return at ? tags->above + 1 + (int32_t)(at - tags->tag) : tag;
}

void mpg_tags_clear(struct mpg_tags *tags)
{
    free(tags->tag);
    *tags = (struct mpg_tags){.tag = NULL};
}
