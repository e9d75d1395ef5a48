/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/tasks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/units.h"

/* Minimum relative change of the run time for a warning. */
static const double LEAST_PART = 0.005;

/* Returns the median run time, and sets *HALF_NS to half of its confidence interval; 0: out of memory. */
static double median_of(const struct mpg_report *r, double *half_ns)
{
    double *scratch = malloc(r->result->replicas * sizeof *scratch);
    *half_ns = 0;
    if (!scratch)
        return 0;
    const struct mpg_summary run = mpg_report_run(r, scratch);
    free(scratch);
    *half_ns = (run.high - run.low) / 2;
    return run.median;
}

static void warn_of_known(const struct mpg_task_report *t, struct mpg_notes *list)
{
    char traced[32], new[32];
    mpg_notes_add(list, "tasks",
                  "rank %d hands out %" PRIu64 " %s to %d workers as they ask, and here each worker gets those of the recorded "
                  "run. In the order in which the workers ask on the target, %" PRIu64 " %s to another one, and the run takes %s "
                  "instead of %s without noise (%+.3g %%): --tasks=by-arrival",
                  t->master, t->tasks, mpg_units_word(t->tasks, "task", "tasks"), t->workers, t->moved,
                  mpg_units_word(t->moved, "goes", "go"), mpg_units_format_time(new, sizeof new, t->by_arrival_ns),
                  mpg_units_format_time(traced, sizeof traced, t->traced_ns), 100 * (t->by_arrival_ns / t->traced_ns - 1));
}

/* Warns if the run with noise would be shorter with tasks given out anew, or if polls are long enough to count as computation. */
static void warn_of_noise(const struct mpg_task_report *t, double run_ns, double half_ns, struct mpg_notes *list)
{
    char together[32], slowest[32];
    if (t->gain_ns > 0 && t->gain_ns / t->noisy_ns * run_ns > fmax(half_ns, LEAST_PART * run_ns))
        mpg_notes_add(list, "tasks",
                      "the distribution of tasks is that of a run without noise, in all replicas. Given out anew in each, as the "
                      "program does, the run is some %.2g %% shorter (eight replicas)", 100 * t->gain_ns / t->noisy_ns);
    if (t->slow_polls_ns > fmax(half_ns, LEAST_PART * run_ns))
        mpg_notes_add(list, "tasks",
                      "rank %d polls for messages, and its intervals between two polls count as computation where they are "
                      "longer than --polling=interval: %s in all, up to %s. If it only waits there, give a longer one",
                      t->master, mpg_units_format_time(together, sizeof together, t->slow_polls_ns),
                      mpg_units_format_time(slowest, sizeof slowest, t->slowest_poll_ns));
}

void mpg_warn_tasks(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_task_report *t = r->tasks;
    char min[32], max[32], mean[32], less[32];
    double half_ns;
    if (!t)
        return;
    const double run_ns = median_of(r, &half_ns);
    if (t->is_by_arrival) {
        warn_of_noise(t, run_ns, half_ns, list);
        return;
    }
    const bool is_known = t->by_arrival_ns > 0;
    const double change_ns = is_known ? fabs(t->by_arrival_ns - t->traced_ns) : t->max_ns - t->mean_ns;
    if (!(change_ns > fmax(half_ns, LEAST_PART * run_ns)))
        return;
    if (is_known) {
        warn_of_known(t, list);
        return;
    }
    mpg_notes_add(list, "tasks",
                  "rank %d answers messages as they come, which is in another order on the target than in the trace, and here "
                  "each of %d ranks gets the work of the recorded run: %s to %s of computation, mean %s. By arrival the run may "
                  "be shorter by up to some %s (%.2g %%). %s",
                  t->master, t->workers, mpg_units_format_time(min, sizeof min, t->min_ns),
                  mpg_units_format_time(max, sizeof max, t->max_ns), mpg_units_format_time(mean, sizeof mean, t->mean_ns),
                  mpg_units_format_time(less, sizeof less, change_ns), 100 * change_ns / run_ns, t->why);
}

void mpg_assume_tasks(const struct mpg_report *r, FILE *out)
{
    const struct mpg_task_report *t = r->tasks;
    char traced[32], new[32];
    fprintf(out, "%" PRIu64 " %s of master rank %d given out to %d workers in order of arrival on the target, by a run without "
                 "noise (%s; the traced distribution: %s). A task's computation and messages go with it, whichever worker gets "
                 "it; %" PRIu64 " %s another worker than in the trace",
            t->tasks, mpg_units_word(t->tasks, "task", "tasks"), t->master, t->workers,
            mpg_units_format_time(new, sizeof new, t->by_arrival_ns), mpg_units_format_time(traced, sizeof traced, t->traced_ns),
            t->moved, mpg_units_word(t->moved, "has", "have"));
    if (t->noisy_ns > 0)
        fprintf(out, ". With noise the distribution stays: given out anew in each replica, the run is some %.2g %% shorter",
                100 * fmax(0, t->gain_ns / t->noisy_ns));
    else
        fputs(". With noise the distribution stays", out);
    if (t->late > 0)
        fprintf(out, ". %" PRIu64 " %s a later message than the first", t->late,
                mpg_units_word(t->late, "receive takes", "receives take"));
}

void mpg_tasks_json(struct mpg_json *j, const char *key, const struct mpg_task_report *t)
{
    mpg_json_object(j, key);
    mpg_json_string(j, "distribution", t->is_by_arrival ? "by-arrival" : "traced");
    mpg_json_integer(j, "master", t->master);
    mpg_json_integer(j, "workers", t->workers);
    if (t->by_arrival_ns > 0) {
        mpg_json_count(j, "tasks", t->tasks);
        mpg_json_count(j, "moved", t->moved);
        mpg_json_count(j, "late", t->late);
        mpg_json_count(j, "passes", t->passes);
        mpg_json_number(j, "traced_quiet_run_time_ns", t->traced_ns);
        mpg_json_number(j, "by_arrival_quiet_run_time_ns", t->by_arrival_ns);
        if (t->noisy_ns > 0)
            mpg_json_number(j, "anew_percent", 100 * (t->gain_ns / t->noisy_ns));
    } else
        mpg_json_string(j, "not_by_arrival", t->why);
    static const char *const names[] = {"least", "mean", "largest"};
    mpg_json_object(j, "computation_ns");
    mpg_json_members(j, names, (double[]){t->min_ns, t->mean_ns, t->max_ns}, 3);
    mpg_json_close(j);
    mpg_json_close(j);
}
