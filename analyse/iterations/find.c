/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the loops of each rank, keeps loops with equal numbers of iterations on all ranks, and chooses one loop. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/iterations/iterations.h"
#include "analyse/iterations/keys.h"

/* A series of calls with equal key is a candidate for a loop if it has at least MIN_CALLS calls, and at least a share
 * REGULAR_GAPS of the gaps between these calls are regular: within a factor of 8 (NEAR_BINS) of the median gap, or all of one
 * kind. Regular gaps must cover at least a share MIN_SHARE of the run. */
enum { MIN_CALLS = 4, NEAR_BINS = 6 };
static const double REGULAR_GAPS = 0.75, MIN_SHARE = 0.1;
/* A key can have a loop only if at least this share of the key's gaps is of kinds that occur repeatedly. */
static const double REPEATED_GAPS = 0.5;
/* The chosen loop has a share of the run >= the best share - NEARLY_BEST, and a number of iterations >= the largest number /
 * NEARLY_FINEST. */
static const double NEARLY_BEST = 0.1, NEARLY_FINEST = 1.5;

struct candidate {
    double share;
    const struct key *key;
    const struct series *series;
};

struct common_loop {
    struct mpg_loop loop;
    /* Number of series, over all ranks, that alternate with the loop's series: the calls in the loop's body. */
    uint64_t support;
    struct mpg_loop_place *place;  /* by rank: how to recognise the loop among the rank's calls */
};

struct finding {
    struct mpg_trace *trace;
    int32_t ranks;
    struct common_loop common[MPG_LOOPS];
    size_t n;
    bool is_cut;                   /* a rank has no MPI_Finalize: ranks may end in different iterations */
    struct keys keys;              /* keys of the current rank; members below are of this rank, too */
    double run_ns;
    struct candidate *candidate;
    size_t candidates;
};

/* ---- a rank ---- */

static int read_rank(struct finding *f, int32_t rank, struct mpg_error *err)
{
    struct mpg_cursor *c = mpg_cursor_open(f->trace, rank, err);
    const struct mpg_event *e;
    uint64_t number = 0;
    int64_t begin_ns = 0, leave_ns = 0;
    bool ended = false;
    int more = c ? 1 : -1;
    while (more > 0 && !ended && (more = mpg_cursor_read(c, &e, err)) > 0) {
        if (!mpg_event_is_call(e))
            continue;
        const enum mpg_kind kind = mpg_call_kind(e->call);
        if (kind == MPG_KIND_INIT)
            begin_ns = leave_ns = f->keys.start_ns = e->leave_ns;
        else if (mpg_iteration_has_key(e)) {
            if (mpg_iteration_keys_add(&f->keys, e, number, e->enter_ns - leave_ns, err) < 0)
                more = -1;
            leave_ns = e->leave_ns;
        }
        ended = kind == MPG_KIND_FINALIZE && !e->failed;
        leave_ns = ended ? e->enter_ns : leave_ns;
        number++;
    }
    mpg_cursor_close(c);
    f->run_ns = (double)(leave_ns - begin_ns);
    f->is_cut = f->is_cut || !ended;
    return more < 0 ? -1 : 0;
}

/* Returns the bin of the median gap between calls of S. */
static int usual_bin(const struct series *s)
{
    uint64_t below = 0;
    for (int i = 0; i < GAP_BINS; i++)
        if (2 * (below += s->gaps[i]) >= s->calls - 1)
            return i;
    return 0;
}

/* Returns the sum, ns, of the gaps of S with lengths near the median; 0 if the share of these gaps is below REGULAR_GAPS. */
static double near_median_ns(const struct series *s)
{
    const int usual = usual_bin(s);
    uint64_t near = 0;
    double near_ns = 0;
    for (int i = usual - NEAR_BINS; i <= usual + NEAR_BINS; i++)
        if (i >= 0 && i < GAP_BINS) {
            near += s->gaps[i];
            near_ns += s->gaps_ns[i];
        }
    return (double)near >= REGULAR_GAPS * (double)(s->calls - 1) ? near_ns : 0;
}

