/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the replica does is written as a trace; so it is read as any is, whatever its calls complete. */
#include "simulate/timeline/both.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/walk.h"
#include "common/aside.h"
#include "common/output.h"

/* The replica's trace into FOLDER, which is empty. */
static int write_trace(const struct mpg_simulated *s, const struct mpg_timeline_wanted *wanted, uint32_t replica,
                       const char *folder, struct mpg_error *err)
{
    struct mpg_retrace_facts facts = *wanted->facts;
    struct mpg_result again = {.ranks = 0};
    uint64_t swapped;
    struct mpg_retrace *retrace = mpg_retrace_begin(s->trace, wanted->name, folder, wanted->rules, err);
    facts.replica = replica;
    const int status = retrace && mpg_simulate_again(s, replica, mpg_retrace_watch(retrace), &again, err) == 0 &&
                               mpg_retrace_write(retrace, &facts, &swapped, err) == 0
                           ? 0
                           : -1;
    mpg_result_clear(&again);
    mpg_retrace_free(retrace);
    return status;
}

/* Of delays all ranks keep their clocks, and what bounds those of the traced run. */
static struct mpg_clock_map *clocks_of(struct mpg_trace *predicted, const struct mpg_clock_map *traced, bool delays,
                                       struct mpg_error *err)
{
    struct mpg_clock_map *clocks = mpg_clock_map_from_trace(predicted, err);
    if (!clocks || !delays || mpg_clock_map_source(traced) != MPG_CLOCK_BOUNDED)
        return clocks;
    double *offsets = calloc((size_t)mpg_trace_ranks(predicted), sizeof *offsets);
    if (!offsets) {
        mpg_error_set(err, "out of memory");
        mpg_clock_map_free(clocks);
        return NULL;
    }
    mpg_clock_map_offsets(traced, offsets);
    mpg_clock_map_take_offsets(clocks, offsets);
    free(offsets);
    return clocks;
}

static int write_worlds(void *who, const struct mpg_timeline_world world[2], struct mpg_error *err)
{
    const struct mpg_timeline_wanted *wanted = who;
    struct mpg_output *out = mpg_output_open(wanted->path, err);
    if (!out)
        return -1;
    uint64_t hidden;
    if (mpg_timeline_write(world, 2, wanted->part, mpg_output_stream(out), &hidden, err) < 0) {
        mpg_output_discard(out);
        return -1;
    }
    if (mpg_output_commit(out, err) < 0)
        return -1;
    mpg_timeline_tell("mpgsim", hidden);
    return 0;
}

static int show_both(const struct mpg_simulated *s, const struct mpg_timeline_wanted *wanted, uint32_t replica,
                     const char *folder, mpg_timeline_see *see, void *who, struct mpg_error *err)
{
    char name[64];
    struct mpg_clock_map *traced = NULL, *predicted = NULL;
    struct mpg_trace *trace = NULL;
    int status = -1;
    snprintf(name, sizeof name, "predicted (replica %u, the median run)", replica);
    if (mpg_walk_clocks(s->trace, wanted->part->lenient, &traced, err) == 0 &&
        (trace = mpg_trace_open(folder, err)) &&
        (predicted = clocks_of(trace, traced, wanted->rules->delays, err))) {
        const struct mpg_timeline_world world[] = {{s->trace, "traced", traced}, {trace, name, predicted}};
        status = see(who, world, err);
    }
    mpg_clock_map_free(traced);
    mpg_clock_map_free(predicted);
    mpg_trace_close(trace);
    return status;
}

int mpg_timeline_show(const struct mpg_simulated *s, const struct mpg_timeline_wanted *wanted, mpg_timeline_see *see,
                      void *who, uint32_t *replica, struct mpg_error *err)
{
    const char *directory = getenv("TMPDIR");
    char path[4000], folder[4096];
    uint32_t k;
    snprintf(path, sizeof path, "%s/mpgsim", directory && *directory ? directory : "/tmp");
    if (mpg_median_replica(s->result, &k, err) < 0)
        return -1;
    if (mpg_aside_folder(path, folder, sizeof folder) < 0)
        return mpg_error_errno(err, errno, "%s", path);
    *replica = s->result->first_replica + k;
    const int status = write_trace(s, wanted, *replica, folder, err) < 0
                           ? -1
                           : show_both(s, wanted, *replica, folder, see, who, err);
    mpg_aside_remove_folder(folder);
    mpg_aside_done(folder);
    return status;
}

int mpg_timeline_both(const struct mpg_simulated *s, const struct mpg_timeline_wanted *wanted, uint32_t *replica,
                      struct mpg_error *err)
{
    struct mpg_timeline_wanted w = *wanted;
    return mpg_timeline_show(s, wanted, write_worlds, &w, replica, err) < 0 ? mpg_error_prefix(err, "--timeline") : 0;
}
