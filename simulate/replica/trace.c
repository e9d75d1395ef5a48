/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a replica as a trace, rank by rank: the facts, then each event with the new times. */
#include "config.h"

#include "common/input.h"
#include "simulate/replica/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/progress.h"
#include "common/temporary.h"
#include "simulate/passes/pass.h"
#include "simulate/replica/event_times.h"
#include "trace/copy/copy.h"
#include "trace/output.h"

struct mpg_replica_trace {
    struct mpg_trace *trace;
    struct mpg_trace_output output; /* output folder; if the format is not native, a folder beside the path */
    char path[4000];                /* output path for a format other than native */
    struct mpg_left_out left;
    bool open; /* the output has been neither renamed nor removed */
    struct mpg_replica_trace_rules rules;
    struct mpg_node_times *nodes;
    struct mpg_observer observer;
    struct mpg_copy *copy;
    const struct mpg_replica_trace_facts *facts;
    int64_t origin_ns; /* the new time at which all ranks leave MPI_Init */
    uint64_t swapped, done;
    struct mpg_progress progress;
};

static bool is_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Opens the folder to which the native trace is written. */
static int open_output(struct mpg_replica_trace *r, const char *path, struct mpg_error *err)
{
    if (r->rules.format == MPG_EXPORT_NATIVE)
        return mpg_trace_output_open(&r->output, path, false, "name another folder", err);
    if (snprintf(r->path, sizeof r->path, "%s", path) >= (int)sizeof r->path)
        return mpg_error_set(err, "%s: name too long", path);
    if (mpg_export_check(path, r->rules.format, err) < 0)
        return -1;
    return mpg_temporary_folder(path, r->output.temporary, sizeof r->output.temporary) < 0
               ? mpg_error_errno(err, errno, "%s", path) : 0;
}

/* Exports the native trace to the requested format. */
static int export_output(struct mpg_replica_trace *r, struct mpg_error *err)
{
    const struct mpg_export_config config = {.format = r->rules.format, .lenient = r->rules.lenient};
    struct mpg_trace *trace = mpg_trace_open(r->output.temporary, err);
    const int status = trace ? mpg_export(trace, r->path, &config, &r->left, err) : -1;
    mpg_trace_close(trace);
    return status;
}

const struct mpg_left_out *mpg_replica_trace_left_out(const struct mpg_replica_trace *r)
{
    return &r->left;
}

struct mpg_replica_trace *mpg_replica_trace_begin(struct mpg_trace *trace, const char *name, const char *path,
                                      const struct mpg_replica_trace_rules *rules, struct mpg_error *err)
{
    const struct mpg_node_rules of_nodes = {
        .ratio = rules->ratio, .delays = rules->delays, .keeps_flushes = rules->keeps_tracer};
    struct mpg_replica_trace *r = NULL;
    if (is_same(name, path)) {
        mpg_error_set(err, "%s is an input", path);
        return NULL;
    }
    if (!(r = calloc(1, sizeof *r))) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    r->trace = trace;
    r->rules = *rules;
    r->open = open_output(r, path, err) == 0;
    if (r->open &&
        (r->nodes = mpg_node_times_new(r->output.temporary, mpg_trace_ranks(trace), &of_nodes, err)) &&
        (r->copy = mpg_copy_new(trace, r->output.temporary, err))) {
        r->observer = (struct mpg_observer){.note = mpg_node_times_note,
                                      .take = mpg_node_times_take,
                                      .restart = mpg_node_times_restart,
                                      .context = r->nodes};
        return r;
    }
    mpg_replica_trace_free(r);
    return NULL;
}

const struct mpg_observer *mpg_replica_trace_watch(const struct mpg_replica_trace *r)
{
    return &r->observer;
}

void mpg_replica_trace_free(struct mpg_replica_trace *r)
{
    if (!r)
        return;
    mpg_copy_free(r->copy);
    mpg_node_times_free(r->nodes);
    if (r->open)
        mpg_trace_output_discard(&r->output);
    free(r);
}

/* --- the leave of MPI_Init, late enough that no event has a time below 0 --- */

static int find_first(struct mpg_trace *trace, int32_t rank, int64_t *first_ns,
                      struct mpg_error *err)
{
    struct mpg_cursor *c = mpg_cursor_open(trace, rank, err);
    struct mpg_event e;
    int more = c ? mpg_cursor_next(c, &e, err) : -1;
    if (more > 0)
        *first_ns = e.enter_ns;
    mpg_cursor_close(c);
    return more;
}

static int find_origin(struct mpg_replica_trace *r, struct mpg_error *err)
{
    for (int32_t rank = 0; rank < mpg_trace_ranks(r->trace); rank++) {
        struct mpg_node_stream is;
        uint32_t stream;
        int64_t first_ns = 0, before_ns;
        if (!mpg_node_times_stream(r->nodes, rank, 0, &is, &stream) || !is.begun)
            continue;
        int more = find_first(r->trace, rank, &first_ns, err);
        if (more < 0)
            return -1;
        before_ns = is.traced_ns - is.since_ns - first_ns;
        if (more > 0 && before_ns > r->origin_ns)
            r->origin_ns = before_ns;
    }
    return 0;
}

