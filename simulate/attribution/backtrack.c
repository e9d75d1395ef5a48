/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Back-tracking over the records, from the newest to the oldest. The records are in two windows, the old and the young one, and
 * each window is traversed twice. The first pass, over a young window, ignores the terms. This pass finds the values at the
 * window's begin that are origins of values still readable by later steps. When the window has become old, the second pass sums
 * the terms in branches (branches.h), starting from the few values at the window's end found by the first pass over the next
 * window. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/prefetch.h"
#include "simulate/attribution/provenance_private.h"

/* The minimum number of cuts (mpg_provenance_cut()) and of steps in a window; number of records whose data is prefetched. */
enum { WINDOW_CUTS = 4, WINDOW_STEPS = 65536, AHEAD = 64 };

double mpg_provenance_lane_bytes(uint32_t slots)
{
    enum { WINDOWS = 2, VALUES_A_STEP = 2, IN_A_SLOT = SLOT_PARTS * sizeof(uint32_t) + 1, CUT = 1024 };
    const double steps = (double)WINDOW_CUTS * (slots > CUT ? slots : CUT);
    return WINDOWS * VALUES_A_STEP * sizeof(double) * fmax(steps, WINDOW_STEPS) + IN_A_SLOT * (double)slots;
}

/* Returns the number of marks of values of KIND. */
static uint32_t marks_of_kind(const struct mpg_provenance *t, enum kind kind)
{
    return t->mark_capacity[kind] * parts_of(kind);
}

/* Returns the branch at mark I of KIND, in lane W. */
static uint32_t *branch_at(struct mpg_provenance *t, enum kind kind, uint32_t i, uint32_t w)
{
    return t->branch[kind] + (size_t)i * t->n + w;
}

/* Lists all marked values in LEAVES, one leaf for each value and lane; With GROW also adds a branch for each leaf. */
static void find_leaves(struct mpg_provenance *t, struct leaves *leaves, bool grow)
{
    leaves->n = 0;
    for (enum kind kind = OF_STREAMS; kind < KINDS; kind++)
        for (uint32_t i = 0; i < marks_of_kind(t, kind); i++)
            for (uint32_t k = 0; k < t->words; k++)
                for (uint64_t left = t->mark[kind][(size_t)i * t->words + k]; left; left &= left - 1) {
                    struct mpg_error err;
                    const uint32_t w = 64 * k + (uint32_t)__builtin_ctzll(left);
                    const uint32_t branch = grow ? mpg_branches_add(t->branches, true) : MPG_NO_BRANCH;
                    if ((leaves->n == leaves->capacity &&
                         mpg_reserve_at(&leaves->leaf, sizeof *leaves->leaf, &leaves->capacity, leaves->n + 1, &err) < 0) ||
                        (grow && branch == MPG_NO_BRANCH)) {
                        mpg_provenance_fail(t);
                        return;
                    }
                    if (grow)
                        *branch_at(t, kind, i, w) = branch;
                    leaves->leaf[leaves->n++] = (struct leaf){(uint32_t)kind, i, w, branch};
                }
}

static void clear_marks(struct mpg_provenance *t)
{
    for (enum kind kind = OF_STREAMS; kind < KINDS; kind++)
        if (t->mark[kind])
            memset(t->mark[kind], 0, (size_t)marks_of_kind(t, kind) * t->words * sizeof **t->mark);
}

/* Makes room for a branch at each mark. No further room is needed in the pass, because reserve_marks() has made all marks
 * settable by back-tracking. */
static int reserve_branches(struct mpg_provenance *t, struct mpg_error *err)
{
    for (enum kind kind = OF_STREAMS; kind < KINDS; kind++)
        if (t->mark_capacity[kind] > t->branch_capacity[kind] &&
            mpg_reserve_at(&t->branch[kind], (size_t)parts_of(kind) * t->n * sizeof **t->branch, &t->branch_capacity[kind],
                           t->mark_capacity[kind], err) < 0)
            return -1;
    return 0;
}

