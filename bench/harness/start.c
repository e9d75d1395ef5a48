/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Agreed starts. */
#include "config.h"

#include "bench/harness/start.h"

#include <math.h>
#include <sched.h>

#include "bench/harness/ranks.h"

struct mpg_start_line mpg_start_line_find(const struct mpg_sync *sync, const struct mpg_timer *timer, int rank)
{
    struct mpg_start_line line = {mpg_timer_read(timer->kind), 0, 0};
    uint64_t later = line.ticks + (uint64_t)(1e9 / timer->ns_per_tick);
    line.time_ns = mpg_sync_time_ns(sync, rank, line.ticks);
    line.ns_per_tick = (mpg_sync_time_ns(sync, rank, later) - line.time_ns) / (double)(later - line.ticks);
    return line;
}

double mpg_start_agree(const struct mpg_start_line *line, const struct mpg_timer *timer, double slack_ns, MPI_Comm comm)
{
    uint64_t now = mpg_timer_read(timer->kind);
    double mine_ns = line->time_ns + (double)(int64_t)(now - line->ticks) * line->ns_per_tick + slack_ns;
    double last_ns = mine_ns;
    MPI_Allreduce(&mine_ns, &last_ns, 1, MPI_DOUBLE, MPI_MAX, comm);
    return last_ns;
}

uint64_t mpg_start_ticks(const struct mpg_start_line *line, double start_ns)
{
    return line->ticks + (uint64_t)(int64_t)((start_ns - line->time_ns) / line->ns_per_tick);
}

enum mpg_start_lateness mpg_start_await(const struct mpg_timer *timer, uint64_t start, uint64_t late_ticks, double yield_ns)
{
    enum mpg_timer_kind kind = timer->kind;
    double yield_ticks = yield_ns / timer->ns_per_tick;
    uint64_t now = mpg_timer_read(kind);
    if ((int64_t)(now - start) > (int64_t)late_ticks)
        return MPG_START_MISSED;
    while ((int64_t)(now - start) < 0) {
        if ((double)(start - now) > yield_ticks)
            sched_yield();
        now = mpg_timer_read(kind);
    }
    return now - start < late_ticks ? MPG_START_IN_TIME : MPG_START_OVERSLEPT;
}

double mpg_start_next_slack(double slack_ns, int late, int all)
{
    return 10 * late > all ? fmin(2 * slack_ns, MPG_START_MAX_SLACK_NS) : fmax(0.9 * slack_ns, MPG_START_MIN_SLACK_NS);
}

void mpg_start_gather(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    mpg_ranks_wait(&request);
}
