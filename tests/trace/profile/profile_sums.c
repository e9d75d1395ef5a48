/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints "RANK CALL NUMBER SENT RECEIVED STACK" from a profile, or from the events of a trace, in the same order:
 * `mpgtrace record` must give the same sums with and without --profile (tests/trace/profile/test-profile.sh). A
 * stack is MODULE+OFFSET..., innermost frame first. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/profile/profile.h"

struct sums {
    int32_t rank, site;
    enum mpg_call call;
    uint64_t count;
    int64_t sent, received;
    char *stack;
};

static struct sums *all;
static size_t number;

static void fail(const struct mpg_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static struct sums *find(int32_t rank, enum mpg_call call, int32_t site)
{
    for (size_t i = number; i-- > 0 && all[i].rank == rank;)
        if (all[i].call == call && all[i].site == site)
            return &all[i];
    all = realloc(all, (number + 1) * sizeof *all);
    all[number] = (struct sums){.rank = rank, .call = call, .site = site};
    return &all[number++];
}

static void describe(char *text, size_t size, const struct mpg_site *site, const void *of,
                     const struct mpg_module *(*module_of)(const void *, int32_t))
{
    size_t used = 0;
    for (uint32_t i = 0; i < site->frame_number && used < size; i++) {
        const struct mpg_frame *f = &site->frames[i];
        const char *path = f->module < 0 ? "?" : module_of(of, f->module)->path;
        const char *slash = strrchr(path, '/');
        used += (size_t)snprintf(text + used, size - used, " %s+0x%" PRIx64,
                                 slash ? slash + 1 : path, f->offset);
    }
}

static const struct mpg_module *of_profile(const void *p, int32_t module)
{
    return mpg_profile_module(p, module);
}

static const struct mpg_module *of_trace(const void *t, int32_t module)
{
    return mpg_trace_module(t, module);
}

static void read_profile(const char *path)
{
    struct mpg_error err;
    struct mpg_profile_rank rank;
    int more = -1;
    struct mpg_profile *p = mpg_profile_open(path, &err);
    while (p && (more = mpg_profile_next(p, &rank, &err)) > 0)
        for (size_t i = 0; i < rank.row_number; i++) {
            const struct mpg_profile_row *row = &rank.rows[i];
            char text[8192] = " ?";
            struct sums *s = find(rank.rank, row->call, row->site);
            s->count += row->count;
            s->sent += row->sent_bytes;
            s->received += row->received_bytes;
            if (row->site >= 0)
                describe(text, sizeof text, mpg_profile_site(p, row->site), p, of_profile);
            s->stack = strdup(text);
        }
    if (more < 0)
        fail(&err);
    mpg_profile_close(p);
}

static void read_rank(struct mpg_trace *t, int32_t rank)
{
    struct mpg_error err;
    struct mpg_event e;
    int more = -1;
    struct mpg_cursor *c = mpg_cursor_open(t, rank, &err);
    while (c && (more = mpg_cursor_next(c, &e, &err)) > 0) {
        int64_t sent, received;
        char text[8192] = " ?";
        if (mpg_call_kind(e.call) == MPG_KIND_FLUSH)
            continue;
        mpg_event_bytes(&e, &sent, &received);
        struct sums *s = find(rank, e.call, e.site);
        s->count++;
        s->sent += sent;
        s->received += received;
        if (s->stack)
            continue;
        if (e.site >= 0)
            describe(text, sizeof text, mpg_trace_site(t, e.site), t, of_trace);
        s->stack = strdup(text);
    }
    if (more < 0)
        fail(&err);
    mpg_cursor_close(c);
}

static void read_trace(const char *path)
{
    struct mpg_error err;
    struct mpg_trace *t = mpg_trace_open(path, &err);
    if (!t)
        fail(&err);
    for (int32_t rank = 0; rank < mpg_trace_ranks(t); rank++)
        read_rank(t, rank);
    mpg_trace_close(t);
}

static int in_order(const void *a, const void *b)
{
    const struct sums *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    return strcmp(x->stack, y->stack);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (mpg_profile_is(argv[1]))
        read_profile(argv[1]);
    else
        read_trace(argv[1]);
    qsort(all, number, sizeof *all, in_order);
    for (size_t i = 0; i < number; i++) {
        printf("%d %s %" PRIu64 " %" PRId64 " %" PRId64 "%s\n", all[i].rank,
               mpg_call_name(all[i].call), all[i].count, all[i].sent, all[i].received,
               all[i].stack);
        free(all[i].stack);
    }
    free(all);
    return 0;
}
