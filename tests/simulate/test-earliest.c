/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Search for the earliest arriving message that fits a receive, with many receives: compared with a search through all
 * messages; number of messages inspected. */
#include <math.h>
#include <stdlib.h>

#include "simulate/choice/earliest.h"
#include "tests/tap.h"

enum { TAGS = 3, RANK = 5, COMM = 2 };

/* Pending messages: lane 0 is the replica's lane, lane 1 that of the trace. */
struct world {
    struct mpg_unexpected unexpected;
    struct mpg_decision decision;
    struct mpg_pending **pending; /* in the order of sending */
    uint32_t n, sources;
    uint64_t state;
};

static uint32_t draw(struct world *x, uint32_t below)
{
    x->state = x->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(x->state >> 33) % below;
}

static struct mpg_error error;

static void must(int status)
{
    if (status < 0) {
        printf("Bail out! %s\n", error.text);
        exit(1);
    }
}

/* Creates N messages from random SOURCES, which arrive at whole ns, so that some arrive at the same time. */
static void make(struct world *x, uint32_t n, uint32_t sources, uint64_t seed)
{
    *x = (struct world){.unexpected = {.n = 1}, .n = n, .sources = sources, .state = seed};
    x->pending = calloc(n, sizeof(struct mpg_pending *));
    for (uint32_t i = 0; i < n; i++) {
        const struct mpg_step s = {.rank = (int32_t)draw(x, sources), .comm = COMM, .receiver = RANK,
                                   .message = i + 1, .tag = (int32_t)draw(x, TAGS), .bytes = 8};
        struct mpg_pending *m = mpg_unexpected_add(&x->unexpected, &s, &error);
        must(m ? 0 : -1);
        m->value[0] = draw(x, n);
        m->base_ns = draw(x, n);
        m->cause_ns = -1;
        x->pending[i] = m;
    }
}

static void clear(struct world *x)
{
    mpg_decision_clear(&x->decision);
    mpg_unexpected_clear(&x->unexpected);
    free(x->pending);
}

static struct mpg_message_pattern any_fit(struct world *x)
{
    return (struct mpg_message_pattern){.comm = COMM, .any_source = draw(x, 4) > 0, .any_tag = draw(x, 2),
                            .source = (int32_t)draw(x, x->sources), .tag = (int32_t)draw(x, TAGS)};
}

static bool fits(const struct mpg_message_pattern *f, const struct mpg_pending *m)
{
    return (f->any_source || f->source == m->queue[0]->source) && (f->any_tag || f->tag == m->tag);
}

/* Returns whether M is the first message of its source that matches F and is still pending in lane W. */
static bool is_first(const struct world *x, const struct mpg_message_pattern *f, const struct mpg_pending *m, uint32_t w)
{
    if (m->taken[w] || !fits(f, m))
        return false;
    for (uint32_t i = 0; i + 1 < m->id; i++) {
        const struct mpg_pending *before = x->pending[i];
        if (before && !before->taken[w] && fits(f, before) &&
            before->queue[0]->source == m->queue[0]->source)
            return false;
    }
    return true;
}

static struct mpg_pending *search(const struct world *x, const struct mpg_message_pattern *f, const struct mpg_pending *own)
{
    struct mpg_pending *min = NULL;
    double min_ns = INFINITY;
    for (uint32_t i = 0; i < x->n; i++)
        if (x->pending[i] && is_first(x, f, x->pending[i], 0))
            min_ns = fmin(min_ns, mpg_pending_arrival_ns(x->pending[i], 0));
    for (uint32_t i = 0; i < x->n; i++) {
        struct mpg_pending *m = x->pending[i];
        if (!m || !is_first(x, f, m, 0) || mpg_pending_arrival_ns(m, 0) > min_ns)
            continue;
        if (m == own)
            return m;
        min = !min || m->queue[0]->source < min->queue[0]->source ? m : min;
    }
    return min;
}

