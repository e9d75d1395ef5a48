/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace stat's tables of calls, regions and ranks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/units.h"
#include "trace/stat/stat.h"

void mpg_stat_print_more(size_t n, size_t shown)
{
    if (shown < n)
        printf("... and %zu more\n", n - shown);
}

char *mpg_stat_bytes(char *text, size_t size, double bytes)
{
    text[0] = '\0';
    return bytes > 0 ? mpg_units_format_size(text, size, (int64_t)bytes) : text;
}

static void print_call(const struct stat_summary *s, enum mpg_call call, int width)
{
    const struct stat_sum *sum = &s->calls[call];
    char name[64], time[32], sent[32], received[32], share[16] = "";
    enum mpg_kind kind = mpg_call_kind(call);
    if (kind != MPG_KIND_INIT && kind != MPG_KIND_FINALIZE && s->run_ns > 0)
        snprintf(share, sizeof share, "%.2f %%", 100 * sum->time_ns / s->run_ns);
    snprintf(name, sizeof name, "%s%s", mpg_call_prefix(call), mpg_call_name(call));
    printf("%-*s %12" PRIu64 " %12s %8s %12s %12s\n", width, name, sum->number,
           mpg_units_format_time(time, sizeof time, sum->time_ns), share,
           mpg_stat_bytes(sent, sizeof sent, sum->sent_bytes),
           mpg_stat_bytes(received, sizeof received, sum->received_bytes));
}

void mpg_stat_print_calls(const struct stat_summary *s, size_t top)
{
    bool shown[MPG_CALL_COUNT] = {false};
    int width = 24;
    size_t n = 0, rows = 0;
    for (int i = 0; i < MPG_CALL_COUNT; i++) {
        int length = (int)strlen(mpg_call_name((enum mpg_call)i)) + 4;
        if (s->calls[i].number && length > width)
            width = length;
        n += s->calls[i].number > 0;
    }
    printf("\n%-*s %12s %12s %8s %12s %12s\n", width, "call", "number", "time", "of run", "sent",
           "received");
    for (; top == 0 || rows < top; rows++) {
        int best = -1;
        for (int i = 0; i < MPG_CALL_COUNT; i++)
            if (s->calls[i].number && !shown[i] &&
                (best < 0 || s->calls[i].time_ns > s->calls[best].time_ns))
                best = i;
        if (best < 0)
            break;
        shown[best] = true;
        print_call(s, (enum mpg_call)best, width);
    }
    mpg_stat_print_more(n, rows);
}

static int compare_regions(const void *a, const void *b)
{
    const struct stat_region *x = *(const struct stat_region *const *)a;
    const struct stat_region *y = *(const struct stat_region *const *)b;
    return (x->time_ns < y->time_ns) - (x->time_ns > y->time_ns);
}

/* Whether REGION, named so, is a level of MPI_Pcontrol that nothing ended: other tools have levels that are no regions. */
static bool is_mere_level(const struct stat_region *region, const char *name)
{
    return region->number == region->unended && name[strspn(name, "0123456789")] == '\0';
}

/* What did not end. */
static void print_unended(const struct stat_summary *s)
{
    const char *before = "\n";
    for (size_t i = 0; i < s->region_number; i++) {
        char name[4 * MPG_TRACE_MAX_TEXT + 1];
        const struct stat_region *r = &s->regions[i];
        if (r->unended == 0)
            continue;
        const char *text = mpg_trace_string(s->trace, (int32_t)i);
        const bool is_level = is_mere_level(r, text);
        mpg_printable(name, sizeof name, text);
        fputs(before, stdout);
        before = "";
        if (is_level)
            printf("unended     MPI_Pcontrol(%s) %" PRIu64 " %s and never (-%s): no region\n", name, r->unended,
                   mpg_units_word(r->unended, "time", "times"), name);
        else
            printf("unended     region %s, %" PRIu64 " of %" PRIu64 " %s: until its rank's end\n", name, r->unended, r->number,
                   mpg_units_word(r->number, "time", "times"));
    }
}

