/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/evaluate/prepass/message_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/models/flights.h"

enum {
    BINS = 32,                /* maximum number of bins of a cell: the lowest nonempty bins; longer times share one count */
    BINS_PER_OCTAVE_LOG2 = 3, /* bins per octave, log2: a bin is 6 to 12 % wide */
    SIZES_PER_OCTAVE_LOG2 = 2,
    MAX_INDEX = 64 << BINS_PER_OCTAVE_LOG2,
};

struct flight_bin {
    uint64_t count;
    int64_t sum_ns;
    uint32_t index;
};

struct mpg_flight_cell {
    uint64_t pair, size_class;
    double bytes;    /* sum of the bytes of all messages */
    uint64_t count;
    double bound_ns; /* shortest time from the moment when sender and receiver were both ready to the message's completion, ns */
    uint64_t whole;  /* number of complete messages: the call waited for the message all the time */
    uint32_t used, last; /* number of bins in use; index of the last bin used */
    struct flight_bin *bin; /* BINS bins in ascending order, the first `used` in use; NULL: no message is complete */
};

/* Returns the class of N: each octave has 2^LOG2 classes of equal width; each number below 2^LOG2 has a class of one number. */
static inline uint32_t class_of(uint64_t n, unsigned log2)
{
    if (n < (uint64_t)1 << log2)
        return (uint32_t)n;
    const unsigned octave = 63 - (unsigned)__builtin_clzll(n);
    return (uint32_t)((octave - log2 + 1) << log2) + (uint32_t)((n >> (octave - log2)) & ((1u << log2) - 1));
}

static inline uint64_t whole_number(double x)
{
    return x < 0.5 ? 0 : x >= 0x1p62 ? (uint64_t)1 << 62 : (uint64_t)(x + 0.5);
}

static struct mpg_flight_cell *new_cell(struct mpg_message_times *t, uint64_t pair, uint64_t size_class)
{
    if (t->cell_count == t->cell_capacity) {
        const size_t capacity = t->cell_capacity ? 2 * t->cell_capacity : 64;
        void *grown = realloc(t->cells, capacity * sizeof *t->cells);
        if (!grown)
            return NULL;
        t->cells = grown;
        t->cell_capacity = capacity;
    }
    struct mpg_flight_cell *cell = &t->cells[t->cell_count++];
    *cell = (struct mpg_flight_cell){.pair = pair, .size_class = size_class, .bound_ns = INFINITY};
    return cell;
}

/* Returns the cell of PAIR and SIZE_CLASS, which is added if new. Checks the cell of the last look-up first. */
static inline struct mpg_flight_cell *find_cell(struct mpg_message_times *t, uint64_t pair, uint64_t size_class)
{
    if (t->last) {
        struct mpg_flight_cell *last = &t->cells[t->last - 1];
        if (last->pair == pair && last->size_class == size_class)
            return last;
    }
    uint64_t *number = mpg_map_add(&t->index, pair, size_class);
    if (!number)
        return NULL;
    if (*number == 0) {
        if (!new_cell(t, pair, size_class))
            return NULL;
        *number = t->cell_count;
    }
    t->last = *number;
    return &t->cells[*number - 1];
}

/* Returns the bin of INDEX. Creates a bin if the cell has room, or if the new bin displaces a higher bin; NULL: the time
 * belongs to the common count of longer times. The final bins do not depend on the order of messages, because a displaced bin
 * cannot return. */
static struct flight_bin *find_bin(struct mpg_flight_cell *cell, uint32_t index)
{
    if (cell->last < cell->used && cell->bin[cell->last].index == index)
        return &cell->bin[cell->last];
    uint32_t i = cell->used;
    while (i > 0 && cell->bin[i - 1].index > index)
        i--;
    if (i > 0 && cell->bin[i - 1].index == index)
        return &cell->bin[cell->last = i - 1];
    if (i == BINS)
        return NULL;
    cell->used += cell->used < BINS;
    memmove(&cell->bin[i + 1], &cell->bin[i], (cell->used - 1 - i) * sizeof *cell->bin);
    cell->bin[i] = (struct flight_bin){.index = index};
    return &cell->bin[cell->last = i];
}

static int add_whole(struct mpg_flight_cell *cell, double flight_ns, struct mpg_error *err)
{
    const uint64_t ns = whole_number(flight_ns);
    if (!cell->bin && !(cell->bin = malloc(BINS * sizeof *cell->bin)))
        return mpg_error_set(err, "out of memory");
    cell->whole++;
    struct flight_bin *bin = find_bin(cell, class_of(ns, BINS_PER_OCTAVE_LOG2));
    if (bin) {
        bin->count++;
        bin->sum_ns += (int64_t)ns;
    }
    return 0;
}

