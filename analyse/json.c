/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states as JSON. */
#include <stdint.h>

#include "analyse/report.h"

static void put_sum(struct mpg_json *j, const char *key, const struct mpg_wait_sum *s)
{
    const double wait_ns = mpg_wait_all(s);
    mpg_json_object(j, key);
    mpg_json_count(j, "calls", s->calls);
    mpg_json_count(j, "waited", s->waited);
    mpg_json_number(j, "time_ns", s->time_ns);
    mpg_json_number(j, "wait_ns", wait_ns);
    mpg_json_number(j, "off_cpu_ns", s->off_cpu_ns);
    mpg_json_number(j, "transfer_ns", s->time_ns - wait_ns - s->off_cpu_ns);
    for (int k = 0; k < MPG_WAIT_KINDS; k++)
        mpg_json_number(j, mpg_wait_key((enum mpg_wait)k), s->wait_ns[k]);
    mpg_json_close(j);
}

static void put_run(struct mpg_json *j, const struct mpg_waits_report *r, size_t w)
{
    const struct mpg_wait_sum all = mpg_waits_of_all(r->run[w]);
    mpg_json_object(j, mpg_waits_run_name(w));
    mpg_json_number(j, "total_ns", mpg_waits_total(r->run[w], mpg_trace_ranks(r->trace)));
    put_sum(j, "mpi", &all);
    for (int m = 0; m < MPG_CATEGORIES; m++) {
        const struct mpg_wait_sum sum = mpg_waits_of_category(r->run[w], (enum mpg_category)m);
        put_sum(j, mpg_category_key((enum mpg_category)m), &sum);
    }
    mpg_json_close(j);
}

int mpg_waits_put_json(const struct mpg_waits_report *r, struct mpg_json *j, struct mpg_error *err)
{
    for (size_t w = 0; w < r->runs; w++)
        put_run(j, r, w);
    mpg_json_string(j, "by", mpg_waits_by_word(r->table->by));
    mpg_json_array(j, "rows");
    const int status = mpg_waits_put_rows(r, j, err);
    mpg_json_close(j);
    return status;
}

static void put_head(struct mpg_json *j, const struct mpg_waits_report *r)
{
    static const char *const clocks[] = {[MPG_CLOCK_NONE] = "unknown",
                                         [MPG_CLOCK_SHARED] = "shared",
                                         [MPG_CLOCK_MEASURED] = "measured",
                                         [MPG_CLOCK_BOUNDED] = "bounded"};
    static const char *const from[] = {[MPG_WAITS_LIMIT_GIVEN] = "option",
                                       [MPG_WAITS_LIMIT_FOUND] = "trace"};
    mpg_json_string(j, "format", "mpgtrace-waits");
    mpg_json_integer(j, "version", 1);
    mpg_json_string(j, "trace", mpg_trace_path(r->trace));
    mpg_json_integer(j, "ranks", mpg_trace_ranks(r->trace));
    mpg_json_string(j, "clocks", clocks[r->clocks]);
    if (r->limit_bytes == INT64_MAX)
        mpg_json_null(j, "eager_limit_bytes");
    else
        mpg_json_integer(j, "eager_limit_bytes", r->limit_bytes);
    mpg_json_string(j, "eager_limit_from", from[r->limit]);
    mpg_json_count(j, "backward_messages", r->counts->backward);
    mpg_json_number(j, "backward_ns", r->counts->backward_ns);
    mpg_json_count(j, "threads", r->counts->threads);
    mpg_json_count(j, "unmatched", r->counts->unmatched);
    mpg_json_count(j, "truncated", r->counts->truncated);
    mpg_recording_json(j, "recording", r->recording);
    mpg_json_bool(j, "reliable", r->recording->reliable);
}

int mpg_waits_print_json(const struct mpg_waits_report *r, FILE *out, struct mpg_error *err)
{
    struct mpg_json j = mpg_json_to(out, MPG_JSON_ROWS);
    mpg_json_object(&j, NULL);
    put_head(&j, r);
    int status = mpg_waits_put_json(r, &j, err);
    if (status == 0 && r->threads && r->threads->n > 0)
        status = mpg_threads_put(r->threads, &j, err);
    mpg_json_close(&j);
    putc('\n', out);
    return status;
}