/* --- facts --- */

static bool is_one_of(const char *key, const char *const *keys)
{
    while (*keys && strcmp(key, *keys) != 0)
        keys++;
    return *keys != NULL;
}

/* Returns true if the new trace omits fact KEY, which is about the machine, the clocks or the tracer, and would be wrong in
 * the new trace. Clock offsets and deaths of threads are written separately, with new times. */
static bool is_gone(const struct mpg_replica_trace *r, const char *key)
{
    static const char *const machine[] = {"core_limit",   "cores",     "counter",        "cpu",
                                          "kernel",       "mpi",       "mpi_settings",   "timer",
                                          "signature",    "signature_part", NULL};
    static const char *const tracer[] = {"overhead_call_ns", "overhead_cpu_ns", "overhead_sum_ns",
                                         "overhead_stacks_ns", "overhead_calls_ns", "overhead_call_median_ns",
                                         "flushed_stacks_ns", NULL};
    static const char *const always[] = {"clock", "died", "predicted", "off_cpu", "off_cpu_intervals_ns", "off_cpu_calls_ns",
                                         NULL};
    return is_one_of(key, always) || (!r->rules.same_machine && is_one_of(key, machine)) ||
           (!r->rules.keeps_tracer && is_one_of(key, tracer)) ||
           (!r->rules.delays && strcmp(key, "clocks") == 0) ||
           (r->facts->placement && strcmp(key, "host") == 0);
}

static int write_origin(struct mpg_replica_trace *r, int32_t rank, struct mpg_error *err)
{
    const struct mpg_replica_trace_facts *f = r->facts;
    const char *slash = f->signature ? strrchr(f->signature, '/') : NULL;
    char text[512];
    if (f->placement) {
        snprintf(text, sizeof text, "node-%" PRId32, f->placement->node[rank]);
        if (mpg_copy_fact(r->copy, "host", text, err) < 0)
            return -1;
    }
    snprintf(text, sizeof text,
             "by mpgsim %s%s, %s%.200s, seed %" PRId64 ", replica %" PRId64, PACKAGE_VERSION,
             r->rules.delays ? " from delays" : "", f->signature ? "signature " : "no signature",
             slash ? slash + 1 : f->signature ? f->signature : "", f->seed, f->replica);
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = '?';
    return mpg_copy_fact(r->copy, "predicted", text, err);
}

static int write_facts(struct mpg_replica_trace *r, int32_t rank, struct mpg_error *err)
{
    const char *key, *value;
    for (size_t i = 0; mpg_trace_fact(r->trace, rank, i, &key, &value); i++)
        if (!is_gone(r, key) && mpg_copy_fact(r->copy, key, value, err) < 0)
            return -1;
    if (!r->rules.delays && mpg_copy_fact(r->copy, "clocks", "shared", err) < 0)
        return -1;
    return write_origin(r, rank, err);
}

static int write_signature(struct mpg_replica_trace *r, struct mpg_error *err)
{
    enum { MAX_MIB = 4096 };
    const char *path = r->facts->signature;
    size_t bytes;
    char *text = mpg_input_read(mpg_input_open(path), path, MAX_MIB, &bytes, err);
    if (!text)
        return -1;
    int status = mpg_copy_signature(r->copy, path, text, bytes, err);
    free(text);
    return status;
}

/* Writes the facts about threads that died in the traced run, which a lenient prediction continues without. */
static int write_deaths(struct mpg_replica_trace *r, const struct mpg_event_times *times, int32_t rank,
                        struct mpg_error *err)
{
    for (uint32_t i = 0; i < mpg_trace_threads(r->trace, rank); i++) {
        const uint32_t thread = mpg_trace_thread(r->trace, rank, i);
        enum mpg_call call;
        int64_t enter_ns;
        char value[96];
        if (!mpg_trace_died(r->trace, rank, thread, &call, &enter_ns))
            continue;
        if (call == MPG_CALL_COUNT)
            snprintf(value, sizeof value, "%" PRIu32, thread);
        else
            snprintf(value, sizeof value, "%" PRIu32 " %s %" PRId64, thread, mpg_call_name(call),
                     mpg_event_times_later(times, thread, enter_ns));
        if (mpg_copy_fact(r->copy, "died", value, err) < 0)
            return -1;
    }
    return 0;
}

