/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What mpgtrace stat says, for programs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/table/escape.h"
#include "trace/stat/stat.h"

/* A member of an object, with what comes before it. */
static void put(const char *before, const char *key, double value)
{
    printf("%s\"%s\": ", before, key);
    mpg_json_write_number(stdout, value);
}

/* The members that SUM is. */
static void put_sum(const struct stat_sum *sum)
{
    printf(", \"calls\": %" PRIu64, sum->number);
    put(", ", "time_ns", sum->time_ns);
    put(", ", "least_ns", sum->least_ns);
    put(", ", "most_ns", sum->most_ns);
    put(", ", "sent_bytes", sum->sent_bytes);
    put(", ", "received_bytes", sum->received_bytes);
    putchar('}');
}

static void put_call(enum mpg_call call)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s", mpg_call_prefix(call), mpg_call_name(call));
    fputs("\"call\": ", stdout);
    mpg_json_write_string(stdout, name);
}

static void put_calls(const struct stat_summary *s)
{
    const char *before = "\n";
    fputs(" \"calls\": [", stdout);
    for (int i = 0; i < MPG_CALL_COUNT; i++) {
        if (s->calls[i].number == 0)
            continue;
        printf("%s  {", before);
        put_call((enum mpg_call)i);
        put_sum(&s->calls[i]);
        before = ",\n";
    }
    fputs("\n ],\n", stdout);
}

static void put_regions(const struct stat_summary *s)
{
    const char *before = "\n";
    fputs(" \"regions\": [", stdout);
    for (size_t i = 0; i < s->region_number; i++) {
        const struct stat_region *r = &s->regions[i];
        if (r->number == 0)
            continue;
        printf("%s  {\"region\": ", before);
        mpg_json_write_string(stdout, mpg_trace_string(s->trace, (int32_t)i));
        printf(", \"visits\": %" PRIu64 ", \"unended\": %" PRIu64, r->number, r->unended);
        put(", ", "time_ns", r->time_ns);
        put(", ", "in_mpi_ns", r->in_mpi_ns);
        putchar('}');
        before = ",\n";
    }
    fputs("\n ],\n", stdout);
}

static void put_sites(const struct stat_line *lines, size_t n)
{
    fputs(" \"callsites\": [", stdout);
    for (size_t i = 0; i < n; i++) {
        printf("%s  {", i > 0 ? ",\n" : "\n");
        put_call(lines[i].call);
        fputs(", \"callsite\": [", stdout);
        for (const char *p = lines[i].places, *end; p; p = end ? end + 1 : NULL) {
            char line[4 * MPG_TRACE_MAX_TEXT + 1];
            end = strchr(p, '\n');
            snprintf(line, sizeof line, "%.*s", (int)(end ? end - p : (ptrdiff_t)strlen(p)), p);
            fputs(p > lines[i].places ? ", " : "", stdout);
            mpg_json_write_string(stdout, line);
        }
        putchar(']');
        put_sum(&lines[i].sum);
    }
    fputs("\n ],\n", stdout);
}

static void put_ranks(const struct stat_summary *s)
{
    fputs(" \"rank_table\": [", stdout);
    for (int32_t i = 0; i < mpg_trace_ranks(s->trace); i++) {
        const struct stat_rank *r = &s->ranks[i];
        printf("%s  {\"rank\": %" PRId32 ", \"whole\": %s, \"threads\": %" PRIu32, i > 0 ? ",\n" : "\n", i,
               r->started && r->ended ? "true" : "false", mpg_trace_threads(s->trace, i));
        put(", ", "run_ns", stat_run_ns(r));
        put(", ", "in_mpi_share", stat_share(r));
        if (r->off_cpu_known) {
            put(", ", "off_cpu_ns", r->off_between_ns);
            put(", ", "off_cpu_in_mpi_ns", r->off_in_ns);
        }
        put_sum(&r->sum);
    }
    fputs("\n ]\n", stdout);
}

static void put_recording(const struct stat_summary *s)
{
    struct stat_recording r;
    fputs(",\n \"recording\": ", stdout);
    if (!mpg_stat_recording(s, &r)) {
        fputs("null", stdout);
        return;
    }
    printf("{\"good\": %s", r.is_good ? "true" : "false");
    put(", ", "off_cpu_share", r.mean_share);
    printf(", \"most_rank\": %" PRId32, r.most_rank);
    put(", ", "most_share", r.most_share);
    putchar('}');
}

void mpg_stat_print_json(const struct stat_summary *s, const struct stat_line *lines, size_t n)
{
    static const char *const clocks[] = {"unknown", "shared", "measured"};
    double mpi_ns = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(s->trace); r++)
        mpi_ns += s->ranks[r].sum.time_ns;
    fputs("{\n \"format\": \"mpgtrace-stat\",\n \"version\": 1,\n \"trace\": ", stdout);
    mpg_json_write_string(stdout, mpg_trace_path(s->trace));
    printf(",\n \"ranks\": %" PRId32 ",\n \"clocks\": \"%s\",\n \"bytes\": %" PRIu64 ",\n", mpg_trace_ranks(s->trace),
           clocks[mpg_trace_clocks(s->trace)], mpg_trace_bytes(s->trace));
    put(" ", "run_ns", s->longest_ns);
    put(",\n ", "total_ns", s->run_ns);
    put(",\n ", "in_mpi_ns", mpi_ns);
    put(",\n ", "in_mpi_share", s->run_ns > 0 ? mpi_ns / s->run_ns : 0);
    put_recording(s);
    printf(",\n \"call_number\": %" PRIu64 ",\n \"summed_up\": %" PRIu64 ",\n \"failed\": %" PRIu64 ",\n",
           s->call_number, s->summed_number, s->failed_number);
    put_calls(s);
    put_regions(s);
    if (lines)
        put_sites(lines, n);
    put_ranks(s);
    fputs("}\n", stdout);
}
