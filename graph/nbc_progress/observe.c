/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observes nonblocking collectives in the trace: finds the algorithm and progress model that explain most of the waiting in
 * completing calls, for each kind of collective. */
#include <math.h>
#include <stdlib.h>

#include "graph/nbc_progress/nbc_progress.h"
#include "graph/nbc_progress/private.h"

/* Maximum of (number of examined calls) times (number of members), for each kind of collective. */
enum { MAX_LOOKED_AT = 1 << 16 };
/* A model replaces an earlier model in the list only if the model explains more waiting, by more than this fraction. */
static const double MORE = 0.05;

/* Number of models of an algorithm: 2 (the posting call sends, or not) times 2 (sends complete at once, or only inside a call
 * of the receiver). */
enum { MODELS_OF_ONE = 4 };

struct observed_model {
    struct model model;
    uint64_t waited, left;
    double explained_ns;
    /* earliest time at which the examined call can end: latest_ns with the model's waits for calls of other members, else_ns
     * without */
    double latest_ns, else_ns;
};

struct kind {
    enum mpg_call call;
    int32_t p;
    int64_t bytes;
    uint32_t looked_at; /* number of completing calls examined */
    int models; /* number of models; the first has the algorithm chosen by the table of algorithms */
    struct observed_model model[]; /* with room for MODELS_OF_ONE models of each algorithm */
};

struct observations {
    struct kind *kind[MPG_NONBLOCKING_MAX];
    uint32_t n;
    struct kind *current; /* kind of the collectives completed by the examined call; NULL: none */
    uint32_t parts;       /* number of requests of this kind completed by the examined call; UINT32_MAX: of several kinds */
};

struct observations *mpg_graph_nbc_observations_new(struct mpg_error *err)
{
    struct observations *observations = calloc(1, sizeof *observations);
    if (!observations)
        mpg_graph_out_of_memory(err);
    return observations;
}

void mpg_graph_nbc_observations_free(struct observations *observations)
{
    for (uint32_t i = 0; observations && i < observations->n; i++)
        free(observations->kind[i]);
    free(observations);
}

/* --- kinds --- */

static void add_model(struct kind *kind, struct mpg_choice choice, bool waits, bool sends_weak)
{
    choice.waits = waits;
    kind->model[kind->models++] = (struct observed_model){.model = {choice, true, sends_weak}};
}

static void add_choice(struct kind *kind, struct mpg_choice choice)
{
    add_model(kind, choice, choice.waits, false);
    add_model(kind, choice, choice.waits, true);
    add_model(kind, choice, !choice.waits, false);
    add_model(kind, choice, !choice.waits, true);
}

static struct kind *new_kind(const struct nbc_progress *nbc_progress, const struct nonblocking_part *nonblocking_part)
{
    struct kind *kind = calloc(1, sizeof *kind + MODELS_OF_ONE * mpg_algorithm_number() * sizeof *kind->model);
    if (!kind)
        return NULL;
    kind->call = nonblocking_part->call;
    kind->p = nonblocking_part->p;
    kind->bytes = nonblocking_part->bytes;
    const struct mpg_collective_size size = {
        .operation = nonblocking_part->operation, .p = nonblocking_part->p, .bytes = (double)nonblocking_part->bytes};
    const struct mpg_choice first =
        mpg_collective_table_find_nonblocking(nbc_progress->table, size.operation, size.p, mpg_plan_bytes(&size));
    add_choice(kind, first);
    for (size_t i = 0; i < mpg_algorithm_number(); i++) {
        const struct mpg_algorithm *a = mpg_algorithm_at(i);
        if (a != first.algorithm && !mpg_algorithm_has(a, MPG_OPTION_RADIX) &&
            mpg_algorithm_serves(a, size.operation, true))
            add_choice(kind, (struct mpg_choice){.algorithm = a, .radix = 2});
    }
    return kind;
}

/* Returns the kind (call, number of members, bytes) of NONBLOCKING_PART, made on first use; NULL: too many kinds, or out
 * of memory. */
static struct kind *find_kind(const struct nbc_progress *nbc_progress, const struct nonblocking_part *nonblocking_part)
{
    struct observations *observations = nbc_progress->observations;
    for (uint32_t i = 0; i < observations->n; i++) {
        struct kind *k = observations->kind[i];
        if (k->call == nonblocking_part->call && k->p == nonblocking_part->p && k->bytes == nonblocking_part->bytes)
            return k;
    }
    if (observations->n == MPG_NONBLOCKING_MAX)
        return NULL;
    struct kind *kind = new_kind(nbc_progress, nonblocking_part);
    if (kind)
        observations->kind[observations->n++] = kind;
    return kind;
}

