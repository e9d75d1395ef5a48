/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks that a master hands out: gives out the tasks again, or finds how much this would change. */
#include <math.h>
#include <stdio.h>

#include "simulate/cache/cache.h"
#include "simulate/outputs/session.h"

/* Traces with more events are not simulated again only for a warning, or for the effect of noise. */
enum { MAX_EVENTS = 5000000 };

/* Fills X's report on tasks from the tasks FOUND. */
static void describe(struct mpg_session *x, const struct mpg_redistributed *found)
{
    const struct mpg_tasks *t = &found->tasks;
    x->has_tasks = true;
    x->tasks = (struct mpg_task_report){.master = t->master, .workers = t->workers, .tasks = t->tasks, .moved = found->moved,
                                        .late = found->late, .passes = found->passes, .traced_ns = found->traced_ns,
                                        .noisy_ns = found->noisy_ns, .gain_ns = found->gain_ns,
                                        .slow_polls_ns = (double)t->slow_polls_ns, .slowest_poll_ns = (double)t->slowest_poll_ns,
                                        .is_by_arrival = x->at.model.tasks != 0};
}

/* Adds the computation of the workers of T to the report: as predicted, or as traced. */
static void add_computation(struct mpg_session *x, const struct mpg_tasks *t)
{
    double sum_ns = 0, min_ns = INFINITY, max_ns = 0;
    for (int32_t r = 0; r < t->ranks; r++) {
        const struct mpg_run_account *a = &x->result.run_account[r];
        const double ns = x->result.predicted ? a->compute_ns + a->noise_ns : t->computation_ns[r];
        if (!t->worker[r].is_worker)
            continue;
        sum_ns += ns;
        min_ns = fmin(min_ns, ns);
        max_ns = fmax(max_ns, ns);
    }
    x->tasks.min_ns = min_ns;
    x->tasks.mean_ns = sum_ns / t->workers;
    x->tasks.max_ns = max_ns;
}

int mpg_session_give_out_tasks(struct mpg_session *x, struct mpg_error *err)
{
    struct mpg_redistributed *found = &x->redistributed;
    const bool is_short = mpg_trace_events(x->files.trace, -1) <= MAX_EVENTS;
    if (mpg_redistribute(&x->at, &x->setting, &x->files, is_short, found, err) < 1) {
        mpg_error_add_trace_path(x->files.trace, err);
        return mpg_error_prefix(err, "--tasks=by-arrival");
    }
    describe(x, found);
    x->tasks.by_arrival_ns = found->run_ns;
    if (!found->trace)
        return 0;
    if (mpg_trace_name(found->trace, mpg_trace_path(x->files.trace), err) < 0)
        return -1;
    mpg_cache_close(x->files.cache);
    x->files.cache = NULL;
    x->traced = x->files.trace;
    x->files.trace = found->trace;
    return 0;
}

/* Returns true if the order of receives affects the answer, because possible answers keep the traced receiver, or because some
 * replicas keep the traced order. */
static bool depends_on_order(const struct mpg_session *x)
{
    return x->result.choices.answers + x->result.redone > 0;
}

/* Stores in X's report the reason why the run by arrival is unknown. */
static void explain(struct mpg_session *x, int status, const struct mpg_error *why)
{
    char *text = x->tasks.why;
    const size_t size = sizeof x->tasks.why;
    if (status < 0)
        snprintf(text, size, "Tasks by arrival were not tried: %.900s", why->text);
    else if (status == 0)
        snprintf(text, size, "--tasks=by-arrival cannot distribute them: %.900s", why->text);
    else if (x->at.change.hypotheses.n > 0)
        snprintf(text, size, "--tasks=by-arrival excludes hypotheses");
    else
        snprintf(text, size, "--predict --tasks=by-arrival shows the effect");
}

void mpg_session_describe_tasks(struct mpg_session *x)
{
    const struct mpg_config *c = &x->at;
    struct mpg_redistributed found = {.passes = 0};
    struct mpg_error why = {.text = ""};
    int status;
    if (c->model.tasks) {
        mpg_result_refer_to(&x->result, x->redistributed.recorded_ns);
        add_computation(x, &x->redistributed.tasks);
    }
    const bool has_kept = x->result.counts.open_kept > 0; /* MPI_ANY_SOURCE receives that keep the traced message */
    if (c->model.tasks || c->target.by_events || (!depends_on_order(x) && !has_kept))
        return;
    if (c->target.predict && c->change.hypotheses.n == 0 && mpg_trace_events(x->files.trace, -1) <= MAX_EVENTS)
        status = mpg_redistribute(c, &x->setting, &x->files, false, &found, &why);
    else
        status = mpg_tasks_find(x->files.trace, (int64_t)c->model.polling_interval_ns, &found.tasks, &why);
    if (found.tasks.master >= 0 && found.tasks.workers > 1 && (status == 1 || depends_on_order(x))) {
        describe(x, &found);
        add_computation(x, &found.tasks);
        x->tasks.by_arrival_ns = status == 1 ? found.run_ns : 0;
        if (!(x->tasks.by_arrival_ns > 0))
            explain(x, status, &why);
    }
    mpg_redistributed_close(&found);
}