/* Returns the sum, ns, of the gaps of S of K's commonest kind, and of the bursts BURST (NULL: none) within; 0 if the share of
 * this kind is below REGULAR_GAPS. On busy machines the gaps of a loop vary in length, but not in kind. */
static double commonest_ns(const struct key *k, const struct series *s, const struct gap_kind *burst)
{
    const double gaps = (double)(s->calls - 1);
    const struct gap_kind *max = NULL;
    for (uint32_t i = 0; i < k->kinds; i++)
        if (&k->kind[i] != burst && (!max || k->kind[i].number > max->number))
            max = &k->kind[i];
    if (!max || (double)max->number < REGULAR_GAPS * gaps)
        return 0;
    return max->sum_ns + (burst ? burst->sum_ns * (double)max->number / gaps : 0);
}

static void add_candidate(struct finding *f, const struct key *k, const struct series *s, const struct gap_kind *burst)
{
    if (s->calls < MIN_CALLS || !(f->run_ns > 0))
        return;
    const double regular_ns = fmax(near_median_ns(s), commonest_ns(k, s, burst)), mean_ns = regular_ns / (double)(s->calls - 1);
    /* The first iteration began before the first gap. Its length is assumed to be the mean, at most the time since MPI_Init. */
    const double share = (regular_ns + fmin(mean_ns, s->since_start_ns)) / f->run_ns;
    if (share >= MIN_SHARE)
        f->candidate[f->candidates++] = (struct candidate){fmin(1, share), k, s};
}

/* Returns whether kind I of K's gaps occurs repeatedly within each iteration, in bursts of calls. True if fewer other keys are
 * called in gaps of this kind than in gaps of every other repeated kind. */
static bool is_burst(const struct key *k, uint32_t i)
{
    for (uint32_t other = 0; other < k->kinds; other++)
        if (other != i && k->kind[other].number > 1 && k->kind[other].keys <= k->kind[i].keys)
            return false;
    return k->kind[i].complete && k->kind[i].number > 1;
}

/* Returns whether a share REPEATED_GAPS of K's gaps is of kinds that occur repeatedly, as in a loop. */
static bool repeats(const struct key *k)
{
    uint64_t repeated = 0;
    for (uint32_t i = 0; i < k->kinds; i++)
        repeated += k->kind[i].number > 1 ? k->kind[i].number : 0;
    return k->all.calls >= MIN_CALLS && (double)repeated >= REPEATED_GAPS * (double)(k->all.calls - 1);
}

static int list_candidates(struct finding *f, struct mpg_error *err)
{
    f->candidates = 0;
    free(f->candidate);
    if (!(f->candidate = calloc((size_t)f->keys.n + 1, (GAP_KINDS + 1) * sizeof *f->candidate)))
        return mpg_error_set(err, "out of memory");
    for (uint32_t i = 0; i < f->keys.n; i++) {
        const struct key *k = f->keys.key[i];
        if (!repeats(k))
            continue;
        add_candidate(f, k, &k->all, NULL);
        for (uint32_t j = 0; j < k->kinds; j++)
            if (is_burst(k, j))
                add_candidate(f, k, k->kind[j].without, &k->kind[j]);
    }
    return 0;
}

/* ---- the body of a loop on a rank ---- */

/* Returns whether the calls of A and B alternate, at the first two and the last two calls of A and of B. */
static bool alternate(const struct series *a, const struct series *b)
{
    return a->first < b->second && b->first < a->second && a->last > b->before_last && b->last > a->before_last;
}

struct body {
    const struct key *first_key;
    const struct series *first;
    uint64_t last_call, support;
};