int mpg_message_times_add(struct mpg_message_times *t, uint64_t pair, double bytes, double flight_ns, double both_ns,
                          bool is_whole, struct mpg_error *err)
{
    struct mpg_flight_cell *cell = find_cell(t, pair, class_of(whole_number(bytes), SIZES_PER_OCTAVE_LOG2));
    if (!cell)
        return mpg_error_set(err, "out of memory");
    cell->bytes += bytes;
    cell->count++;
    cell->bound_ns = both_ns < cell->bound_ns ? both_ns : cell->bound_ns;
    return is_whole ? add_whole(cell, flight_ns, err) : 0;
}

/* --- conversion to bytes, for the cache --- */

enum { CELL_BYTES = 56, BIN_BYTES = 24 };

void mpg_message_times_put(struct mpg_bytes *bytes, const struct mpg_message_times *t)
{
    mpg_bytes_put_u64(bytes, t->cell_count);
    for (size_t i = 0; i < t->cell_count; i++) {
        const struct mpg_flight_cell *cell = &t->cells[i];
        mpg_bytes_put_u64(bytes, cell->pair);
        mpg_bytes_put_u64(bytes, cell->size_class);
        mpg_bytes_put_double(bytes, cell->bytes);
        mpg_bytes_put_u64(bytes, cell->count);
        mpg_bytes_put_double(bytes, cell->bound_ns);
        mpg_bytes_put_u64(bytes, cell->whole);
        mpg_bytes_put_u64(bytes, cell->used);
        for (uint32_t b = 0; b < cell->used; b++) {
            mpg_bytes_put_u64(bytes, cell->bin[b].index);
            mpg_bytes_put_u64(bytes, cell->bin[b].count);
            mpg_bytes_put_u64(bytes, (uint64_t)cell->bin[b].sum_ns);
        }
    }
}

static int get_bins(struct mpg_bytes_left *left, struct mpg_flight_cell *cell)
{
    const size_t n = mpg_bytes_get_number(left, BIN_BYTES);
    if (left->failed || n > BINS || (n > 0 && !(cell->bin = malloc(BINS * sizeof *cell->bin))))
        return -1;
    for (; cell->used < n; cell->used++) {
        struct flight_bin *bin = &cell->bin[cell->used];
        bin->index = (uint32_t)mpg_bytes_get_below(left, MAX_INDEX);
        bin->count = mpg_bytes_get_u64(left);
        bin->sum_ns = (int64_t)mpg_bytes_get_u64(left);
        if (bin->count == 0 || (cell->used > 0 && bin->index <= bin[-1].index))
            return -1;
    }
    return 0;
}

int mpg_message_times_get(struct mpg_bytes_left *left, struct mpg_message_times *t)
{
    for (size_t n = mpg_bytes_get_number(left, CELL_BYTES); n > 0 && !left->failed; n--) {
        const uint64_t pair = mpg_bytes_get_u64(left);
        struct mpg_flight_cell *cell = new_cell(t, pair, mpg_bytes_get_below(left, MAX_INDEX));
        if (!cell)
            return -1;
        cell->bytes = mpg_bytes_get_double(left);
        cell->count = mpg_bytes_get_u64(left);
        cell->bound_ns = mpg_bytes_get_double(left);
        cell->whole = mpg_bytes_get_u64(left);
        if (get_bins(left, cell) < 0 || cell->count == 0 || (cell->whole > 0) != (cell->used > 0))
            return -1;
    }
    return left->failed ? -1 : 0;
}

/* --- after the gathering --- */

/* Returns the median time of messages whose receivers certainly waited. Without these messages: the minimum time from the
 * moment when both ranks were ready. */
static double time_of(const struct mpg_flight_cell *cell)
{
    if (cell->whole == 0)
        return fmax(0, cell->bound_ns);
    uint64_t below = 0;
    uint32_t b = 0;
    for (; b + 1 < cell->used; b++) {
        below += cell->bin[b].count;
        if (2 * below >= cell->whole)
            break;
    }
    return (double)cell->bin[b].sum_ns / (double)cell->bin[b].count;
}

