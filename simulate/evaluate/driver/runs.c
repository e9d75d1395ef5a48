/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/evaluate/driver/runs.h"

#include <stdlib.h>

#include "simulate/evaluate/driver/divided.h"

/* Limits of a pass: number of lanes; memory for values, which grows with the number of messages in flight. A pass has at least
 * one lane. */
enum { LANES_A_PASS = 1024, VALUES_A_PASS_BYTES = 256 << 20 };
/* A thread gets lanes in whole blocks: fewer lanes cost nearly as much, and sums over lanes are made block by block
 * (simulate/attribution/tally.h). */
enum { LANES_A_BLOCK = 16 };
/* Number of lanes, of all runs together, in the first pass, when the memory of a lane is not known yet. */
enum { LANES_UNKNOWN = 1024 };

/* Replicas of N runs in one pass. */
struct replicas {
    struct mpg_run **run;
    size_t n;
    unsigned threads;              /* >= 1 */
    const struct mpg_observer *observer; /* observer of the first run's first replica; or NULL */
    struct mpg_passed *passed;     /* findings of the last pass */
};

/* The lanes of one thread. */
struct part {
    struct mpg_run *run;
    struct mpg_evaluator *evaluator;
    const struct mpg_observer *observer; /* observer of the first lane; or NULL */
    uint32_t first, n;             /* number of the first replica, and number of replicas */
};

/* Runs that share passes. */
struct group {
    struct mpg_run **run;
    size_t n;
    struct mpg_passed passed; /* findings of the last pass about the trace */
    struct mpg_progress *progress; /* progress of the replicas of all groups */
    double done;                   /* number of replicas evaluated so far */
};

/* Returns the number of lanes of a pass, if a lane needs LANE_BYTES. Memory depends on this number, results do not. */
static uint32_t lanes_a_pass(double lane_bytes)
{
    double max = VALUES_A_PASS_BYTES / lane_bytes;
    uint32_t part = LANES_A_BLOCK;
    if (max >= LANES_A_PASS)
        return LANES_A_PASS;
    if (max >= LANES_A_BLOCK)
        return (uint32_t)max / LANES_A_BLOCK * LANES_A_BLOCK;
    while (part > 1 && part > max)
        part /= 2;
    return part;
}

/* Returns the maximum number of runs in a pass, each with N replicas: at least 1. */
static size_t max_runs(double lane_bytes, uint32_t n)
{
    const double max = VALUES_A_PASS_BYTES / lane_bytes / n;
    return max < 1 ? 1 : (size_t)max;
}

/* --- replicas of one pass --- */

/* Notifies the observer of the arrivals of the messages that S, a LEAVE, receives or finds. */
static void notify_arrivals(const struct part *x, const struct mpg_step *s)
{
    for (uint32_t i = 0; i < s->edge_number; i++)
        if (s->edges[i].kind == MPG_EDGE_ARRIVAL || s->edges[i].kind == MPG_EDGE_ENVELOPE)
            x->observer->arrive(x->observer->context, s, i,
                                *mpg_times_slot(x->evaluator, s->edges[i].slot, MPG_SLOT_ENVELOPE));
}

/* Evaluates steps one at a time and passes each value to the observer. */
static int take_watched(void *context, const struct mpg_steps *steps, struct mpg_error *err)
{
    const struct part *x = context;
    for (size_t i = 0; i < steps->n; i++) {
        const struct mpg_step *s = &steps->step[i];
        const bool is_last = i + 1 == steps->n;
        const struct mpg_steps one = {
            s, 1, steps->slots, steps->batch, is_last && steps->reports_unused, steps->unused, steps->unused_number};
        if (mpg_evaluator_take(x->evaluator, &one, err) < 0)
            return -1;
        if (x->observer->noise && s->kind == MPG_STEP_ENTER)
            x->observer->noise(x->observer->context, s, mpg_evaluator_noise(x->evaluator, s->rank));
        if (x->observer->arrive && s->kind == MPG_STEP_LEAVE)
            notify_arrivals(x, s);
        if (x->observer->take(x->observer->context, s, mpg_evaluator_value(x->evaluator, s->stream)[0], err) < 0)
            return -1;
    }
    return 0;
}

static int take(void *evaluator, const struct mpg_steps *steps, struct mpg_error *err)
{
    return mpg_evaluator_take(evaluator, steps, err);
}

static struct mpg_step_consumer consumer_of(struct part *x)
{
    if (x->observer)
        return (struct mpg_step_consumer){.take = take_watched, .context = x};
    return (struct mpg_step_consumer){.take = take,
                                      .context = x->evaluator,
                                      .wants = mpg_evaluator_wants(x->evaluator),
                                      .is_costly = mpg_evaluator_is_costly(x->evaluator)};
}

/* Returns the number of lanes of a part if each of R's runs has LANES lanes. A run is divided only if the threads cannot
 * share whole runs evenly. */
