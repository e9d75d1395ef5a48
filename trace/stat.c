/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace stat: what a trace holds, at a glance. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/option.h"
#include "common/output.h"
#include "common/units.h"
#include "trace/commands.h"
#include "trace/reader.h"

struct summary {
    uint64_t calls[MPG_CALL_COUNT];
    double time_ns[MPG_CALL_COUNT], sent_bytes[MPG_CALL_COUNT];
    double run_ns, longest_ns; /* sum and largest over ranks, Init's leave to Finalize's enter */
    int32_t incomplete;        /* ranks without Init or Finalize */
};

static int add_rank(struct mpg_trace *t, int32_t rank, struct summary *s, struct mpg_error *err)
{
    struct mpg_cursor *c = mpg_cursor_open(t, rank, err);
    struct mpg_event e;
    int64_t start = 0, end = 0;
    bool started = false, ended = false;
    int more = -1;
    while (c && (more = mpg_cursor_next(c, &e, err)) > 0) {
        enum mpg_kind kind = mpg_call_kind(e.call);
        s->calls[e.call]++;
        s->time_ns[e.call] += (double)(e.leave_ns - e.enter_ns);
        if (kind == MPG_KIND_SEND || kind == MPG_KIND_ISEND || kind == MPG_KIND_SENDRECV)
            s->sent_bytes[e.call] += (double)e.bytes;
        if (kind == MPG_KIND_INIT) {
            start = e.leave_ns;
            started = true;
        }
        if (kind == MPG_KIND_FINALIZE)
            ended = true;
        end = kind == MPG_KIND_FINALIZE ? e.enter_ns : e.leave_ns;
    }
    mpg_cursor_close(c);
    double run_ns = started ? (double)(end - start) : 0;
    s->run_ns += run_ns;
    if (run_ns > s->longest_ns)
        s->longest_ns = run_ns;
    s->incomplete += !started || !ended;
    return more;
}

/* Who said that recording stopped early, and why the first of them did. */
static void print_incomplete(const struct mpg_trace *t)
{
    int32_t ranks = 0, first = 0;
    const char *reason = NULL, *key, *value;
    for (int32_t r = 0; r < mpg_trace_ranks(t); r++)
        for (size_t i = 0; mpg_trace_fact(t, r, i, &key, &value); i++) {
            if (strcmp(key, "incomplete") != 0)
                continue;
            if (ranks++ == 0) {
                first = r;
                reason = value;
            }
            break;
        }
    if (ranks == 1)
        printf("incomplete  rank %d: %s\n", first, reason);
    else if (ranks > 1)
        printf("incomplete  %d ranks, the first of them rank %d: %s\n", ranks, first, reason);
}

static void print_head(const struct mpg_trace *t, const struct summary *s)
{
    static const char *const clocks[] = {"not comparable across ranks", "shared by all ranks",
                                         "offsets measured"};
    uint64_t events = mpg_trace_events(t, -1);
    char longest[32], size[32];
    const char *key, *value;
    printf("trace       %s\nranks       %d", mpg_trace_path(t), mpg_trace_ranks(t));
    if (s->incomplete)
        printf(" (%d without MPI_Init or MPI_Finalize)", s->incomplete);
    for (size_t i = 0; mpg_trace_fact(t, 0, i, &key, &value); i++)
        if (strcmp(key, "program") == 0 || strcmp(key, "host") == 0 || strcmp(key, "date") == 0)
            printf("\n%-11s %s", key, value);
    printf("\nrun time    %s (longest rank, MPI_Init to MPI_Finalize)\n",
           mpg_units_format_time(longest, sizeof longest, s->longest_ns));
    printf("clocks      %s\n", clocks[mpg_trace_clocks(t)]);
    printf("calls       %" PRIu64 ", %s on disk, %.2f bytes a call\n", events,
           mpg_units_format_size(size, sizeof size, (int64_t)mpg_trace_bytes(t)),
           events ? (double)mpg_trace_bytes(t) / (double)events : 0);
    print_incomplete(t);
    if (mpg_trace_cut(t))
        printf("cut off     %s\n", mpg_trace_cut(t));
}