/* Makes room for marks of all values in the records of WINDOW. */
static void reserve_marks(struct mpg_provenance *t, const struct mpg_records *window)
{
    uint32_t max[KINDS] = {0};
    bool any[KINDS] = {false};
    for (uint32_t i = 0; i < window->choices; i++) {
        const enum kind kind = kind_of((enum mpg_value_part)window->choice[i].part);
        max[kind] = window->choice[i].from > max[kind] ? window->choice[i].from : max[kind];
        any[kind] = true;
    }
    for (uint32_t i = 0; i < window->records; i++) {
        const enum kind kind = kind_of((enum mpg_value_part)window->record[i].part);
        max[kind] = window->record[i].to > max[kind] ? window->record[i].to : max[kind];
        any[kind] = true;
    }
    for (enum kind kind = OF_STREAMS; kind < KINDS; kind++)
        if (any[kind])
            mpg_provenance_marks_of(t, max[kind], first_part(kind));
}

/* --- first pass: the origins --- */

static uint64_t *marks_at(const struct mpg_provenance *t, uint32_t number, enum mpg_value_part part)
{
    const enum kind kind = kind_of(part);
    return t->mark[kind] + ((size_t)number * parts_of(kind) + part_number(part)) * t->words;
}

/* Returns the lanes, in word K, in which HERE is set and C, the I-th origin of the record, is the origin. */
static uint64_t lanes_of(const struct mpg_records *s, const struct mpg_provenance_choice *c, uint32_t i, uint32_t k,
                         uint64_t here)
{
    return i > 0 ? here & s->bits[c->bits + k] : here;
}

/* --- second pass: the terms --- */

/* Returns whether TERM belongs to a message between two ranks, not to a call. */
static bool is_of_message(int term)
{
    const int k = term + MPG_CRITICAL_COMPUTATION;
    return k == MPG_CRITICAL_LATENCY || k == MPG_CRITICAL_MESSAGES || k == MPG_CRITICAL_BYTES || k == MPG_CRITICAL_SIZE;
}

static bool is_time(uint32_t term)
{
    const int k = (int)term + MPG_CRITICAL_COMPUTATION;
    return k != MPG_CRITICAL_SCALED && k != MPG_CRITICAL_MESSAGES && k != MPG_CRITICAL_SIZE && k != MPG_CRITICAL_COLLECTIVES;
}

/* Adds the terms of record R, with origin C, to BRANCH in lane W. */
static void add_lane(struct mpg_provenance *t, const struct mpg_records *s, const struct mpg_provenance_record *r,
                     const struct mpg_provenance_choice *c, uint32_t branch, uint32_t w)
{
    uint32_t *between = mpg_branches_between(t->branches, branch);
    if (r->place != NOWHERE)
        *between = c->between != NOWHERE ? c->between : r->place;
    const uint32_t its = *between, place = r->place != NOWHERE ? r->place : its;
    const double *value = s->value + c->value;
    for (uint32_t left = c->flags; left; left &= left - 1) {
        const int term = __builtin_ctz(left);
        mpg_branches_sum(t->branches, branch, is_of_message(term) ? its : place, (uint32_t)term, *value++);
    }
    value = s->value + r->value;
    for (uint32_t left = r->flags; left; left &= left - 1, value += t->n) {
        const int term = __builtin_ctz(left);
        if (value[w] != 0)
            mpg_branches_sum(t->branches, branch, is_of_message(term) ? its : place, (uint32_t)term, value[w]);
    }
}

/* In lane W, moves BRANCH to the value of origin C. Unless IS_NEW, another branch has reached this value before: both branches
 * then become children of a joint. */
static void move_branch(struct mpg_provenance *t, const struct mpg_provenance_choice *c, uint32_t branch, uint32_t w, bool is_new)
{
    const enum kind kind = kind_of((enum mpg_value_part)c->part);
    uint32_t *at = branch_at(t, kind, c->from * parts_of(kind) + part_number((enum mpg_value_part)c->part), w);
    if (is_new) {
        *at = branch;
        return;
    }
    if (!mpg_branches_is_joint(t->branches, *at)) {
        const uint32_t joint = mpg_branches_add(t->branches, false);
        if (joint == MPG_NO_BRANCH)
            return;
        mpg_branches_grow(t->branches, *at, joint);
        *at = joint;
    }
    mpg_branches_grow(t->branches, branch, *at);
}