static void add_member(struct body *b, const struct candidate *best, const struct key *k, const struct series *s)
{
    if (s->calls != best->series->calls || !alternate(s, best->series))
        return;
    b->support++;
    b->last_call = k->all.last > b->last_call ? k->all.last : b->last_call;
    if (s->first < b->first->first) {
        b->first_key = k;
        b->first = s;
    }
}

/* Extends the body of the loop to the last call of every callsite that occurs between the first and the last call of the body's
 * first key. */
static void extend(const struct keys *keys, struct body *b)
{
    for (uint32_t i = 0; i < keys->n; i++) {
        const struct key *k = keys->key[i];
        if (k->site != MPG_NO_SITE && k->all.first >= b->first->first && k->all.first < b->first->last &&
            k->all.last > b->last_call)
            b->last_call = k->all.last;
    }
}

static struct body find_body(const struct keys *keys, const struct candidate *best)
{
    struct body b = {.first_key = best->key, .first = best->series, .last_call = best->key->all.last};
    for (uint32_t i = 0; i < keys->n; i++) {
        const struct key *k = keys->key[i];
        add_member(&b, best, k, &k->all);
        for (uint32_t j = 0; j < k->kinds; j++)
            if (is_burst(k, j))
                add_member(&b, best, k, k->kind[j].without);
    }
    extend(keys, &b);
    return b;
}

/* ---- all ranks ---- */

/* Returns the candidate with CALLS calls that has the largest share of the run; NULL: none. */
static const struct candidate *best_of(const struct finding *f, uint64_t calls)
{
    const struct candidate *best = NULL;
    for (size_t i = 0; i < f->candidates; i++)
        if (f->candidate[i].series->calls == calls && (!best || f->candidate[i].share > best->share))
            best = &f->candidate[i];
    return best;
}

static void add_place(struct finding *f, struct common_loop *c, int32_t rank, const struct candidate *best)
{
    const struct body b = find_body(&f->keys, best);
    if (rank == 0) {
        c->loop.call = b.first_key->call;
        c->loop.site = b.first_key->site;
    }
    c->loop.share += best->share / f->ranks;
    c->support += b.support;
    c->place[rank] = (struct mpg_loop_place){.key = b.first_key->hash, .burst = b.first->burst, .last_call = b.last_call,
                                             .usual_before_ns = b.first->before_ns / (double)(b.first->calls - 1)};
}

static int by_share(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return x->series->first < y->series->first ? -1 : x->series->first > y->series->first;
}

/* Returns whether a loop among the first N common loops has this number of iterations. */
static bool has_loop(const struct finding *f, size_t n, uint64_t iterations)
{
    for (size_t i = 0; i < n; i++)
        if (f->common[i].loop.iterations == iterations)
            return true;
    return false;
}

/* Starts the list of common loops with loops of rank 0: for each number of iterations the loop with the largest share of the
 * run. */
static int begin_common(struct finding *f, struct mpg_error *err)
{
    qsort(f->candidate, f->candidates, sizeof *f->candidate, by_share);
    for (size_t i = 0; i < f->candidates && f->n < MPG_LOOPS; i++) {
        const uint64_t iterations = f->candidate[i].series->calls;
        if (has_loop(f, f->n, iterations))
            continue;
        struct common_loop *c = &f->common[f->n];
        *c = (struct common_loop){.loop = {.iterations = iterations}, .place = calloc((size_t)f->ranks, sizeof *c->place)};
        if (!c->place)
            return mpg_error_set(err, "out of memory");
        f->n++;
        add_place(f, c, 0, &f->candidate[i]);
    }
    return 0;
}

/* Returns the candidate on the current rank with the number of iterations of C. In a truncated trace also a candidate with one
 * iteration more, or one less; the smaller number then becomes the number of C. */
static const struct candidate *find_same(const struct finding *f, struct common_loop *c)
{
    const uint64_t n = c->loop.iterations;
    const struct candidate *best = best_of(f, n);
    if (!best && f->is_cut && !(best = best_of(f, n + 1)) && (best = best_of(f, n - 1)))
        c->loop.iterations = n - 1;
    return best;
}

