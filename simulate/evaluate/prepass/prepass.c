/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/evaluate/prepass/prepass.h"

#include <stdlib.h>

int mpg_prepass_init(struct mpg_prepass *x, const struct mpg_trace *trace, const struct mpg_floor_options *options, bool messages,
                     const struct mpg_perturbation *source, struct mpg_removals *removals, struct mpg_error *err)
{
    x->messages = messages;
    if ((options && !(x->floors = mpg_floors_new(trace, options, err))) ||
        (source && !(x->classes = mpg_classes_new(source, removals, err))))
        return -1;
    return 0;
}

void mpg_prepass_clear(struct mpg_prepass *x)
{
    mpg_floors_free(x->floors);
    mpg_classes_free(x->classes);
    *x = (struct mpg_prepass){0};
}

static int finish(struct mpg_prepass *x, struct mpg_error *err)
{
    x->is_done = true;
    if (x->classes && mpg_classes_finish(x->classes, err) < 0)
        return -1;
    return x->floors ? mpg_floors_finish(x->floors, err) : 0;
}

/* --- the cache --- */

static void put_key(struct mpg_bytes *key, const struct mpg_pass_config *pass_config, const struct mpg_prepass *x)
{
    mpg_cache_key(key, "first", pass_config->graph, mpg_clock_map_source(pass_config->clocks));
    mpg_bytes_put_u64(key, x->messages);
    mpg_bytes_put_u64(key, x->floors != NULL);
    mpg_bytes_put_u64(key, x->classes != NULL);
    if (x->floors)
        mpg_floors_key(key, x->floors);
    if (x->classes)
        mpg_classes_key(key);
}

/* Reads X from LEFT. Returns false if LEFT does not hold exactly one pre-pass. */
static bool get(struct mpg_bytes_left *left, const struct mpg_pass_config *pass_config, struct mpg_prepass *x)
{
    return mpg_passed_get(left, &x->passed) == 0 && (!x->floors || mpg_floors_get(left, x->floors) == 0) &&
           (!x->classes || mpg_classes_get(left, x->classes, pass_config->trace) == 0) && left->p == left->end;
}

/* Completes X from the cache. Returns 1; 0 if the cache does not hold X; -1 with ERR. */
static int recall(const struct mpg_pass_config *pass_config, struct mpg_prepass *x, struct mpg_error *err)
{
    struct mpg_bytes key = {0};
    struct mpg_bytes_left left;
    if (!pass_config->cache)
        return 0;
    put_key(&key, pass_config, x);
    bool is_known = mpg_cache_find(pass_config->cache, &key, &left);
    mpg_bytes_clear(&key);
    if (is_known && !get(&left, pass_config, x)) { /* a damaged finding is ignored */
        is_known = false;
        if (x->floors)
            mpg_floors_forget(x->floors);
        if (x->classes)
            mpg_classes_forget(x->classes);
    }
    return !is_known ? 0 : finish(x, err) < 0 ? -1 : 1;
}

static void keep(const struct mpg_pass_config *pass_config, const struct mpg_prepass *x)
{
    struct mpg_bytes key = {0}, found = {0};
    if (!pass_config->cache)
        return;
    put_key(&key, pass_config, x);
    mpg_passed_put(&found, &x->passed);
    if (x->floors)
        mpg_floors_put(&found, x->floors);
    if (x->classes)
        mpg_classes_put(&found, x->classes, pass_config->trace);
    mpg_cache_add(pass_config->cache, &key, &found);
    mpg_bytes_clear(&key);
    mpg_bytes_clear(&found);
}

/* --- the pass --- */

static int take(void *prepass, const struct mpg_steps *steps, struct mpg_error *err)
{
    const struct mpg_prepass *x = prepass;
    for (size_t i = 0; x->classes && i < steps->n; i++)
        if (mpg_classes_add(x->classes, &steps->step[i], err) < 0)
            return -1;
    return x->floors ? mpg_floors_add(x->floors, steps, x->messages, err) : 0;
}

int mpg_prepass_find(const struct mpg_pass_config *pass_config, struct mpg_prepass *const *x, size_t n, unsigned threads,
                     struct mpg_error *err)
{
    struct mpg_passed passed = {0};
    struct mpg_step_consumer *consumers = calloc(n, sizeof *consumers);
    size_t k = 0;
    int status = consumers ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n && status == 0; i++) {
        const int known = recall(pass_config, x[i], err);
        status = known < 0 ? -1 : 0;
        if (known == 0)
            consumers[k++] = (struct mpg_step_consumer){
                .take = take, .context = x[i], .wants = x[i]->classes ? MPG_STEPS_ALL : MPG_STEPS_LEAVES};
    }
    if (status == 0 && k > 0)
        status = mpg_pass(pass_config, consumers, k, threads, &passed, err);
    for (size_t i = 0; i < k && status == 0; i++) {
        struct mpg_prepass *own = consumers[i].context;
        own->passed = passed;
        keep(pass_config, own);
        status = finish(own, err);
    }
    free(consumers);
    return status;
}
