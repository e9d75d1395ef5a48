/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/evaluate/driver/divided.h"

#include <stdlib.h>

#include "simulate/passes/by_ranks.h"

/* The evaluators of N runs in each of PARTS parts, of this process. */
struct divided {
    struct mpg_evaluator **evaluator;    /* [part][run] */
    struct mpg_step_consumer *consumers; /* of the evaluators */
    size_t n;
    unsigned parts;
};

/* Creates the evaluators of all runs in all parts. *VALUE_BYTES: size of the values that a part's evaluators exchange. Returns 1;
 * 0 if these evaluators cannot be divided; -1 with ERR. */
static int begin(const struct divided *d, struct mpg_run **run, uint32_t first, uint32_t lanes, size_t *value_bytes,
                 struct mpg_error *err)
{
    for (unsigned i = 0; i < d->parts; i++) {
        *value_bytes = 0;
        for (size_t k = 0; k < d->n; k++) {
            struct mpg_evaluator *e = run[k]->begin(run[k]->context, first, lanes, NULL, NULL, err);
            if (!e)
                return -1;
            d->evaluator[i * d->n + k] = e;
            if (!mpg_evaluator_is_divisible(e))
                return 0;
            *value_bytes += mpg_evaluator_exchange_at(e, *value_bytes);
        }
    }
    return 1;
}

/* Part I has the ranks FIRST to END - 1. */
static void set_ranks(void *context, unsigned i, int32_t first, int32_t end)
{
    const struct divided *d = context;
    for (size_t k = 0; k < d->n; k++)
        mpg_evaluator_own_ranks(d->evaluator[i * d->n + k], first, end,
                                i + 1 < d->parts ? d->evaluator[(i + 1) * d->n + k] : NULL);
}

static int take(void *evaluator, const struct mpg_steps *steps, struct mpg_error *err)
{
    return mpg_evaluator_take(evaluator, steps, err);
}

/* Makes the pass. Returns as mpg_runs_divided(). */
static int pass(const struct divided *d, const struct mpg_pass_config *pass_config, size_t value_bytes,
                struct mpg_passed *passed, const char **reason, struct mpg_error *err)
{
    for (size_t i = 0; i < d->parts * d->n; i++)
        d->consumers[i] = (struct mpg_step_consumer){
            .take = take, .context = d->evaluator[i], .wants = mpg_evaluator_wants(d->evaluator[i])};
    return mpg_pass_by_ranks(pass_config, d->consumers, d->n, d->parts, value_bytes, set_ranks, (void *)(uintptr_t)d, passed,
                             reason, err);
}

/* Returns the number of parts of each process; less than 2 in all: the ranks are too few. */
static unsigned parts_of(const struct mpg_pass_config *pass_config, unsigned threads)
{
    return pass_config->together ? pass_config->together->threads : mpg_pass_parts(pass_config->trace, 1, threads);
}

int mpg_runs_divided(struct mpg_run **run, size_t n, uint32_t first, uint32_t lanes, unsigned threads, struct mpg_passed *passed,
                     const char **reason, struct mpg_error *err)
{
    const struct mpg_pass_config *pass_config = &run[0]->pass_config;
    const struct mpg_together *together = pass_config->together;
    struct divided d = {.n = n, .parts = parts_of(pass_config, threads)};
    *reason = NULL;
    if ((!together && d.parts < 2) || (*reason = mpg_pass_indivisible(pass_config, passed)))
        return 0;
    d.evaluator = calloc(d.parts * n, sizeof *d.evaluator);
    d.consumers = calloc(d.parts * n, sizeof *d.consumers);
    size_t value_bytes = 0;
    int status = d.evaluator && d.consumers ? 0 : mpg_error_set(err, "out of memory");
    if (status == 0)
        status = begin(&d, run, first, lanes, &value_bytes, err);
    if (together && mpg_processes_agree(together->processes, status < 0 ? -1 : 0, 0, err) < 0)
        status = -1;
    if (status == 0)
        *reason = "times are attributed to places";
    if (status > 0)
        status = pass(&d, pass_config, value_bytes, passed, reason, err);
    for (size_t k = 0; k < n && status > 0; k++)
        if (mpg_evaluator_finish(d.evaluator[k], err) < 0)
            status = -1;
    for (size_t k = 0; k < n && status > 0; k++)
        run[k]->end(run[k]->context, d.evaluator[k], first, lanes);
    for (size_t i = 0; i < d.parts * n && d.evaluator; i++)
        mpg_evaluator_free(d.evaluator[i]);
    free(d.evaluator);
    free(d.consumers);
    return status;
}