int mpg_stat_print_regions(const struct stat_summary *s, size_t top, struct mpg_error *err)
{
    const struct stat_region **sorted = malloc((s->region_number + 1) * sizeof *sorted);
    size_t n = 0;
    if (!sorted)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < s->region_number; i++)
        if (s->regions[i].number && !is_mere_level(&s->regions[i], mpg_trace_string(s->trace, (int32_t)i)))
            sorted[n++] = &s->regions[i];
    qsort(sorted, n, sizeof *sorted, compare_regions);
    if (n)
        printf("\n%-24s %12s %12s %8s %12s\n", "region", "number", "time", "of run", "in MPI");
    const size_t shown = top > 0 && top < n ? top : n;
    for (size_t i = 0; i < shown; i++) {
        char time[32], mpi[32], share[16] = "", name[4 * MPG_TRACE_MAX_TEXT + 1];
        if (s->run_ns > 0)
            snprintf(share, sizeof share, "%.2f %%", 100 * sorted[i]->time_ns / s->run_ns);
        printf("%-24s %12" PRIu64 " %12s %8s %12s\n",
               mpg_printable(name, sizeof name,
                             mpg_trace_string(s->trace, (int32_t)(sorted[i] - s->regions))),
               sorted[i]->number,
               mpg_units_format_time(time, sizeof time, sorted[i]->time_ns), share,
               mpg_units_format_time(mpi, sizeof mpi, sorted[i]->in_mpi_ns));
    }
    mpg_stat_print_more(n, shown);
    print_unended(s);
    free(sorted);
    return 0;
}

static int compare_shares(const void *a, const void *b)
{
    const struct stat_rank *x = *(const struct stat_rank *const *)a;
    const struct stat_rank *y = *(const struct stat_rank *const *)b;
    const double first = stat_share(x), second = stat_share(y);
    return first != second ? (first < second) - (first > second) : (x > y) - (x < y);
}

/* Whether a rank's time off its CPU was recorded. */
static bool knows_off_cpu(const struct stat_summary *s)
{
    bool any = false;
    for (int32_t r = 0; r < mpg_trace_ranks(s->trace); r++)
        any = any || s->ranks[r].off_cpu_known;
    return any;
}

static void print_rank(const struct stat_summary *s, const struct stat_rank *r)
{
    char run[32], mpi[32], sent[32], received[32], off[32] = "", off_in[32] = "";
    if (r->off_cpu_known) {
        mpg_units_format_time(off, sizeof off, r->off_between_ns);
        mpg_units_format_time(off_in, sizeof off_in, r->off_in_ns);
    }
    printf("%-24d %12" PRIu64 " %12s %12s %8.2f %%", (int)(r - s->ranks), r->sum.number,
           mpg_units_format_time(run, sizeof run, stat_run_ns(r)),
           mpg_units_format_time(mpi, sizeof mpi, r->sum.time_ns), 100 * stat_share(r));
    if (knows_off_cpu(s))
        printf(" %12s %12s", off, off_in);
    printf(" %12s %12s\n",
           mpg_stat_bytes(sent, sizeof sent, r->sum.sent_bytes),
           mpg_stat_bytes(received, sizeof received, r->sum.received_bytes));
}

int mpg_stat_print_ranks(const struct stat_summary *s, size_t top, struct mpg_error *err)
{
    const size_t n = (size_t)mpg_trace_ranks(s->trace), shown = top > 0 && top < n ? top : n;
    const struct stat_rank **sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n; i++)
        sorted[i] = &s->ranks[i];
    if (top > 0)
        qsort(sorted, n, sizeof *sorted, compare_shares);
    printf("\n%-24s %12s %12s %12s %10s", "rank", "calls", "run time", "in MPI", "of run");
    if (knows_off_cpu(s))
        printf(" %12s %12s", "off the CPU", "off in MPI");
    printf(" %12s %12s\n", "sent", "received");
    for (size_t i = 0; i < shown; i++)
        print_rank(s, sorted[i]);
    mpg_stat_print_more(n, shown);
    free(sorted);
    return 0;
}
