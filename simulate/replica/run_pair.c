/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/replica/run_pair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/walk.h"
#include "common/temporary.h"
#include "common/output.h"

/* Writes the replica's trace into P's folder, which is empty. */
static int write_trace(struct mpg_run_pair *p, const struct mpg_simulated *s, const char *name,
                       const struct mpg_replica_trace_rules *rules, int64_t seed, struct mpg_error *err)
{
    uint64_t swapped;
    struct mpg_replica_trace *retrace = mpg_replica_trace_begin(s->trace, name, p->folder, rules, err);
    int status = retrace ? mpg_rerun_median(s, mpg_replica_trace_watch(retrace), NULL, &p->replica, err) : -1;
    const struct mpg_replica_trace_facts facts = {.seed = seed, .replica = p->replica};
    if (status == 0)
        status = mpg_replica_trace_write(retrace, &facts, &swapped, err);
    mpg_replica_trace_free(retrace);
    return status;
}

/* In the trace of a perturbed replica all ranks keep their own clocks. If the clocks of the traced run were bounded by
 * messages, the replica's clocks get the offsets of the traced run, because the replica's messages have different times. */
static int take_offsets(struct mpg_run_pair *p, int32_t ranks, struct mpg_error *err)
{
    double *offsets = calloc((size_t)ranks, sizeof *offsets);
    if (!offsets)
        return mpg_error_set(err, "out of memory");
    mpg_clock_map_offsets(p->clocks[0], offsets);
    mpg_clock_map_take_offsets(p->clocks[1], offsets);
    free(offsets);
    return 0;
}

static int open_both(struct mpg_run_pair *p, struct mpg_trace *traced, const struct mpg_replica_trace_rules *rules,
                     struct mpg_error *err)
{
    struct mpg_trace *predicted = mpg_trace_open(p->folder, err);
    snprintf(p->name, sizeof p->name, "predicted (replica %u, the median run)", p->replica);
    p->run[1] = (struct mpg_timeline_run){.trace = predicted, .name = p->name};
    if (!predicted || mpg_walk_clocks(traced, rules->lenient, &p->clocks[0], err) < 0 ||
        !(p->clocks[1] = mpg_clock_map_from_trace(predicted, err)))
        return -1;
    if (rules->delays && mpg_clock_map_source(p->clocks[0]) == MPG_CLOCK_BOUNDED &&
        take_offsets(p, mpg_trace_ranks(traced), err) < 0)
        return -1;
    p->run[0] = (struct mpg_timeline_run){.trace = traced, .name = "traced", .clocks = p->clocks[0]};
    p->run[1].clocks = p->clocks[1];
    return 0;
}

int mpg_run_pair_open(struct mpg_run_pair *p, const struct mpg_simulated *s, const char *name,
                      const struct mpg_replica_trace_rules *rules, int64_t seed, struct mpg_error *err)
{
    const char *directory = getenv("TMPDIR");
    char path[4000];
    if (p->run[0].trace)
        return 0;
    snprintf(path, sizeof path, "%s/mpgsim", directory && *directory ? directory : "/tmp");
    if (mpg_temporary_folder(path, p->folder, sizeof p->folder) < 0) {
        p->folder[0] = '\0';
        return mpg_error_errno(err, errno, "%s", path);
    }
    return write_trace(p, s, name, rules, seed, err) < 0 ? -1 : open_both(p, s->trace, rules, err);
}

void mpg_run_pair_close(struct mpg_run_pair *p)
{
    for (int i = 0; i < 2; i++)
        mpg_clock_map_free(p->clocks[i]);
    mpg_trace_close(p->run[1].trace);
    if (p->folder[0]) {
        mpg_temporary_remove_folder(p->folder);
        mpg_temporary_forget(p->folder);
    }
    *p = (struct mpg_run_pair){.replica = 0};
}

int mpg_run_pair_write_timeline(const struct mpg_run_pair *p, const struct mpg_timeline_part *part, const char *path,
                                struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(path, err);
    uint64_t hidden;
    if (!out)
        return -1;
    if (mpg_timeline_write(p->run, 2, part, mpg_output_stream(out), &hidden, err) < 0) {
        mpg_output_discard(out);
        return -1;
    }
    if (mpg_output_commit(out, err) < 0)
        return -1;
    mpg_timeline_print_hidden("mpgsim", hidden);
    return 0;
}
