/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the calls of each function that the tracer does not record, over all ranks. */
#include "trace/untraced.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"

enum { FEW = 4 }; /* maximum number of functions named in a line */

/* Calls of one function by one rank. */
struct entry {
    struct mpg_untraced_call call;
    int32_t rank;
};

struct entries {
    struct entry *all;
    size_t count, capacity;
    struct mpg_map by_string; /* (string number of the function's name, rank) -> 1 + index in ALL */
};

static int add(struct entries *list, const struct entry *entry, struct mpg_error *err)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        void *grown = realloc(list->all, capacity * sizeof *list->all);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        list->all = grown;
        list->capacity = capacity;
    }
    list->all[list->count++] = *entry;
    return 0;
}

/* Parses "NAME COUNT", or "NAME COUNT local". */
static bool parse_fact(const char *value, struct mpg_untraced_call *call)
{
    size_t length = strcspn(value, " ");
    char *end;
    errno = 0;
    call->name = value;
    call->length = (int)length;
    call->calls = strtoull(value + length, &end, 10);
    call->local = strcmp(end, " local") == 0;
    return length > 0 && length < 256 && value[length] && errno == 0 && call->calls > 0 &&
           (*end == '\0' || call->local);
}

static int add_facts(const struct mpg_trace *t, int32_t rank, struct entries *list,
                     struct mpg_error *err)
{
    const char *key, *value;
    for (size_t i = 0; mpg_trace_fact(t, rank, i, &key, &value); i++) {
        struct entry entry = {.rank = rank};
        if (strcmp(key, "untraced") == 0 && parse_fact(value, &entry.call) &&
            add(list, &entry, err) < 0)
            return -1;
    }
    return 0;
}

static int add_event(const struct mpg_trace *t, int32_t rank, const struct mpg_event *e,
                     struct entries *list, struct mpg_error *err)
{
    uint64_t *place = mpg_map_add(&list->by_string, (uint64_t)e->string, (uint64_t)rank);
    if (!place)
        return mpg_error_set(err, "out of memory");
    if (*place == 0) {
        const char *name = mpg_trace_string(t, e->string);
        struct entry entry = {{.name = name, .length = (int)strlen(name)}, rank};
        if (add(list, &entry, err) < 0)
            return -1;
        *place = list->count;
    }
    list->all[*place - 1].call.calls++;
    return 0;
}

static int add_events(struct mpg_trace *t, int32_t rank, struct entries *list,
                      struct mpg_error *err)
{
    struct mpg_cursor *c = mpg_cursor_open(t, rank, err);
    struct mpg_event e;
    int more = -1;
    while (c && (more = mpg_cursor_next(c, &e, err)) > 0)
        if (e.call == MPG_CALL_Unknown && !e.failed && add_event(t, rank, &e, list, err) < 0)
            more = -1;
    mpg_cursor_close(c);
    return more < 0 ? -1 : 0;
}

static int compare_names(const struct mpg_untraced_call *a, const struct mpg_untraced_call *b)
{
    int length = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->name, b->name, (size_t)length);
    return order ? order : a->length != b->length ? a->length - b->length : a->local - b->local;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = compare_names(&x->call, &y->call);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_calls(const void *a, const void *b)
{
    const struct mpg_untraced_call *x = a, *y = b;
    if (x->calls != y->calls)
        return x->calls < y->calls ? 1 : -1;
    return compare_names(x, y);
}

/* Adds up the entries of all ranks for each function, in LIST. Returns 0, or -1 with ERR. */
static int join(struct entries *from, struct mpg_untraced_calls *list, struct mpg_error *err)
{
    if (from->count == 0)
        return 0;
    qsort(from->all, from->count, sizeof *from->all, compare_entries);
    list->calls = calloc(from->count, sizeof *list->calls);
    if (!list->calls)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < from->count; i++) {
        const struct entry *entry = &from->all[i];
        bool same = i > 0 && compare_names(&entry[-1].call, &entry->call) == 0;
        if (!same)
            list->calls[list->count++] =
                (struct mpg_untraced_call){.name = entry->call.name,
                                           .length = entry->call.length,
                                           .local = entry->call.local};
        struct mpg_untraced_call *call = &list->calls[list->count - 1];
        call->calls += entry->call.calls;
        call->ranks += !same || entry[-1].rank != entry->rank;
    }
    qsort(list->calls, list->count, sizeof *list->calls, compare_calls);
    return 0;
}

int mpg_untraced_find(struct mpg_trace *t, bool events, struct mpg_untraced_calls *list,
                      struct mpg_error *err)
{
    struct entries entries = {0};
    int status = 0;
    *list = (struct mpg_untraced_calls){0};
    for (int32_t r = 0; status == 0 && r < mpg_trace_ranks(t); r++) {
        status = add_facts(t, r, &entries, err);
        if (status == 0 && events)
            status = add_events(t, r, &entries, err);
    }
    if (status == 0)
        status = join(&entries, list, err);
    mpg_map_clear(&entries.by_string);
    free(entries.all);
    return status;
}

void mpg_untraced_clear(struct mpg_untraced_calls *list)
{
    free(list->calls);
    *list = (struct mpg_untraced_calls){0};
}

bool mpg_untraced_words(const struct mpg_untraced_calls *list, char *text, size_t size)
{
    size_t used = 0, shown = 0, others = 0;
    text[0] = '\0';
    for (size_t i = 0; i < list->count; i++) {
        const struct mpg_untraced_call *c = &list->calls[i];
        if (c->local || used + 1 >= size)
            continue;
        if (shown == FEW) {
            others++;
            continue;
        }
        int n = snprintf(text + used, size - used, "%s%" PRIu64 "%s of %.*s", shown ? ", " : "",
                         c->calls, shown ? "" : c->calls == 1 ? " call" : " calls",
                         c->length < 64 ? c->length : 64, c->name);
        used += n > 0 ? (size_t)n : 0;
        shown++;
    }
    if (others && used + 1 < size)
        snprintf(text + used, size - used, " and of %zu other functions", others);
    return shown > 0;
}