/* Writes the offsets of a rank's clock; among offsets with equal new times only the first. */
static int write_clock(struct mpg_replica_trace *r, const struct mpg_event_times *times, struct mpg_error *err)
{
    int64_t new_ns, offset_ns, last_ns = INT64_MIN;
    for (size_t i = 0; mpg_event_times_clock(times, i, &new_ns, &offset_ns); i++) {
        char value[64];
        if (i > 0 && new_ns <= last_ns)
            continue;
        last_ns = new_ns;
        snprintf(value, sizeof value, "%" PRId64 " %" PRId64, new_ns, offset_ns);
        if (mpg_copy_fact(r->copy, "clock", value, err) < 0)
            return -1;
    }
    return 0;
}

/* --- events --- */

static int write_events(struct mpg_replica_trace *r, struct mpg_event_times *times, int32_t rank,
                        struct mpg_error *err)
{
    struct mpg_cursor *c = mpg_cursor_open(r->trace, rank, err);
    struct mpg_event e;
    int more = -1, kept = 0;
    while (c && kept >= 0 && (more = mpg_cursor_next(c, &e, err)) > 0) {
        e.off_before_ns = e.off_in_ns = 0; /* times off the CPU were recorded for the traced times, and would be wrong */
        if ((kept = mpg_event_times_event(times, &e, err)) > 0)
            kept = mpg_copy_event(r->copy, &e, err);
        if ((++r->done & 0xfff) == 0)
            mpg_progress_update(&r->progress, (double)r->done);
    }
    mpg_cursor_close(c);
    return kept < 0 || more < 0 ? -1 : 0;
}

static int write_rank(struct mpg_replica_trace *r, int32_t rank, bool last, struct mpg_error *err)
{
    const struct mpg_event_times_rules rules = {.own_clock = r->rules.delays,
                                           .origin_ns = r->origin_ns,
                                           .keeps_tracer = r->rules.keeps_tracer};
    struct mpg_event_times *times = mpg_event_times_new(r->trace, rank, r->nodes, &rules, err);
    int status = -1;
    if (times && mpg_copy_begin(r->copy, rank, err) == 0 && write_facts(r, rank, err) == 0 &&
        (rank > 0 || !r->facts->stored || write_signature(r, err) == 0) &&
        write_events(r, times, rank, err) == 0 && write_clock(r, times, err) == 0 &&
        write_deaths(r, times, rank, err) == 0 &&
        mpg_copy_end(r->copy, last, err) == 0) {
        r->swapped += mpg_event_times_swapped(times);
        status = 0;
    }
    mpg_event_times_free(times);
    return status;
}

/* Checks that the new trace can be read. Needed if receives take different messages than in the trace: a buffer may be too
 * small, or the new order may be impossible. */
static int check_readable(const struct mpg_replica_trace *r, struct mpg_error *err)
{
    const struct mpg_graph_options options = {.eager_limit_bytes = INT64_MAX,
                                              .source_eager_limit_bytes = INT64_MAX,
                                              .lenient = r->rules.lenient};
    struct mpg_passed passed = {.slots = 0};
    struct mpg_trace *trace = mpg_trace_open(r->output.temporary, err);
    struct mpg_clock_map *clocks = trace ? mpg_clock_map_from_trace(trace, err) : NULL;
    const struct mpg_pass_config pass_config = {.trace = trace,
                                                .clocks = clocks,
                                                .graph = &options,
                                                .label = "reading it again"};
    int status = clocks ? mpg_pass(&pass_config, NULL, 0, 1, &passed, err) : -1;
    mpg_clock_map_free(clocks);
    mpg_trace_close(trace);
    if (status < 0)
        mpg_error_prefix(err, "the receives of this replica cannot be written (--without=choice writes "
                              "the recorded ones)");
    return status;
}

/* Replaces the temporary folder by the name of the output in ERR. */
static int failed(const struct mpg_replica_trace *r, struct mpg_error *err)
{
    const char *path = r->rules.format == MPG_EXPORT_NATIVE ? r->output.path : r->path;
    return mpg_temporary_rename_in_error(err, r->output.temporary, path);
}

int mpg_replica_trace_write(struct mpg_replica_trace *r, const struct mpg_replica_trace_facts *facts,
                      uint64_t *swapped, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(r->trace);
    int status = 0;
    r->facts = facts;
    if (mpg_node_times_finish(r->nodes, err) < 0 || find_origin(r, err) < 0)
        return failed(r, err);
    mpg_progress_start(&r->progress, "writing the trace",
                       (double)mpg_trace_events(r->trace, -1));
    /* Rank 0 is written last, because rank 0's file has the definitions missing in the remaining files. */
    for (int32_t rank = ranks - 1; status == 0 && rank >= 0; rank--)
        status = write_rank(r, rank, rank == 0, err);
    mpg_progress_end(&r->progress);
    *swapped = r->swapped;
    if (status < 0 || (mpg_node_times_takes(r->nodes) && check_readable(r, err) < 0))
        return failed(r, err);
    if (r->rules.format != MPG_EXPORT_NATIVE)
        return export_output(r, err);
    r->open = false;
    return mpg_trace_output_commit(&r->output, err);
}