/* --- calls --- */

void mpg_graph_nbc_observe(struct nbc_progress *nbc_progress, const struct completion *completion, const struct call *call)
{
    struct observations *observations = nbc_progress->observations;
    struct kind *kind = find_kind(nbc_progress, &completion->nonblocking_part);
    if (!kind) /* the collective is not observed */
        return;
    if (observations->current && observations->current != kind) {
        observations->parts = UINT32_MAX; /* the call completes several kinds: unknown for which kind the call waited */
        return;
    }
    if (kind->looked_at * (uint64_t)kind->p >= MAX_LOOKED_AT && !observations->current)
        return;
    const bool is_first = observations->parts == 0;
    kind->looked_at += is_first;
    observations->current = kind;
    observations->parts += observations->parts < UINT32_MAX;
    double else_ns = -INFINITY;
    for (int i = 0; i < kind->models; i++) {
        struct observed_model *w = &kind->model[i];
        /* The first model of an algorithm: computes else_ns, equal for all models of the algorithm. */
        if (i % MODELS_OF_ONE == 0) {
            struct model at_once = w->model;
            at_once.calls = at_once.sends_weak = at_once.choice.waits = false;
            else_ns = fmax(call->enter_ns, mpg_graph_nbc_completion_ns(nbc_progress, completion, &at_once));
        }
        const double latest_ns = mpg_graph_nbc_completion_ns(nbc_progress, completion, &w->model);
        w->else_ns = is_first ? else_ns : fmax(w->else_ns, else_ns);
        w->latest_ns = is_first ? latest_ns : fmax(w->latest_ns, latest_ns);
    }
}

void mpg_graph_nbc_observe_call(struct nbc_progress *nbc_progress, const struct call *call, uint32_t n)
{
    struct observations *observations = nbc_progress ? nbc_progress->observations : NULL;
    if (!observations || !observations->current)
        return;
    struct kind *kind = observations->current;
    const bool counts = observations->parts == n; /* a call that also completes further requests may have waited for the
                                                   * further requests */
    observations->current = NULL;
    observations->parts = 0;
    for (int i = 0; i < kind->models && counts; i++) {
        struct observed_model *w = &kind->model[i];
        if (!(w->latest_ns > w->else_ns) || isinf(w->else_ns) > 0)
            continue;
        const bool waited = call->leave_ns >= w->latest_ns;
        w->waited += waited;
        w->left += !waited;
        w->explained_ns += waited ? w->latest_ns - w->else_ns : 0;
    }
}

/* --- results --- */

/* Returns the model that explains most of the waiting in collectives of KIND; NULL: no model has enough evidence. */
static const struct observed_model *best_of(const struct kind *kind)
{
    const struct observed_model *best = NULL;
    for (int i = 0; i < kind->models; i++) {
        const struct observed_model *w = &kind->model[i];
        if (mpg_graph_waits_are_evident(w->waited, w->left) && (!best || w->explained_ns > (1 + MORE) * best->explained_ns))
            best = w;
    }
    return best;
}

void mpg_graph_nbc_progress_found(const struct nbc_progress *nbc_progress, struct mpg_weak_progress *weak_progress)
{
    const struct observations *observations = nbc_progress ? nbc_progress->observations : NULL;
    int64_t min_weak = INT64_MAX, max_at_once = -1;
    bool any_left = false;
    weak_progress->nonblocking_bytes = INT64_MAX;
    for (uint32_t i = 0; observations && i < observations->n; i++) {
        const struct kind *kind = observations->kind[i];
        const struct observed_model *best = best_of(kind), *model = best ? best : &kind->model[0];
        if (!best && model->left == 0 && model->waited == 0)
            continue;
        weak_progress->nonblocking[weak_progress->nonblocking_number++] = (struct mpg_nonblocking){.call = kind->call,
                                                                                       .members = kind->p,
                                                                                       .bytes = kind->bytes,
                                                                                       .is_weak = best != NULL,
                                                                     .sends_weak = best && best->model.sends_weak,
                                                                                       .choice = model->model.choice};
        weak_progress->nonblocking_weak = weak_progress->nonblocking_weak || best;
        any_left = any_left || !best;
        if (best && best->model.sends_weak && kind->bytes < min_weak)
            min_weak = kind->bytes;
        if (best && !best->model.sends_weak && kind->bytes > max_at_once)
            max_at_once = kind->bytes;
    }
    weak_progress->nonblocking_weak = weak_progress->nonblocking_weak && !any_left;
    if (weak_progress->nonblocking_weak && min_weak < INT64_MAX)
        weak_progress->nonblocking_bytes = min_weak > max_at_once ? min_weak - 1 : max_at_once;
}