static void print_calls(const struct summary *s)
{
    printf("\n%-24s %12s %12s %8s %12s\n", "call", "number", "time", "of run", "bytes sent");
    for (;;) {
        static bool shown[MPG_CALL_COUNT];
        int best = -1;
        for (int i = 0; i < MPG_CALL_COUNT; i++)
            if (s->calls[i] && !shown[i] && (best < 0 || s->time_ns[i] > s->time_ns[best]))
                best = i;
        if (best < 0)
            break;
        shown[best] = true;
        char time[32], bytes[32] = "";
        if (s->sent_bytes[best] > 0)
            mpg_units_format_size(bytes, sizeof bytes, (int64_t)s->sent_bytes[best]);
        enum mpg_kind kind = mpg_call_kind((enum mpg_call)best);
        char share[16] = "";
        if (kind != MPG_KIND_INIT && kind != MPG_KIND_FINALIZE && s->run_ns > 0)
            snprintf(share, sizeof share, "%.2f %%", 100 * s->time_ns[best] / s->run_ns);
        printf("MPI_%-20s %12" PRIu64 " %12s %8s %12s\n", mpg_call_name((enum mpg_call)best),
               s->calls[best], mpg_units_format_time(time, sizeof time, s->time_ns[best]), share,
               bytes);
    }
}

/* "untraced NAME COUNT" facts, summed over ranks by name. */
static int print_untraced(const struct mpg_trace *t, struct mpg_error *err)
{
    struct tally {
        char name[64];
        uint64_t count;
    } *tallies = NULL;
    size_t n = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(t); r++) {
        const char *key, *value;
        for (size_t i = 0; mpg_trace_fact(t, r, i, &key, &value); i++) {
            struct tally found = {.count = 0};
            if (strcmp(key, "untraced") != 0 ||
                sscanf(value, "%63s %" SCNu64, found.name, &found.count) != 2)
                continue;
            size_t j = 0;
            while (j < n && strcmp(tallies[j].name, found.name) != 0)
                j++;
            if (j == n) {
                void *grown = realloc(tallies, (n + 1) * sizeof *tallies);
                if (!grown) {
                    free(tallies);
                    return mpg_error_set(err, "out of memory");
                }
                tallies = grown;
                tallies[n] = found;
                tallies[n++].count = 0;
            }
            tallies[j].count += found.count;
        }
    }
    if (n)
        printf("\ncalls that passed through untraced:\n");
    for (size_t i = 0; i < n; i++)
        printf("%-24s %12" PRIu64 "\n", tallies[i].name, tallies[i].count);
    free(tallies);
    return 0;
}

int mpg_stat_main(int argc, char **argv)
{
    const struct mpg_option options[] = {{0}};
    const struct mpg_program program = {
        .name = "mpgtrace stat", .arguments = "TRACE",
        .summary = "Summarise TRACE: ranks, run time, calls, time in each, bytes a call.",
        .options = options, .min_arguments = 1, .max_arguments = 1};
    int first = mpg_option_parse(&program, argc, argv);

    struct mpg_error err;
    struct summary s = {0};
    struct mpg_trace *t = mpg_trace_open(argv[first], &err);
    int status = t ? 0 : -1;
    for (int32_t r = 0; status == 0 && r < mpg_trace_ranks(t); r++)
        status = add_rank(t, r, &s, &err);
    if (status == 0) {
        print_head(t, &s);
        print_calls(&s);
        status = print_untraced(t, &err);
    }
    mpg_trace_close(t);
    if (status == 0)
        status = mpg_stdout_close(&err);
    if (status < 0)
        mpg_error_print(program.name, &err);
    return status < 0 ? MPG_EXIT_FAILURE : MPG_EXIT_OK;
}