static int compare_cells(const void *a, const void *b)
{
    const struct mpg_flight_cell *x = a, *y = b;
    if (x->pair != y->pair)
        return x->pair < y->pair ? -1 : 1;
    return x->size_class < y->size_class ? -1 : x->size_class > y->size_class;
}

/* Makes the curve of two hosts from the CELLS with complete messages; if no cell has complete messages, from all CELLS. */
static int add_curve(struct mpg_message_times *t, const struct mpg_flight_cell *cells, size_t n, struct mpg_message_point *points,
                     struct mpg_error *err)
{
    bool any_whole = false;
    struct mpg_message_curve curve = {.points = points};
    for (size_t i = 0; i < n; i++)
        any_whole = any_whole || cells[i].whole > 0;
    for (size_t i = 0; i < n; i++)
        if (cells[i].whole > 0 || !any_whole)
            points[curve.n++] =
                (struct mpg_message_point){cells[i].bytes / (double)cells[i].count, time_of(&cells[i]), !any_whole};
    uint64_t *number = mpg_map_add(&t->curve_index, cells[0].pair, 0);
    if (!number)
        return mpg_error_set(err, "out of memory");
    t->curves[t->curve_count++] = curve;
    *number = t->curve_count;
    return 0;
}

int mpg_message_times_finish(struct mpg_message_times *t, struct mpg_error *err)
{
    if (t->cell_count == 0)
        return 0;
    if (!(t->points = malloc(t->cell_count * sizeof *t->points)) ||
        !(t->curves = malloc(t->cell_count * sizeof *t->curves)))
        return mpg_error_set(err, "out of memory");
    qsort(t->cells, t->cell_count, sizeof *t->cells, compare_cells);
    for (size_t first = 0, end; first < t->cell_count; first = end) {
        for (end = first + 1; end < t->cell_count && t->cells[end].pair == t->cells[first].pair; end++)
            ;
        if (add_curve(t, &t->cells[first], end - first, &t->points[first], err) < 0)
            return -1;
    }
    return 0;
}

size_t mpg_message_times_find(const struct mpg_message_times *t, uint64_t pair)
{
    const uint64_t *number = mpg_map_find(&t->curve_index, pair, 0);
    return number ? *number : 0;
}

static double point_ns(const struct mpg_message_point *p, const struct mpg_network_path *source, bool *uses_source)
{
    if (!p->is_bound || !source)
        return p->ns;
    const double measured_ns = mpg_flight_of(source, p->bytes, 0.5);
    *uses_source = *uses_source || measured_ns < p->ns;
    return fmin(p->ns, measured_ns);
}

/* Returns the time, ns, of a message of BYTES beyond END, an end of the curve. NEXT: the point next to END, or END if the
 * curve has a single point. */
static double beyond(const struct mpg_message_point *end, const struct mpg_message_point *next, double bytes,
                     const struct mpg_network_path *source, bool *uses_source)
{
    const double end_ns = point_ns(end, source, uses_source);
    if (source) {
        *uses_source = true;
        return fmax(0, end_ns + mpg_flight_of(source, bytes, 0.5) - mpg_flight_of(source, end->bytes, 0.5));
    }
    double slope = bytes < end->bytes ? end->ns / end->bytes : 0;
    if (next != end)
        slope = fmax(0, fmin((end->ns - next->ns) / (end->bytes - next->bytes), end->ns / end->bytes));
    return fmax(0, end_ns + (bytes - end->bytes) * slope);
}

double mpg_message_time(const struct mpg_message_curve *c, double bytes, const struct mpg_network_path *source,
                        bool *uses_source)
{
    const struct mpg_message_point *first = c->points, *last = first + c->n - 1, *p = first;
    if (bytes < first->bytes)
        return beyond(first, first + (c->n > 1), bytes, source, uses_source);
    if (bytes > last->bytes)
        return beyond(last, last - (c->n > 1), bytes, source, uses_source);
    while (p < last && p[1].bytes < bytes)
        p++;
    const double ns = point_ns(p, source, uses_source);
    if (bytes == p->bytes)
        return ns;
    return ns + (point_ns(p + 1, source, uses_source) - ns) * ((bytes - p->bytes) / (p[1].bytes - p->bytes));
}

void mpg_message_times_clear(struct mpg_message_times *t)
{
    for (size_t i = 0; i < t->cell_count; i++)
        free(t->cells[i].bin);
    free(t->cells);
    free(t->points);
    free(t->curves);
    mpg_map_clear(&t->index);
    mpg_map_clear(&t->curve_index);
    *t = (struct mpg_message_times){0};
}
