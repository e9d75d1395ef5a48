/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the values of all lanes come from: as path.c has it of one, for simulate/where/trail.h. Of ties it is the rank's own
 * time, then what comes first. Here: computation, what several kinds of steps have in common, and what can still be read. */
#include <math.h>
#include <stdlib.h>

#include "simulate/engine/operations.h"
#include "simulate/predict/trail_private.h"

int mpg_times_use_trail(struct mpg_times *t, struct mpg_error *err)
{
    struct mpg_times_trail *x = calloc(1, sizeof *x);
    t->trail = x;
    if (!x)
        return mpg_error_set(err, "out of memory");
    double **const vectors[] = {&x->before, &x->other, &x->from_ns, &x->latency, &x->bytes, &x->whole, &x->last_ns, &x->latest};
    bool all = true;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        all = (*vectors[i] = calloc(t->n, sizeof **vectors[i])) && all;
    x->code = calloc(t->n, sizeof *x->code);
    x->last = calloc(t->n, sizeof *x->last);
    x->waits = calloc(mpg_trail_words(t->n), sizeof *x->waits);
    if (!all || !x->code || !x->last || !x->waits)
        return mpg_error_set(err, "out of memory");
    t->follows = true;
    return (x->trail = mpg_trail_new(t->tally, err)) ? 0 : -1;
}

void mpg_times_free_trail(struct mpg_times_trail *x)
{
    if (!x)
        return;
    double *const vectors[] = {x->before, x->other, x->from_ns, x->latency, x->bytes, x->whole, x->last_ns, x->latest};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        free(vectors[i]);
    free(x->code);
    free(x->last);
    free(x->waits);
    free(x->used);
    free(x->finished);
    mpg_trail_free(x->trail);
    free(x);
}

/* --- in common --- */

/* What calls' noise comes to in the rounds of a collective, into the other vector. */
static const double *find_rounds_calls(const struct mpg_times *t, const struct mpg_perturbation *p,
                                       const struct mpg_origin *origin, uint32_t rounds)
{
    double *calls = t->trail->other;
    zero(calls, t->n);
    if (p->call_noise.n > 0)
        mpg_time_rounds(p, origin->rank, origin->call, origin->index, rounds, 0, false, t->first, t->n, calls);
    return calls;
}

void trail_find_collective(const struct mpg_times *t, enum mpg_call call, const struct mpg_origin *origin, uint32_t rounds,
                           double bytes, int32_t members, double bytes_each, const double *took_ns, double *term)
{
    const struct mpg_perturbation *p = mpg_target_farthest(t->target);
    struct mpg_times_trail *x = t->trail;
    const double *calls = find_rounds_calls(t, p, origin, rounds);
    x->has_terms = true;
    if (mpg_collective_measured(p, mpg_operation_whole(call), members, bytes_each)) {
        term[MPG_WHERE_WHOLES] = 1;
        for (uint32_t w = 0; w < t->n; w++)
            x->whole[w] = took_ns[w] > 0 ? took_ns[w] - calls[w] : x->whole[w];
        return;
    }
    term[MPG_WHERE_MESSAGES] = rounds;
    term[MPG_WHERE_SIZE] = bytes;
    double *empty = x->latest;
    zero(empty, t->n);
    if (bytes > 0)
        mpg_time_rounds(p, origin->rank, origin->call, origin->index, rounds, 0, true, t->first, t->n, empty);
    for (uint32_t w = 0; w < t->n; w++) {
        if (!(took_ns[w] > 0))
            continue;
        x->latency[w] = (bytes > 0 ? empty[w] : took_ns[w]) - calls[w];
        x->bytes[w] = bytes > 0 ? took_ns[w] - empty[w] : 0;
    }
}

/* --- computation --- */