/* Prefetches the values of R for the marked lanes, because records are no longer in the processor's caches. */
static void fetch(const struct mpg_provenance *t, const struct mpg_records *s, const struct mpg_provenance_record *r)
{
    const uint64_t *marks = marks_at(t, r->to, (enum mpg_value_part)r->part);
    mpg_prefetch(s->value + s->choice[r->choice].value);
    for (uint32_t k = 0; k < t->words; k++)
        for (uint64_t left = marks[k]; left; left &= left - 1) {
            const double *value = s->value + r->value + 64 * k + __builtin_ctzll(left);
            for (uint32_t flags = r->flags; flags; flags &= flags - 1, value += t->n)
                mpg_prefetch(value);
        }
}

/* Goes back over record R: moves the mark of the record's value to the origins; with GROWS also adds the terms to the branches.
 * The first origin comes last, because the first origin has all lanes without a further origin. */
static inline void step_back(struct mpg_provenance *t, const struct mpg_records *s, const struct mpg_provenance_record *r,
                             bool grows)
{
    uint64_t *marks = marks_at(t, r->to, (enum mpg_value_part)r->part);
    const enum kind kind = kind_of((enum mpg_value_part)r->part);
    const uint32_t i_to = r->to * parts_of(kind) + part_number((enum mpg_value_part)r->part);
    for (uint32_t k = 0; k < t->words; k++) {
        uint64_t here = marks[k];
        if (here == 0)
            continue;
        marks[k] = 0;
        for (uint32_t i = r->choices; i-- > 0;) {
            const struct mpg_provenance_choice *c = &s->choice[r->choice + i];
            const uint64_t its = lanes_of(s, c, i, k, here);
            uint64_t *from = &marks_at(t, c->from, (enum mpg_value_part)c->part)[k];
            for (uint64_t left = grows ? its : 0; left; left &= left - 1) {
                const uint32_t w = 64 * k + (uint32_t)__builtin_ctzll(left);
                const uint32_t branch = *branch_at(t, kind, i_to, w);
                add_lane(t, s, r, c, branch, w);
                move_branch(t, c, branch, w, !(*from >> w % 64 & 1));
            }
            *from |= its;
            here &= ~its;
        }
    }
}

/* --- certain terms --- */

static void take(void *context, uint32_t place, uint32_t term, double value)
{
    struct mpg_provenance *t = context;
    mpg_tally_put(t->tally, place, MPG_CRITICAL_COMPUTATION + term, t->given, value);
    if (is_time(term))
        t->path_ns[t->given] += value;
}

/* In each lane whose leaves have a common root, the root is on the lane's critical path: moves the root's sums to the tally. */
static void give_roots(struct mpg_provenance *t)
{
    enum { UNKNOWN = UINT32_MAX - 1 };
    for (uint32_t w = 0; w < t->n; w++)
        t->root[w] = UNKNOWN;
    for (uint32_t i = 0; i < t->leaves.n; i++) {
        const uint32_t w = t->leaves.leaf[i].lane, root = mpg_branches_join(t->branches, t->leaves.leaf[i].branch);
        t->root[w] = t->root[w] == UNKNOWN || t->root[w] == root ? root : MPG_NO_BRANCH;
    }
    for (t->given = 0; t->given < t->n; t->given++)
        if (t->root[t->given] < UNKNOWN)
            mpg_branches_give(t->branches, t->root[t->given], take, t);
}

/* Second pass, over the old window: sums the window's terms, from the marks at the window's end. Then the young window becomes
 * old, and an empty window becomes young. */
