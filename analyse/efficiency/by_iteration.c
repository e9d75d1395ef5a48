/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/efficiency/by_iteration.h"

#include <math.h>
#include <stdlib.h>

#include "analyse/efficiency/ideal.h"
#include "common/reserve.h"

/* Bins for the run times of iterations: 32 bins for each factor of 2. */
enum { OCTAVES = 48, BINS_AN_OCTAVE = 32, RUN_BINS = OCTAVES * BINS_AN_OCTAVE };

/* The times of a rank in an iteration, or in a phase of the run; ns. */
struct cell {
    double run_ns, compute_ns, ideal_in_mpi_ns, in_mpi_ns, wait_ns;
};

struct mpg_by_iteration {
    struct mpg_iteration_follower *follower;
    int32_t ranks;
    uint64_t iterations;     /* N, the number of iterations */
    /* by rank: 0 before iteration 1, else the number of the rank's iteration, or N + 1 after the last iteration */
    uint64_t *part;
    struct cell *phase;      /* [phase][rank] */
    /* Times of iterations not yet left by all ranks, from iteration OLDEST on, in a ring buffer: */
    uint64_t oldest;
    uint32_t capacity;       /* number of iterations for which the buffer has room: a power of 2, or 0 */
    struct cell *cell;       /* [iteration % capacity][rank] */
    int32_t *left;           /* [iteration % capacity]: number of ranks that have left this iteration */
    struct mpg_iteration_rows rows;
    uint64_t in_row;         /* number of iterations that a full row sums */
    struct mpg_iteration_row *bin; /* for each bin of run time: sums over the iterations with this run time */
};

/* ---- making ---- */