void mpg_times_trail_enter(const struct mpg_times *t, const struct mpg_step *s, const double *before, double done_ns)
{
    const double *value = stream_value(t, s->stream, STREAM_TIME);
    const double term[MPG_WHERE_TERMS] = {[MPG_WHERE_COMPUTATION] = done_ns};
    double *noise = t->trail->other;
    mpg_trail_add(t->trail->trail, mpg_path_stream(s->stream), t->tally->at[s->stream]);
    mpg_trail_from(t->trail->trail, mpg_path_stream(s->stream), term, NOWHERE);
    if (mpg_perturbation_is_quiet(t->target->noise))
        return;
    for (uint32_t w = 0; w < t->n; w++)
        noise[w] = value[w] - before[w] - done_ns;
    mpg_trail_add_term(t->trail->trail, MPG_WHERE_NOISE, noise);
}

/* --- what calls choose --- */

int mpg_times_tell_moves(struct mpg_times *t, struct mpg_error *err)
{
    if (!t->follows)
        return 0;
    return t->trail ? mpg_moves_tell(t->moves, t->trail->trail, err) : mpg_moves_tell_path(t->moves, t->path, err);
}

/* --- what can still be read --- */

static bool is_finished(const struct mpg_times_trail *x, uint32_t stream)
{
    return stream < x->finished_capacity && x->finished[stream];
}

/* Streams: of those that have ended only the latest can be the longest run's. */
static void mark_streams(const struct mpg_times *t)
{
    struct mpg_times_trail *x = t->trail;
    for (uint32_t w = 0; w < t->n; w++)
        x->latest[w] = 0;
    for (uint32_t i = 0; i < x->streams; i++)
        for (uint32_t w = 0; w < t->n; w++)
            x->latest[w] = fmax(x->latest[w], stream_value(t, i, STREAM_TIME)[w]);
    const uint32_t streams = x->streams > (uint32_t)t->ranks ? x->streams : (uint32_t)t->ranks;
    for (uint32_t i = 0; i < streams; i++) {
        const bool begun = i < x->streams;
        const double *now = begun ? stream_value(t, i, STREAM_TIME) : NULL;
        uint64_t *words = mpg_trail_mark(x->trail, mpg_path_stream(i));
        for (uint32_t w = 0; w < t->n && words; w++)
            words[w / 64] |= (uint64_t)(!is_finished(x, i) || now[w] >= x->latest[w]) << w % 64;
        words = begun && !is_finished(x, i) ? mpg_trail_mark(x->trail, next_of(i)) : NULL;
        if (words)
            mpg_trail_find_larger(t->n, stream_value(t, i, STREAM_NEXT), now, words);
    }
}

static void mark_kept(void *trail, uint32_t number, uint32_t w, bool bare)
{
    uint64_t *words = mpg_trail_mark(trail, mpg_path_kept(number));
    (void)bare; /* times have no such thing */
    if (words)
        words[w / 64] |= UINT64_C(1) << w % 64;
}

int mpg_times_cut_trail(const struct mpg_times *t, const struct mpg_steps *steps, struct mpg_error *err)
{
    t->trail->steps += steps->n;
    if (!steps->tells_unused)
        return 0;
    const uint64_t passed = t->trail->steps;
    t->trail->steps = 0;
    if (!mpg_trail_cut(t->trail->trail, passed))
        return 0;
    mark_streams(t);
    if (t->choice)
        mpg_choosing_mark_kept(t->choice, mark_kept, t->trail->trail);
    mpg_trail_mark_slots(t->trail->trail, steps->unused, steps->unused_number);
    return mpg_trail_resolve(t->trail->trail, err);
}

int mpg_times_finish_trail(const struct mpg_times *t, struct mpg_error *err)
{
    struct mpg_times_trail *x = t->trail;
    for (uint32_t w = 0; w < t->n; w++) {
        int32_t longest = 0;
        for (int32_t i = 1; i < t->ranks; i++)
            if (mpg_times_run(t, i)[w] > mpg_times_run(t, longest)[w])
                longest = i;
        x->latest[w] = mpg_times_run(t, longest)[w];
        uint64_t *words = mpg_trail_mark(x->trail, mpg_path_stream(t->last_stream[longest]));
        if (words)
            words[w / 64] |= UINT64_C(1) << w % 64;
    }
    return mpg_trail_finish(x->trail, x->latest, err);
}

bool mpg_times_has_trail(const struct mpg_times *t)
{
    return t->trail != NULL;
}