/* Drops the common loops that RANK does not have. */
static void keep_common(struct finding *f, int32_t rank)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct common_loop c = f->common[i];
        const struct candidate *best = find_same(f, &c);
        if (!best || has_loop(f, kept, c.loop.iterations)) {
            free(c.place);
            continue;
        }
        add_place(f, &c, rank, best);
        f->common[kept++] = c;
    }
    f->n = kept;
}

static int find_common(struct finding *f, struct mpg_error *err)
{
    int status = 0;
    for (int32_t rank = 0; rank < f->ranks && status == 0 && (rank == 0 || f->n > 0); rank++) {
        status = read_rank(f, rank, err) < 0 || list_candidates(f, err) < 0 ? -1 : 0;
        if (status == 0 && rank == 0)
            status = begin_common(f, err);
        else if (status == 0)
            keep_common(f, rank);
        mpg_iteration_keys_clear(&f->keys);
    }
    free(f->candidate);
    return status;
}

/* ---- the choice ---- */

static bool is_better(const struct common_loop *a, const struct common_loop *b)
{
    if (a->support != b->support)
        return a->support > b->support;
    return a->loop.share != b->loop.share ? a->loop.share > b->loop.share : a->loop.iterations > b->loop.iterations;
}

static size_t choose(const struct finding *f)
{
    double best = 0, finest = 0;
    size_t chosen = f->n;
    for (size_t i = 0; i < f->n; i++)
        best = fmax(best, f->common[i].loop.share);
    for (size_t i = 0; i < f->n; i++)
        if (f->common[i].loop.share >= best - NEARLY_BEST)
            finest = fmax(finest, (double)f->common[i].loop.iterations);
    for (size_t i = 0; i < f->n; i++) {
        const struct common_loop *c = &f->common[i];
        if (c->loop.share >= best - NEARLY_BEST && (double)c->loop.iterations * NEARLY_FINEST >= finest &&
            (chosen == f->n || is_better(c, &f->common[chosen])))
            chosen = i;
    }
    return chosen;
}

static size_t find_wanted(const struct finding *f, uint64_t repeats)
{
    size_t i = 0;
    while (i < f->n && f->common[i].loop.iterations != repeats)
        i++;
    return i;
}

static int by_loop_share(const void *a, const void *b)
{
    const struct mpg_loop *x = a, *y = b;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return x->iterations > y->iterations ? -1 : x->iterations < y->iterations;
}

static void take(struct finding *f, size_t chosen, struct mpg_iterations *found)
{
    found->loop[0] = f->common[chosen].loop;
    found->n = 1;
    for (size_t i = 0; i < f->n; i++)
        if (i != chosen)
            found->loop[found->n++] = f->common[i].loop;
    qsort(found->loop + 1, found->n - 1, sizeof *found->loop, by_loop_share);
    found->place = f->common[chosen].place;
    f->common[chosen].place = NULL;
}

int mpg_iterations_find(struct mpg_trace *trace, uint64_t repeats, struct mpg_iterations *found, struct mpg_error *err)
{
    struct finding f = {.trace = trace, .ranks = mpg_trace_ranks(trace)};
    *found = (struct mpg_iterations){.ranks = f.ranks};
    int status = find_common(&f, err);
    if (status == 0) {
        const size_t chosen = repeats > 0 ? find_wanted(&f, repeats) : choose(&f);
        if (chosen < f.n)
            take(&f, chosen, found);
        else if (repeats > 0)
            status = mpg_error_set(err, "no loop with %" PRIu64 " iterations was found (--by=iteration lists the loops)",
                                   repeats);
    }
    for (size_t i = 0; i < f.n; i++)
        free(f.common[i].place);
    return status;
}

void mpg_iterations_clear(struct mpg_iterations *found)
{
    free(found->place);
    *found = (struct mpg_iterations){.n = 0};
}