static int grow(struct mpg_provenance *t, struct mpg_error *err)
{
    if (!t->failed && reserve_branches(t, &t->err) < 0)
        t->failed = true;
    if (!t->failed)
        find_leaves(t, &t->next, true);
    for (uint32_t i = t->old.records; i > 0 && !t->failed; i--) {
        if (i > AHEAD)
            fetch(t, &t->old, &t->old.record[i - 1 - AHEAD]);
        step_back(t, &t->old, &t->old.record[i - 1], true);
    }
    for (uint32_t i = 0; i < t->leaves.n && !t->failed; i++) {
        const struct leaf *x = &t->leaves.leaf[i];
        if (t->mark[x->kind][(size_t)x->mark * t->words + x->lane / 64] >> x->lane % 64 & 1)
            mpg_branches_grow(t->branches, *branch_at(t, (enum kind)x->kind, x->mark, x->lane), x->branch);
    }
    for (uint32_t i = 0; i < t->leaves.n && !t->failed; i++)
        mpg_branches_drop(t->branches, t->leaves.leaf[i].branch);
    clear_marks(t);
    const struct leaves leaves = t->leaves;
    t->leaves = t->next;
    t->next = leaves;
    if (!t->failed)
        give_roots(t);
    const struct mpg_records old = t->old;
    t->old = t->recent;
    t->recent = old;
    t->recent.records = t->recent.choices = t->recent.words = t->recent.values = 0;
    if (mpg_branches_failed(t->branches))
        mpg_provenance_fail(t);
    if (t->failed)
        *err = t->err;
    return t->failed ? -1 : 0;
}

bool mpg_provenance_cut(struct mpg_provenance *t, uint64_t steps)
{
    if (t->path)
        return false;
    t->cuts++;
    t->steps += steps;
    if (t->cuts < WINDOW_CUTS || t->steps < WINDOW_STEPS)
        return t->failed;
    t->cuts = 0;
    t->steps = 0;
    return true;
}

/* First pass over the young window: from the marks at the window's end to the window's begin, where the old window ends. */
static void pass_recent(struct mpg_provenance *t)
{
    reserve_marks(t, &t->recent);
    reserve_marks(t, &t->old);
    for (uint32_t i = t->recent.records; i > 0 && !t->failed; i--)
        step_back(t, &t->recent, &t->recent.record[i - 1], false);
}

int mpg_provenance_resolve(struct mpg_provenance *t, struct mpg_error *err)
{
    pass_recent(t);
    return grow(t, err);
}

/* Moves the remaining sums of lane W, of BRANCH and all ancestors of BRANCH, to the tally. Returns 0, or -1 with ERR: the terms
 * of the lane's critical path do not sum to RUN_NS. */
static int tally_remaining(struct mpg_provenance *t, uint32_t w, uint32_t branch, double run_ns, struct mpg_error *err)
{
    t->given = w;
    for (uint32_t i = branch; i != MPG_NO_BRANCH; i = mpg_branches_parent(t->branches, i))
        mpg_branches_give(t->branches, i, take, t);
    if (fabs(run_ns - t->path_ns[w]) <= 1e-6 * fabs(run_ns) + 1)
        return 0;
    return mpg_error_set(err, "an error of mpgsim: the critical path of vector lane %u takes %.17g ns, the run %.17g ns", w,
                         t->path_ns[w], run_ns);
}

int mpg_provenance_finish(struct mpg_provenance *t, const double *run_ns, struct mpg_error *err)
{
    struct leaves ends = {.leaf = NULL};
    if (t->path) {
        mpg_provenance_spool(t);
        *err = t->failed ? t->err : *err;
        return t->failed ? -1 : 0;
    }
    find_leaves(t, &ends, false);
    int status = mpg_provenance_resolve(t, err);
    for (uint32_t i = 0; i < ends.n && status == 0; i++)
        t->mark[ends.leaf[i].kind][(size_t)ends.leaf[i].mark * t->words + ends.leaf[i].lane / 64] |= UINT64_C(1)
                                                                                                     << ends.leaf[i].lane % 64;
    free(ends.leaf);
    if (status == 0)
        status = grow(t, err);
    for (uint32_t i = 0; i < t->leaves.n && status == 0; i++)
        status = tally_remaining(t, t->leaves.leaf[i].lane, t->leaves.leaf[i].branch, run_ns[t->leaves.leaf[i].lane], err);
    return status;
}