/* Receives of all kinds, some of which take their message; repeated several times. */
static void test_takes(uint64_t seed)
{
    struct world x;
    bool same = true;
    make(&x, 150, 1 + (uint32_t)seed % 9, seed);
    for (int call = 0; call < 12; call++) {
        uint32_t count = 0;
        uint64_t taken[20];
        mpg_decision_begin(&x.decision, &x.unexpected, RANK, 0);
        for (int i = 0; i < 20; i++) {
            const struct mpg_message_pattern f = any_fit(&x);
            const struct mpg_pending *own = x.pending[draw(&x, x.n)];
            struct mpg_pending *want = search(&x, &f, own), *got;
            must(mpg_decision_earliest(&x.decision, &f, own, -INFINITY, &got, &error));
            same = same && got == want;
            if (got)
                must(mpg_decision_mark(&x.decision, got, &error));
            if (got && draw(&x, 2))
                taken[count++] = got->id;
        }
        mpg_decision_end(&x.decision);
        for (uint32_t i = 0; i < count; i++) {
            mpg_unexpected_take(&x.unexpected, x.pending[taken[i] - 1], 0);
            if (!draw(&x, 2))
                continue;
            mpg_unexpected_take(&x.unexpected, x.pending[taken[i] - 1], 1);
            same = same && !mpg_unexpected_find(&x.unexpected, taken[i]);
            x.pending[taken[i] - 1] = NULL;
        }
    }
    ok(same, "what comes first is what a search finds (%llu)", (unsigned long long)seed);
    clear(&x);
}

/* The message that a receive took in the trace must arrive first: bounds on the other pending messages. */
static void test_bounds(uint64_t seed)
{
    struct world x;
    double *raised;
    bool same = true;
    make(&x, 120, 1 + (uint32_t)seed % 7, seed);
    raised = calloc(x.n, sizeof *raised);
    for (int call = 0; call < 3; call++) {
        mpg_decision_begin(&x.decision, &x.unexpected, RANK, 1);
        for (int i = 0; i < 25; i++) {
            const struct mpg_message_pattern f = any_fit(&x);
            struct mpg_pending *own = x.pending[draw(&x, x.n)];
            if (own->taken[1] || !is_first(&x, &f, own, 1))
                continue;
            const double at_ns = own->base_ns + raised[own->id - 1];
            for (uint32_t k = 0; f.any_source && k < x.n; k++)
                if (x.pending[k] != own && is_first(&x, &f, x.pending[k], 1))
                    raised[k] = fmax(raised[k], at_ns + 1 - x.pending[k]->base_ns);
            mpg_decision_settle(&x.decision, own);
            same = same && own->raised_ns == raised[own->id - 1];
            if (f.any_source)
                must(mpg_decision_add_bound(&x.decision, &f, own->base_ns + own->raised_ns, &error));
            must(mpg_decision_mark(&x.decision, own, &error));
        }
        mpg_decision_settle_all(&x.decision);
        mpg_decision_end(&x.decision);
    }
    for (uint32_t i = 0; i < x.n; i++)
        same = same && x.pending[i]->raised_ns == raised[i];
    ok(same, "what was there and was not taken is raised (%llu)", (unsigned long long)seed);
    free(raised);
    clear(&x);
}

/* Returns the mean number of messages inspected for each of N receives from MPI_ANY_SOURCE, with N messages from
 * SOURCES. */
static double looks(uint32_t n, uint32_t sources)
{
    struct world x;
    struct mpg_pending *m;
    const struct mpg_message_pattern any = {.comm = COMM, .any_source = true, .any_tag = true};
    make(&x, n, sources, 2385);
    x.unexpected.looks = 0;
    mpg_decision_begin(&x.decision, &x.unexpected, RANK, 0);
    for (uint32_t i = 0; i < n; i++) {
        must(mpg_decision_earliest(&x.decision, &any, NULL, -INFINITY, &m, &error));
        must(mpg_decision_mark(&x.decision, m, &error));
    }
    mpg_decision_end(&x.decision);
    for (uint32_t i = n; i > 0; i--) { /* completed in reverse order */
        mpg_unexpected_take(&x.unexpected, x.pending[i - 1], 0);
        mpg_unexpected_take(&x.unexpected, x.pending[i - 1], 1);
    }
    ok(x.unexpected.pending.count == 0, "all of %u are gone", n);
    const double all = (double)x.unexpected.looks;
    clear(&x);
    return all;
}

int main(void)
{
    for (uint64_t seed = 1; seed <= 40; seed++)
        test_takes(seed);
    for (uint64_t seed = 1; seed <= 40; seed++)
        test_bounds(seed);
    /* bound for each receive: once down and up a tournament tree of 2^k sources, plus a few messages */
    for (uint32_t k = 3; k <= 12; k += 3) {
        const double each = looks(4000, 1u << k) / 4000;
        ok(each <= 2 * k + 10, "%u sources: %g looks for each receive", 1u << k, each);
    }
    const double few = looks(1000, 8), many = looks(16000, 8);
    ok(many <= 16 * few, "16 times the receives: %g looks for %g", many, few);
    return done();
}
