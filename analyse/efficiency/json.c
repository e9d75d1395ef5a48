/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON: the traces by number of ranks, with times, efficiencies and ranks of each trace. */
#include "analyse/efficiency/report_private.h"

static void put_ratios(struct mpg_json *j, const struct mpg_efficiency *e)
{
    const struct mpg_efficiency_ratios x = mpg_efficiency_ratios(e);
    mpg_json_number(j, "run_ns", e->run_ns);
    mpg_json_number(j, "ideal_ns", e->ideal_ns);
    mpg_json_number(j, "mean_compute_ns", e->mean_compute_ns);
    mpg_json_number(j, "max_compute_ns", e->max_compute_ns);
    mpg_json_number(j, "parallel", x.parallel);
    mpg_json_number(j, "load_balance", x.load_balance);
    mpg_json_number(j, "communication", x.communication);
    mpg_json_number(j, "serialization", x.serialization);
    mpg_json_number(j, "transfer", x.transfer);
    mpg_json_number(j, "noise", x.noise);
}

static void put_scaling(struct mpg_json *j, const struct mpg_efficiency_report *r, size_t i)
{
    const double scaling = mpg_efficiency_report_scaling(r, i);
    const struct mpg_efficiency_counter_scaling c = mpg_efficiency_report_counter_scaling(r, i);
    mpg_json_number(j, "computation_scaling", scaling);
    mpg_json_number(j, "global", scaling * mpg_efficiency_ratios(&r->traced[i].run.times).parallel);
    mpg_json_number(j, "instruction_scaling", c.instructions);
    mpg_json_number(j, "ipc_scaling", c.ipc);
    mpg_json_number(j, "frequency_scaling", c.frequency);
}

/* Adds the efficiencies of the thread level, if the ranks have threads. */
static void put_threads(struct mpg_json *j, const struct mpg_efficiency_run *run)
{
    const struct mpg_threads *t = &run->threads;
    if (t->n == 0)
        return;
    mpg_json_integer(j, "rank_threads", t->threads);
    mpg_json_number(j, "hybrid", t->ratios.thread * mpg_efficiency_ratios(&run->times).parallel);
    mpg_json_number(j, "thread", t->ratios.thread);
    mpg_json_number(j, "thread_serial", t->ratios.serial);
    mpg_json_number(j, "thread_load_balance", t->ratios.load_balance);
    mpg_json_number(j, "thread_begin_end", t->ratios.begin_end);
}

static void put_ranks(struct mpg_json *j, const struct mpg_efficiency_run *run)
{
    mpg_json_array(j, "rank_table");
    for (int32_t i = 0; i < run->times.ranks; i++) {
        const struct mpg_efficiency_rank *r = &run->rank[i];
        mpg_json_object(j, NULL);
        mpg_json_integer(j, "rank", i);
        mpg_json_number(j, "run_ns", r->run_ns);
        mpg_json_number(j, "ideal_ns", r->ideal_ns);
        mpg_json_number(j, "compute_ns", r->compute_ns);
        mpg_json_number(j, "in_mpi_ns", r->in_mpi_ns);
        mpg_json_number(j, "tracer_ns", r->tracer_ns);
        mpg_json_number(j, "off_cpu_ns", r->off_ns);
        mpg_json_number(j, "idle_ns", r->idle_ns);
        mpg_json_number(j, "polled_ns", r->polled_ns);
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

static int put_trace(struct mpg_json *j, const struct mpg_efficiency_report *r, size_t i, struct mpg_error *err)
{
    const struct mpg_efficiency_traced *traced = &r->traced[i];
    const struct mpg_efficiency_run *run = &traced->run;
    const struct mpg_recording recording = mpg_efficiency_recording(run);
    mpg_json_object(j, NULL);
    mpg_json_string(j, "trace", traced->path);
    mpg_json_integer(j, "ranks", run->times.ranks);
    put_ratios(j, &run->times);
    put_scaling(j, r, i);
    put_threads(j, run);
    mpg_json_number(j, "instructions", run->counters.instructions);
    mpg_json_number(j, "cycles", run->counters.cycles);
    mpg_recording_json(j, "recording", &recording);
    mpg_json_bool(j, "reliable", recording.reliable);
    mpg_json_count(j, "threads", run->counts.threads);
    mpg_json_count(j, "unmatched", run->counts.unmatched);
    put_ranks(j, run);
    const int status = run->iterations                              ? mpg_efficiency_put_iterations(traced, j, err)
                       : run->parts.by == MPG_EFFICIENCY_BY_NOTHING ? 0
                                                                    : mpg_efficiency_put_parts(traced, j, err);
    mpg_json_close(j);
    return status;
}

int mpg_efficiency_put_json(const struct mpg_efficiency_report *r, FILE *out, struct mpg_error *err)
{
    int status = 0;
    struct mpg_json j = mpg_json_to(out, MPG_JSON_ROWS);
    mpg_json_object(&j, NULL);
    mpg_json_string(&j, "format", "mpgtrace-efficiency");
    mpg_json_integer(&j, "version", 1);
    mpg_json_string(&j, "scaling", r->scaling == MPG_EFFICIENCY_SCALED ? "scaled" : "fixed");
    if (r->eager_limit_bytes == INT64_MAX)
        mpg_json_null(&j, "eager_limit_bytes");
    else
        mpg_json_integer(&j, "eager_limit_bytes", r->eager_limit_bytes);
    mpg_json_array(&j, "traces");
    for (size_t i = 0; i < r->n && status == 0; i++)
        status = put_trace(&j, r, i, err);
    mpg_json_close(&j);
    mpg_json_close(&j);
    fputc('\n', out);
    return status;
}
