/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a run: run time and other quantities, and times of callsites and regions. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/compare.h"
#include "analyse/efficiency/run.h"
#include "common/printable.h"
#include "trace/stat/names.h"
#include "trace/stat/symbols.h"

static int by_name(const void *a, const void *b)
{
    const struct compare_part *x = a, *y = b;
    if (x->kind != y->kind)
        return (x->kind > y->kind) - (x->kind < y->kind);
    return x->call != y->call ? (x->call > y->call) - (x->call < y->call) : strcmp(x->name, y->name);
}

static void find_quantities(struct compare_run *run, const struct stat_summary *s)
{
    double max_ns = 0, sum_ns = 0, mpi_ns = 0, off_ns = 0, polled_ns = 0;
    for (int32_t r = 0; r < run->ranks; r++) {
        const struct stat_rank *rank = &s->ranks[r];
        sum_ns += rank->computation_ns;
        max_ns = fmax(max_ns, rank->computation_ns);
        mpi_ns += rank->sum.time_ns;
        off_ns += rank->off_between_ns;
        polled_ns += rank->polled_ns;
    }
    const double mean_ns = sum_ns / run->ranks;
    run->quantity[COMPARE_RUN] = s->longest_ns;
    run->quantity[COMPARE_COMPUTATION] = mean_ns;
    run->quantity[COMPARE_MPI] = mpi_ns / run->ranks;
    run->quantity[COMPARE_OFF_CPU] = off_ns / run->ranks;
    run->quantity[COMPARE_POLLING] = polled_ns / run->ranks;
    run->quantity[COMPARE_LOAD_BALANCE] = max_ns > 0 ? mean_ns / max_ns : NAN;
    run->quantity[COMPARE_SERIALIZATION] = run->quantity[COMPARE_TRANSFER] = run->quantity[COMPARE_NOISE] = NAN;
    run->quantity[COMPARE_EFFICIENCY] = s->longest_ns > 0 ? mean_ns / s->longest_ns : NAN;
}

/* Computes the efficiencies of TRACE, as mpgtrace efficiency does. Efficiencies stay unknown, with a message, if the trace has no
 * ideal run. */
static void find_efficiencies(struct compare_run *run, struct mpg_trace *trace, FILE *messages)
{
    const struct mpg_efficiency_options options = {.lenient = true, .eager_limit_bytes = INT64_MAX};
    struct mpg_efficiency_run found;
    struct mpg_error err;
    if (mpg_efficiency_find(trace, &options, &found, &err) == 0) {
        const struct mpg_efficiency_ratios ratios = mpg_efficiency_ratios(&found.times);
        run->quantity[COMPARE_LOAD_BALANCE] = ratios.load_balance;
        run->quantity[COMPARE_SERIALIZATION] = ratios.serialization;
        run->quantity[COMPARE_TRANSFER] = ratios.transfer;
        run->quantity[COMPARE_NOISE] = ratios.noise;
        run->quantity[COMPARE_EFFICIENCY] = ratios.parallel;
    } else
        mpg_printable_print(messages, "mpgtrace compare: warning: %s: serialization, transfer and noise are not known: %s\n",
                            run->path, err.text);
    mpg_efficiency_run_clear(&found);
}

/* Adds a callsite or region to RUN, with a copy of NAME. Returns 0, or -1: out of memory. */
static int add_part(struct compare_run *run, enum compare_kind kind, enum mpg_call call, const char *name, double time_ns,
                    double number)
{
    char *copy = strdup(name);
    if (!copy)
        return -1;
    run->part[run->n++] = (struct compare_part){kind, call, copy, time_ns / run->ranks, number / run->ranks};
    return 0;
}