struct mpg_by_iteration *mpg_by_iteration_new(struct mpg_trace *trace, const struct mpg_iterations *loops, struct mpg_error *err)
{
    struct mpg_by_iteration *b = calloc(1, sizeof *b);
    if (b) {
        b->ranks = b->rows.ranks = loops->ranks;
        b->iterations = loops->loop[0].iterations;
        b->oldest = b->in_row = 1;
        b->part = calloc((size_t)b->ranks, sizeof *b->part);
        b->phase = calloc((size_t)b->ranks * MPG_RUN_PHASES, sizeof *b->phase);
        b->bin = calloc(RUN_BINS, sizeof *b->bin);
        if (b->part && b->phase && b->bin && (b->follower = mpg_iteration_follower_new(trace, loops, err)))
            return b;
    }
    mpg_by_iteration_free(b);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_by_iteration_free(struct mpg_by_iteration *b)
{
    if (!b)
        return;
    mpg_iteration_follower_free(b->follower);
    free(b->part);
    free(b->phase);
    free(b->cell);
    free(b->left);
    free(b->bin);
    free(b);
}

/* ---- rows ---- */

void mpg_iteration_row_add(struct mpg_iteration_row *sum, const struct mpg_iteration_row *row)
{
    if (sum->n == 0)
        *sum = *row;
    else {
        sum->n += row->n;
        sum->run_ns += row->run_ns;
        sum->ideal_ns += row->ideal_ns;
        sum->mean_compute_ns += row->mean_compute_ns;
        sum->max_compute_ns += row->max_compute_ns;
        sum->in_mpi_ns += row->in_mpi_ns;
        sum->wait_ns += row->wait_ns;
        sum->max = sum->min = -1;
    }
}

static struct mpg_iteration_row row_of(const struct cell *cell, int32_t ranks)
{
    struct mpg_iteration_row row = {.n = 0};
    for (int32_t i = 0; i < ranks; i++) {
        row.run_ns = fmax(row.run_ns, cell[i].run_ns);
        row.ideal_ns = fmax(row.ideal_ns, cell[i].compute_ns + cell[i].ideal_in_mpi_ns);
        row.max_compute_ns = fmax(row.max_compute_ns, cell[i].compute_ns);
        row.mean_compute_ns += cell[i].compute_ns / ranks;
        row.in_mpi_ns += cell[i].in_mpi_ns / ranks;
        row.wait_ns += cell[i].wait_ns / ranks;
        row.max = cell[i].compute_ns > cell[row.max].compute_ns ? i : row.max;
        row.min = cell[i].compute_ns < cell[row.min].compute_ns ? i : row.min;
    }
    return row;
}

/* Joins pairs of successive rows: halves the number of rows. */
static void halve(struct mpg_by_iteration *b)
{
    struct mpg_iteration_rows *r = &b->rows;
    for (size_t i = 0; i < r->n / 2; i++) {
        struct mpg_iteration_row joined = r->row[2 * i];
        mpg_iteration_row_add(&joined, &r->row[2 * i + 1]);
        r->row[i] = joined;
    }
    r->n /= 2;
    b->in_row *= 2;
}

static size_t bin_of(double run_ns)
{
    const double bin = run_ns > 1 ? log2(run_ns) * BINS_AN_OCTAVE : 0;
    return bin < RUN_BINS ? (size_t)bin : RUN_BINS - 1;
}

static void add_row(struct mpg_by_iteration *b, const struct mpg_iteration_row *row)
{
    struct mpg_iteration_rows *r = &b->rows;
    if (r->n == 0 || r->row[r->n - 1].n == b->in_row) {
        if (r->n == MPG_ITERATION_ROWS)
            halve(b);
        r->row[r->n++] = *row;
    } else {
        mpg_iteration_row_add(&r->row[r->n - 1], row);
    }
    if (row->first == 1)
        r->first = *row;
    r->last = *row;
    if (row->run_ns > r->slowest.run_ns || r->slowest.n == 0)
        r->slowest = *row;
    mpg_iteration_row_add(&b->bin[bin_of(row->run_ns)], row);
}

/* ---- iterations that ranks are in ---- */

static struct cell *cell_at(struct mpg_by_iteration *b, uint64_t iteration, int32_t rank)
{
    return &b->cell[(iteration & (b->capacity - 1)) * (size_t)b->ranks + (size_t)rank];
}

static int grow(struct mpg_by_iteration *b, struct mpg_error *err)
{
    const uint32_t capacity = b->capacity ? 2 * b->capacity : 4;
    struct mpg_by_iteration bigger = {.capacity = capacity, .ranks = b->ranks};
    bigger.cell = calloc(capacity, (size_t)b->ranks * sizeof *bigger.cell);
    bigger.left = calloc(capacity, sizeof *bigger.left);
    if (!bigger.cell || !bigger.left) {
        free(bigger.cell);
        free(bigger.left);
        return mpg_error_set(err, "out of memory");
    }
    for (uint64_t i = b->oldest; i < b->oldest + b->capacity; i++) {
        memcpy(cell_at(&bigger, i, 0), cell_at(b, i, 0), (size_t)b->ranks * sizeof *b->cell);
        bigger.left[i & (capacity - 1)] = b->left[i & (b->capacity - 1)];
    }
    free(b->cell);
    free(b->left);
    b->cell = bigger.cell;
    b->left = bigger.left;
    b->capacity = capacity;
    return 0;
}

/* All ranks have left the oldest iteration: adds its times to the rows. */
static void finish(struct mpg_by_iteration *b)
{
    struct mpg_iteration_row row = row_of(cell_at(b, b->oldest, 0), b->ranks);
    row.first = b->oldest;
    row.n = 1;
    add_row(b, &row);
    memset(cell_at(b, b->oldest, 0), 0, (size_t)b->ranks * sizeof *b->cell);
    b->left[b->oldest & (b->capacity - 1)] = 0;
    b->oldest++;
}

/* RANK enters PART: the next iteration, or the end of the run. Ends the iterations that all ranks have left. */
static int move(struct mpg_by_iteration *b, int32_t rank, uint64_t part, struct mpg_error *err)
{
    for (; b->part[rank] < part; b->part[rank]++) {
        const uint64_t left = b->part[rank], entered = left + 1;
        while (entered <= b->iterations && entered >= b->oldest + b->capacity)
            if (grow(b, err) < 0)
                return -1;
        if (left > 0)
            b->left[left & (b->capacity - 1)]++;
        while (left > 0 && b->oldest <= b->iterations && b->left[b->oldest & (b->capacity - 1)] == b->ranks)
            finish(b);
    }
    return 0;
}

/* ---- steps ---- */

static void add_to(struct cell *c, const struct cell *more, double part)
{
    c->run_ns += part * more->run_ns;
    c->compute_ns += part * more->compute_ns;
    c->ideal_in_mpi_ns += part * more->ideal_in_mpi_ns;
    c->in_mpi_ns += part * more->in_mpi_ns;
    c->wait_ns += part * more->wait_ns;
}

/* Adds the fraction PART of MORE, times spent by RANK, to RANK's current phase of the run and current iteration. */
static void add(struct mpg_by_iteration *b, int32_t rank, const struct cell *more, double part)
{
    const uint64_t at = b->part[rank];
    const bool iterates = at > 0 && at <= b->iterations;
    const enum mpg_run_phase phase = at == 0 ? MPG_RUN_INITIALISATION : iterates ? MPG_RUN_ITERATIONS : MPG_RUN_END;
    add_to(&b->phase[(size_t)phase * (size_t)b->ranks + (size_t)rank], more, part);
    if (iterates)
        add_to(cell_at(b, at, rank), more, part);
}

static int enter(struct mpg_by_iteration *b, const struct mpg_step *s, double work_ns, struct mpg_error *err)
{
    const struct cell interval = {.run_ns = (double)(s->interval_ns + s->tracer_ns), .compute_ns = work_ns};
    uint64_t part;
    double fresh;
    if (mpg_iteration_follow(b->follower, s->rank, s->number, &part, &fresh, err) < 0)
        return -1;
    if (fresh < 1)
        add(b, s->rank, &interval, 1 - fresh);
    if (move(b, s->rank, part, err) < 0)
        return -1;
    add(b, s->rank, &interval, fresh);
    return 0;
}

int mpg_by_iteration_take(struct mpg_by_iteration *b, const struct mpg_step *s, double passed_ns, struct mpg_error *err)
{
    if (s->kind == MPG_STEP_ENTER)
        return enter(b, s, passed_ns, err);
    if (s->kind == MPG_STEP_LEAVE)
        add(b, s->rank,
            &(struct cell){.run_ns = (double)s->duration_ns, .in_mpi_ns = (double)s->duration_ns,
                           .ideal_in_mpi_ns = passed_ns}, 1);
    return s->kind == MPG_STEP_FINISH ? move(b, s->rank, b->iterations + 1, err) : 0;
}

void mpg_by_iteration_wait(struct mpg_by_iteration *b, int32_t rank, double wait_ns)
{
    add(b, rank, &(struct cell){.wait_ns = wait_ns}, 1);
}

/* ---- results ---- */

static int by_run(const void *a, const void *b)
{
    const struct mpg_iteration_row *x = *(struct mpg_iteration_row *const *)a, *y = *(struct mpg_iteration_row *const *)b;
    if (x->run_ns != y->run_ns)
        return x->run_ns > y->run_ns ? 1 : -1;
    return x->first > y->first ? 1 : -1;
}

/* Finds the iteration with the median run time; for an even number the shorter of both in the middle. Only if each row is a
 * single iteration. */
static int find_exact_median(struct mpg_iteration_rows *r, struct mpg_error *err)
{
    const struct mpg_iteration_row **sorted = calloc(r->n, sizeof *sorted);
    if (!sorted)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < r->n; i++)
        sorted[i] = &r->row[i];
    qsort(sorted, r->n, sizeof *sorted, by_run);
    r->median = *sorted[(r->n - 1) / 2];
    free(sorted);
    return 0;
}