static uint32_t lanes_each(const struct replicas *r, uint32_t lanes)
{
    const unsigned n = r->n % r->threads == 0 ? 1 : r->threads;
    uint32_t each = (lanes + n - 1) / n;
    each = (each + LANES_A_BLOCK - 1) / LANES_A_BLOCK * LANES_A_BLOCK;
    return each < LANES_A_BLOCK ? LANES_A_BLOCK : each;
}

/* Creates the evaluator of X; lanes with KEEPS (may be NULL) complete messages as in the trace. */
static int begin(struct part *x, const bool *keeps, struct mpg_error *err)
{
    x->evaluator = x->run->begin(x->run->context, x->first, x->n, keeps, x->observer, err);
    return x->evaluator ? 0 : -1;
}

/* Makes one pass for N parts. */
static int pass_parts(const struct replicas *r, struct part *part, size_t n, struct mpg_error *err)
{
    struct mpg_step_consumer *consumers = calloc(n, sizeof *consumers);
    if (!consumers)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n; i++)
        consumers[i] = consumer_of(&part[i]);
    const int status = mpg_pass(&r->run[0]->pass_config, consumers, n, r->threads, r->passed, err);
    free(consumers);
    return status;
}

static uint32_t count_broken(const struct part *x)
{
    const bool *broken = mpg_evaluator_broken(x->evaluator);
    uint32_t count = 0;
    for (uint32_t w = 0; broken && w < x->n; w++)
        count += broken[w];
    return count;
}

/* Evaluates the lanes of X again; broken lanes now keep the traced order. The observer, after a restart, observes the second
 * evaluation only if the first lane is broken. */
static int rerun(struct part *x, struct mpg_error *err)
{
    const struct mpg_observer *observer = x->observer;
    struct mpg_evaluator *old = x->evaluator;
    const bool *broken = mpg_evaluator_broken(old);
    if (!broken[0])
        x->observer = NULL;
    else if (observer && observer->restart(observer->context, err) < 0)
        return -1;
    const int status = begin(x, broken, err);
    if (status == 0)
        mpg_evaluator_free(old);
    else
        x->evaluator = old;
    return status;
}

/* Evaluates again the parts, among N, that have broken lanes. AGAIN: memory for N parts. */
static int redo(const struct replicas *r, struct part *part, size_t n, struct part *again,
                struct mpg_error *err)
{
    size_t k = 0;
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        const uint32_t broken = count_broken(&part[i]);
        part[i].run->redone += broken;
        if (broken == 0)
            continue;
        status = rerun(&part[i], err);
        again[k++] = part[i];
    }
    struct mpg_pass_config *pass_config = &r->run[0]->pass_config;
    pass_config->begun += pass_config->share; /* does not advance the progress: these replicas have been counted */
    pass_config->share = 0;
    return status < 0 || k == 0 ? status : pass_parts(r, again, k, err);
}

/* Returns part I, with EACH lanes or the remaining ones; the pass has LANES lanes of each run, from replica FIRST on. */
static struct part part_of(const struct replicas *r, size_t i, uint32_t each, uint32_t first,
                           uint32_t lanes)
{
    const size_t parts = (lanes + each - 1) / each;
    const uint32_t begun = (uint32_t)(i % parts) * each;
    return (struct part){.run = r->run[i / parts],
                         .first = first + begun,
                         .n = lanes - begun < each ? lanes - begun : each,
                         .observer = i == 0 ? r->observer : NULL};
}

/* Evaluates replicas FIRST .. FIRST + LANES - 1 of all runs in one pass, and broken lanes again in a second pass. Threads share
 * lanes. */
static int evaluate_lanes(const struct replicas *r, uint32_t first, uint32_t lanes, struct mpg_error *err)
{
    const uint32_t each = lanes_each(r, lanes);
    const size_t n = r->n * ((lanes + each - 1) / each);
    struct part *part = calloc(2 * n, sizeof *part);
    int status = part ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n && status == 0; i++) {
        part[i] = part_of(r, i, each, first, lanes);
        status = begin(&part[i], NULL, err);
    }
    if (status == 0)
        status = pass_parts(r, part, n, err);
    if (status == 0)
        status = redo(r, part, n, part + n, err);
    for (size_t i = 0; i < n && status == 0; i++)
        status = mpg_evaluator_finish(part[i].evaluator, err);
    for (size_t i = 0; i < n && status == 0; i++)
        part[i].run->end(part[i].run->context, part[i].evaluator, part[i].first, part[i].n);
    for (size_t i = 0; i < n && part; i++)
        mpg_evaluator_free(part[i].evaluator);
    free(part);
    return status;
}

/* As evaluate_lanes(), but lets threads share ranks where possible. */
static int evaluate_replicas(const struct replicas *r, uint32_t first, uint32_t lanes, struct mpg_error *err)
{
    const char *reason = "a replica is observed";
    int status = 0;
    *r->passed = *r->run[0]->passed;
    if (!r->observer)
        status = mpg_runs_divided(r->run, r->n, first, lanes, r->threads, r->passed, &reason, err);
    for (size_t i = 0; i < r->n && r->threads > 1; i++)
        r->run[i]->undivided = reason;
    struct mpg_together *together = r->run[0]->pass_config.together;
    if (status == 0 && together) {
        together->refused = reason;
        return mpg_error_set(err, "processes cannot share the ranks: %s", reason);
    }
    if (status != 0)
        return status < 0 ? -1 : 0;
    return evaluate_lanes(r, first, lanes, err);
}

