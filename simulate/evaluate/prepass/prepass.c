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

/* Fills X from LEFT. Returns false, and leaves X empty, if LEFT is damaged. */
static bool fill(struct mpg_bytes_left *left, const struct mpg_pass_config *pass_config, struct mpg_prepass *x)
{
    if (get(left, pass_config, x))
        return true;
    if (x->floors)
        mpg_floors_forget(x->floors);
    if (x->classes)
        mpg_classes_forget(x->classes);
    return false;
}

/* Fills X from the cache. Returns whether the cache holds X. */
static bool recall(const struct mpg_pass_config *pass_config, struct mpg_prepass *x)
{
    struct mpg_bytes key = {0};
    struct mpg_bytes_left left;
    if (!pass_config->cache)
        return false;
    put_key(&key, pass_config, x);
    const bool is_known = mpg_cache_find(pass_config->cache, &key, &left) && fill(&left, pass_config, x);
    mpg_bytes_clear(&key);
    return is_known;
}

static void put(struct mpg_bytes *found, const struct mpg_pass_config *pass_config, const struct mpg_prepass *x)
{
    mpg_passed_put(found, &x->passed);
    if (x->floors)
        mpg_floors_put(found, x->floors);
    if (x->classes)
        mpg_classes_put(found, x->classes, pass_config->trace);
}

static void keep(const struct mpg_pass_config *pass_config, const struct mpg_prepass *x)
{
    struct mpg_bytes key = {0}, found = {0};
    if (!pass_config->cache)
        return;
    put_key(&key, pass_config, x);
    put(&found, pass_config, x);
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

/* Fills N pre-passes from the cache, or else by one pass. */
static int find(const struct mpg_pass_config *pass_config, struct mpg_prepass *const *x, size_t n, unsigned threads,
                struct mpg_error *err)
{
    struct mpg_passed passed = {0};
    struct mpg_step_consumer *consumers = calloc(n, sizeof *consumers);
    size_t k = 0;
    if (!consumers)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n; i++)
        if (!recall(pass_config, x[i]))
            consumers[k++] = (struct mpg_step_consumer){
                .take = take, .context = x[i], .wants = x[i]->classes ? MPG_STEPS_ALL : MPG_STEPS_LEAVES};
    const int status = k > 0 ? mpg_pass(pass_config, consumers, k, threads, &passed, err) : 0;
    for (size_t i = 0; i < k && status == 0; i++) {
        struct mpg_prepass *own = consumers[i].context;
        own->passed = passed;
        keep(pass_config, own);
    }
    free(consumers);
    return status;
}

/* Fills N pre-passes of the other processes as those of the first, whose success is STATUS. */
static int tell(const struct mpg_pass_config *pass_config, struct mpg_prepass *const *x, size_t n, int status,
                struct mpg_error *err)
{
    const bool finds = mpg_together_finds(pass_config->together);
    for (size_t i = 0; i < n && (status == 0 || i == 0); i++) {
        struct mpg_bytes found = {0};
        if (finds && status == 0)
            put(&found, pass_config, x[i]);
        status = mpg_together_tell(pass_config->together, status, &found, err);
        struct mpg_bytes_left left = {.p = found.data, .end = found.data + found.size};
        if (status == 0 && !finds && !fill(&left, pass_config, x[i]))
            status = mpg_error_set(err, "out of memory");
        mpg_bytes_clear(&found);
    }
    return status;
}

int mpg_prepass_find(const struct mpg_pass_config *pass_config, struct mpg_prepass *const *x, size_t n, unsigned threads,
                     struct mpg_error *err)
{
    int status = mpg_together_finds(pass_config->together) ? find(pass_config, x, n, threads, err) : 0;
    if (pass_config->together)
        status = tell(pass_config, x, n, status, err);
    for (size_t i = 0; i < n && status == 0; i++)
        status = finish(x[i], err);
    return status;
}