static void find_median_bin(struct mpg_by_iteration *b)
{
    uint64_t all = 0, below = 0;
    for (size_t i = 0; i < RUN_BINS; i++)
        all += b->bin[i].n;
    for (size_t i = 0; i < RUN_BINS && below <= (all - 1) / 2; i++) {
        below += b->bin[i].n;
        b->rows.median = b->bin[i];
    }
}

int mpg_by_iteration_end(struct mpg_by_iteration *b, struct mpg_iteration_rows *rows, struct mpg_error *err)
{
    int status = 0;
    for (int32_t rank = 0; rank < b->ranks && status == 0; rank++)
        status = move(b, rank, b->iterations + 1, err);
    for (int phase = 0; phase < MPG_RUN_PHASES; phase++)
        b->rows.phase[phase] = row_of(b->phase + (size_t)phase * (size_t)b->ranks, b->ranks);
    b->rows.phase[MPG_RUN_ITERATIONS].first = b->oldest > 1;
    b->rows.phase[MPG_RUN_ITERATIONS].n = b->oldest - 1;
    if (b->rows.n > 0 && b->in_row == 1)
        status = find_exact_median(&b->rows, err);
    else if (b->rows.n > 0)
        find_median_bin(b);
    *rows = b->rows;
    return status;
}