/* --- scenarios --- */

static double lane_bytes(struct mpg_run *const *run, size_t n)
{
    double max = 0;
    for (size_t i = 0; i < n; i++) {
        const double bytes = run[i]->lane_bytes(run[i]->context);
        max = bytes > max ? bytes : max;
    }
    return max;
}

/* Returns the number of G's runs, from AT on, that share the next pass. */
static size_t runs_a_pass(const struct group *g, size_t at, uint32_t replicas)
{
    const size_t left = g->n - at;
    const double bytes = lane_bytes(g->run + at, left);
    const uint32_t alone = lanes_a_pass(bytes);
    const uint32_t each = replicas < alone ? replicas : alone;
    size_t max = max_runs(bytes, each);
    if (!g->run[at]->has_findings && max > LANES_UNKNOWN / each)
        max = LANES_UNKNOWN / each;
    max = max < 1 ? 1 : max;
    return left < max ? left : max;
}

/* Stores the findings of a pass in N runs. */
static void share_findings(struct mpg_run **run, size_t n, const struct mpg_passed *passed)
{
    for (size_t i = 0; i < n; i++) {
        run[i]->has_findings = true;
        *run[i]->passed = *passed;
    }
}

/* Makes the next pass of RUN add SHARE replicas to the progress of G. */
static void share_progress(const struct group *g, struct mpg_run *run, double share)
{
    run->pass_config.shared = g->progress;
    run->pass_config.begun = g->done;
    run->pass_config.share = share;
}

/* Makes one pass for runs AT to AT + N - 1 of G, with replicas FIRST to FIRST + LANES - 1 of each. */
static int pass(struct group *g, size_t at, size_t n, uint32_t first, uint32_t lanes, unsigned threads,
                const struct mpg_observer *observer, struct mpg_error *err)
{
    struct mpg_run **run = g->run + at;
    const struct replicas replicas = {run, n, threads, observer, &g->passed};
    share_progress(g, run[0], (double)lanes * (double)n);
    const int status = evaluate_replicas(&replicas, first, lanes, err);
    g->done += (double)lanes * (double)n;
    share_findings(run, n, &g->passed);
    return status;
}

/* Evaluates all replicas of runs AT to AT + N - 1 of G, in shared passes. */
static int evaluate(struct group *g, size_t at, size_t n, uint32_t first, uint32_t replicas,
                    unsigned threads, const struct mpg_observer *observer, struct mpg_error *err)
{
    struct mpg_run **run = g->run + at;
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = run[i]->start ? run[i]->start(run[i]->context, err) : 0;
    for (uint32_t done = 0, lanes; done < replicas && status == 0; done += lanes) {
        const uint32_t max = lanes_a_pass(lane_bytes(run, n) * (double)n);
        lanes = replicas - done < max ? replicas - done : max;
        status = pass(g, at, n, first + done, lanes, threads, done == 0 ? observer : NULL, err);
    }
    for (size_t i = 0; i < n && status == 0; i++)
        status = run[i]->finish ? run[i]->finish(run[i]->context, err) : 0;
    return status;
}

/* Moves to G the first of N runs that is not TAKEN, and all further runs with an equal pass configuration. */
static void gather(struct mpg_run *run, size_t n, bool *taken, struct group *g)
{
    g->n = 0;
    for (size_t i = 0; i < n; i++)
        if (!taken[i] && (g->n == 0 || mpg_pass_config_same(&run[i].pass_config, &g->run[0]->pass_config))) {
            taken[i] = true;
            g->run[g->n++] = &run[i];
        }
}

int mpg_runs_evaluate(struct mpg_run *run, size_t n, uint32_t first, uint32_t replicas, unsigned threads,
                      const struct mpg_observer *observer, struct mpg_error *err)
{
    struct mpg_progress progress = {0};
    struct group g = {.run = calloc(n, sizeof *g.run), .progress = &progress};
    bool *taken = calloc(n, sizeof *taken);
    int status = g.run && taken ? 0 : mpg_error_set(err, "out of memory");
    if (n > 0 && !run[0].pass_config.hides_progress)
        mpg_progress_start_counting(&progress, run[0].pass_config.label, n > 1 ? "replicas of all scenarios" : "replicas",
                                    (double)n * replicas);
    while (status == 0) {
        gather(run, n, taken, &g);
        if (g.n == 0)
            break;
        for (size_t at = 0, some; at < g.n && status == 0; at += some) {
            some = runs_a_pass(&g, at, replicas);
            status = evaluate(&g, at, some, first, replicas, threads, g.run[at] == run ? observer : NULL,
                              err);
            share_findings(g.run + at + some, g.n - at - some, &g.passed);
        }
    }
    mpg_progress_end(&progress);
    free(g.run);
    free(taken);
    return status;
}