static int add_parts(struct compare_run *run, const struct stat_summary *s, const struct stat_line *line, size_t lines)
{
    run->part = calloc(2 * lines + s->region_number + 1, sizeof *run->part);
    if (!run->part)
        return -1;
    for (size_t i = 0; i < lines; i++) {
        const enum mpg_kind kind = mpg_call_kind(line[i].call);
        const double number = (double)line[i].sum.number;
        if (kind != MPG_KIND_INIT && kind != MPG_KIND_FINALIZE && /* MPI_Init and MPI_Finalize are not part of the run time */
            add_part(run, COMPARE_CALL, line[i].call, line[i].places, line[i].sum.time_ns, number) < 0)
            return -1;
        if (line[i].sum.computation_ns > 0 &&
            add_part(run, COMPARE_COMPUTATION_BEFORE, line[i].call, line[i].places, line[i].sum.computation_ns, number) < 0)
            return -1;
    }
    for (size_t i = 0; i < s->region_number; i++)
        if (s->regions[i].number > 0 &&
            add_part(run, COMPARE_REGION, MPG_CALL_COUNT, mpg_trace_string(s->trace, (int32_t)i), s->regions[i].time_ns,
                     (double)s->regions[i].number) < 0)
            return -1;
    qsort(run->part, run->n, sizeof *run->part, by_name);
    return 0;
}

/* libdw, which finds names of callsites, does not promise that threads can use it. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static int find_parts(struct compare_run *run, const struct stat_summary *s, const struct compare_reading *reading,
                      struct mpg_error *err)
{
    struct stat_line *line = NULL;
    const struct stat_callsites callsites = mpg_stat_callsites_of(s->trace);
    struct mpg_symbols *symbols = mpg_symbols_new(reading->debug_path, err);
    const int64_t n =
        symbols ? mpg_stat_make_lines(s->rows, s->row_number, &callsites, symbols, reading->frames, &line, err) : -1;
    mpg_symbols_free(symbols);
    if (n < 0)
        return -1;
    const int status = add_parts(run, s, line, (size_t)n);
    mpg_stat_free_lines(line, (size_t)n);
    return status == 0 ? 0 : mpg_error_set(err, "out of memory");
}

static bool has_threads(const struct mpg_trace *trace)
{
    for (int32_t r = 0; r < mpg_trace_ranks(trace); r++)
        if (mpg_trace_threads(trace, r) > 1)
            return true;
    return false;
}

static int read_trace(struct compare_run *run, struct mpg_trace *trace, const struct compare_reading *reading, FILE *messages,
                      struct mpg_error *err)
{
    struct stat_summary s = {0};
    int status = mpg_stat_gather(trace, &s, err);
    if (status == 0 && s.longest_ns <= 0)
        status = mpg_error_set(err, "%s: no rank ran from MPI_Init to a later call", mpg_trace_path(trace));
    if (status == 0) {
        run->ranks = mpg_trace_ranks(trace);
        run->has_threads = has_threads(trace);
        const char *program = mpg_trace_find_fact(trace, 0, "program");
        if (program && !(run->program = strdup(program)))
            status = mpg_error_set(err, "out of memory");
        run->knows_recording = mpg_stat_recording(&s, &run->recording);
        find_quantities(run, &s);
        find_efficiencies(run, trace, messages);
        if (status == 0) {
            pthread_mutex_lock(&one_at_a_time);
            status = find_parts(run, &s, reading, err);
            pthread_mutex_unlock(&one_at_a_time);
        }
    }
    mpg_stat_clear(&s);
    return status;
}

int mpg_compare_read(struct compare_run *run, const char *path, const struct compare_reading *reading, FILE *messages,
                     struct mpg_error *err)
{
    *run = (struct compare_run){.path = strdup(path)};
    if (!run->path)
        return mpg_error_set(err, "out of memory");
    struct mpg_trace *trace = mpg_excerpt_open(path, &reading->excerpt, err);
    int status = trace ? mpg_trace_need_times(trace, "its times", err) : -1;
    if (status == 0)
        status = read_trace(run, trace, reading, messages, err);
    if (status == 0)
        mpg_excerpt_print(trace, "mpgtrace compare", messages);
    if (status == 0 && mpg_trace_cut(trace))
        mpg_printable_print(messages, "mpgtrace compare: warning: %s\n", mpg_trace_cut(trace));
    mpg_trace_close(trace);
    return status;
}

void mpg_compare_run_clear(struct compare_run *run)
{
    for (size_t i = 0; i < run->n; i++)
        free(run->part[i].name);
    free(run->part);
    free(run->program);
    free(run->path);
}
