/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON output of mpgtrace stat. */
#include <stdio.h>

#include "trace/stat/stat.h"

static void put_recording(struct mpg_json *j, const struct stat_summary *s)
{
    struct stat_recording r;
    if (!mpg_stat_recording(s, &r)) {
        mpg_json_null(j, "recording");
        return;
    }
    mpg_json_in_line(j);
    mpg_json_object(j, "recording");
    mpg_json_bool(j, "good", r.is_good && r.overhead_share <= MPG_TRACE_GOOD_OVERHEAD);
        mpg_json_number(j, "overhead_share", r.overhead_share);
    mpg_json_number(j, "off_cpu_share", r.mean_share);
    mpg_json_integer(j, "most_rank", r.max_rank);
    mpg_json_number(j, "most_share", r.max_share);
    mpg_json_close(j);
}

static void put_head(struct mpg_json *j, const struct stat_summary *s)
{
    static const char *const clocks[] = {"unknown", "shared", "measured"};
    double mpi_ns = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(s->trace); r++)
        mpi_ns += s->ranks[r].sum.time_ns;
    mpg_json_string(j, "format", "mpgtrace-stat");
    mpg_json_integer(j, "version", 2);
    mpg_json_string(j, "trace", mpg_trace_path(s->trace));
    mpg_json_integer(j, "ranks", mpg_trace_ranks(s->trace));
    mpg_json_string(j, "clocks", clocks[mpg_trace_clocks(s->trace)]);
    mpg_json_count(j, "bytes", mpg_trace_bytes(s->trace));
    mpg_json_number(j, "run_ns", s->longest_ns);
    mpg_json_number(j, "total_ns", s->run_ns);
    mpg_json_number(j, "in_mpi_ns", mpi_ns);
    mpg_json_number(j, "in_mpi_share", s->run_ns > 0 ? mpi_ns / s->run_ns : 0);
    put_recording(j, s);
    mpg_json_count(j, "call_number", s->call_number);
    mpg_json_count(j, "aggregated_calls", s->aggregated_number);
    mpg_json_count(j, "failed", s->failed_number);
    mpg_json_number(j, "device_sent_bytes", s->device_sent_bytes);
    mpg_json_number(j, "device_received_bytes", s->device_received_bytes);
}

int mpg_stat_print_json(const struct stat_summary *s, const struct stat_line *lines, size_t n, struct mpg_error *err)
{
    struct mpg_json j = mpg_json_to(stdout, MPG_JSON_ROWS);
    mpg_json_object(&j, NULL);
    put_head(&j, s);
    mpg_json_array(&j, "calls");
    int status = mpg_stat_put_calls(&j, s, err);
    mpg_json_close(&j);
    mpg_json_array(&j, "regions");
    if (status == 0)
        status = mpg_stat_put_regions(&j, s, err);
    mpg_json_close(&j);
    if (lines && status == 0) {
        mpg_json_array(&j, "callsites");
        status = mpg_stat_put_lines(&j, lines, n, err);
        mpg_json_close(&j);
    }
    mpg_json_array(&j, "rank_table");
    if (status == 0)
        status = mpg_stat_put_ranks(&j, s, err);
    mpg_json_close(&j);
    mpg_json_close(&j);
    putchar('\n');
    return status;
}
