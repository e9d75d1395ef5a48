/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Truncation of a noise record. The longest detours, rare but costly, are all kept, which preserves their
 * frequency. Of the many shorter detours, blocks spread over the record are kept, chosen to match the whole
 * record's number of detours and lost time per unit of time. */
#include "config.h"

#include "signature/make/truncate.h"

#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "signature/file/detours.h"
#include "signature/file/pack.h"

enum {
    MIN_LONGEST = 16,    /* minimum number of detours in the separate list of long detours */
    MIN_BLOCKS = 4, MAX_BLOCKS = 64,
    BLOCK_DETOURS = 1024,  /* preferred number of detours in a block */
    CANDIDATES = 64,       /* number of positions compared for each block */
    ROUNDS = 3,            /* number of passes over all blocks */
    ATTEMPTS = 12,         /* number of attempts to meet the size limit */
};

/* The whole record. The cumulative sums at index i are over the detours before detour i. */
struct record {
    size_t n;
    double *start_ns, *duration_ns;       /* whole nanoseconds */
    uint8_t *mark;                        /* off-CPU flags and causes; NULL: unknown */
    double limit_ns;                      /* detours of at least this duration count as the longest; INFINITY: none */
    double *long_ns, *short_ns, *shorts;  /* n + 1 elements each: cumulative time of the longest detours, time of the shorter
                                           * detours, number of shorter detours */
};

/* The shorter detours in a part of the record: length of the part without the longest detours, time lost, number. */
struct part {
    double time_ns, lost_ns, detours;
};

/* ---- integer nanoseconds ---- */

/* Rounds start and end of each detour to whole ns: rounding durations instead would accumulate an error. */
static void round_times(struct mpg_noise_core *core)
{
    double end_ns = 0;
    for (size_t i = 0; i < core->detours; i++) {
        double start = fmax(rint(core->start_ns[i]), end_ns);
        double end = fmin(rint(core->start_ns[i] + core->duration_ns[i]), floor(core->span_ns));
        start = fmin(start, floor(core->span_ns));
        core->start_ns[i] = start;
        core->duration_ns[i] = fmax(end - start, 0);
        end_ns = start + core->duration_ns[i];
    }
    /* A detour starts before the end of the record: detours rounded to the end are dropped. */
    while (core->detours > 0 && core->start_ns[core->detours - 1] >= core->span_ns)
        core->detours--;
}

/* ---- the longest detours ---- */

/* Replaces CORE's detours by RECORD's detours of at least LIMIT_NS. */
static int take_longest(const struct record *record, double limit_ns, struct mpg_noise_core *core,
                        struct mpg_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < record->n; i++)
        n += record->duration_ns[i] >= limit_ns;
    free(core->start_ns);
    free(core->duration_ns);
    free(core->mark);
    core->detours = 0;
    core->start_ns = malloc((n + 1) * sizeof *core->start_ns);
    core->duration_ns = malloc((n + 1) * sizeof *core->duration_ns);
    core->mark = record->mark ? malloc(n + 1) : NULL;
    if (!core->start_ns || !core->duration_ns || !core->mark != !record->mark)
        return mpg_error_set(err, "out of memory for %zu detours", n);
    for (size_t i = 0; i < record->n; i++)
        if (record->duration_ns[i] >= limit_ns) {
            core->start_ns[core->detours] = record->start_ns[i];
            if (core->mark)
                core->mark[core->detours] = record->mark[i];
            core->duration_ns[core->detours++] = record->duration_ns[i];
        }
    return 0;
}

/* Returns the smallest limit that at most MAX of the N DESCENDING durations reach; INFINITY: fewer than MIN_LONGEST durations
 * reach the limit. */
static double limit_for(const double *descending, size_t n, size_t max)
{
    size_t k = max < n ? max : n - 1;
    while (k > 0 && descending[k] == descending[k - 1])
        k--;
    return k >= MIN_LONGEST ? descending[k - 1] : INFINITY;
}

/* Returns the number of characters that CORE's detours, or its BLOCKS, take in a signature; 0 with ERR: out of memory. */
static size_t packed_size(const struct mpg_noise_core *core, bool blocks, struct mpg_error *err)
{
    const uint8_t *mark = blocks ? core->blocks.mark : core->mark;
    const size_t detours = blocks ? core->blocks.detours : core->detours;
    const bool caused = mark && core->causes > 0;
    size_t n = 0, marked;
    char *text = blocks ? mpg_detours_pack_blocks(core, 1, MPG_PACK_WELL, err)
                        : mpg_detours_pack(core, 1, MPG_PACK_WELL, err);
    char *marks = text && mark ? mpg_detours_pack_off(mark, detours, MPG_PACK_WELL, &marked, err) : NULL;
    char *causes = marks && caused ? mpg_detours_pack_causes(mark, detours, MPG_PACK_WELL, &marked, err) : NULL;
    if (text && (!mark || marks) && (!caused || causes))
        n = strlen(text) + (marks ? strlen(marks) : 0) + (causes ? strlen(causes) : 0);
    free(causes);
    free(marks);
    free(text);
    return n;
}

/* Keeps in CORE as many of RECORD's longest detours as fit into CHARACTERS, at most MAX. *USED: number of characters of the kept
 * detours. */
static int select_longest(struct record *record, size_t characters, size_t max,
                        struct mpg_noise_core *core, size_t *used, struct mpg_error *err)
{
    double *descending = malloc((record->n + 1) * sizeof *descending);
    size_t k = characters / 8; /* a detour takes about 8 characters */
    int status = descending ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; status == 0 && i < record->n; i++)
        descending[i] = -record->duration_ns[i];
    if (status == 0)
        gsl_sort(descending, 1, record->n);
    for (size_t i = 0; status == 0 && i < record->n; i++)
        descending[i] = -descending[i];
    *used = 0;
    for (int attempt = 0; status == 0 && attempt < ATTEMPTS; attempt++) {
        k = k < max ? k : max;
        record->limit_ns = attempt + 1 < ATTEMPTS ? limit_for(descending, record->n, k) : INFINITY;
        status = take_longest(record, record->limit_ns, core, err);
        if (status == 0 && (*used = packed_size(core, false, err)) == 0)
            status = -1;
        if (*used <= characters || isinf(record->limit_ns))
            break;
        k = (size_t)(0.95 * (double)k * (double)characters / (double)*used);
    }
    free(descending);
    core->blocks.min_ns = isinf(record->limit_ns) ? 0 : record->limit_ns;
    return status;
}

/* ---- blocks ---- */

static int sum_up(struct record *r, struct mpg_error *err)
{
    r->long_ns = calloc(r->n + 1, sizeof *r->long_ns);
    r->short_ns = calloc(r->n + 1, sizeof *r->short_ns);
    r->shorts = calloc(r->n + 1, sizeof *r->shorts);
    if (!r->long_ns || !r->short_ns || !r->shorts)
        return mpg_error_set(err, "out of memory for %zu detours", r->n);
    for (size_t i = 0; i < r->n; i++) {
        bool longest = r->duration_ns[i] >= r->limit_ns;
        r->long_ns[i + 1] = r->long_ns[i] + (longest ? r->duration_ns[i] : 0);
        r->short_ns[i + 1] = r->short_ns[i] + (longest ? 0 : r->duration_ns[i]);
        r->shorts[i + 1] = r->shorts[i] + !longest;
    }
    return 0;
}

/* Returns the end of the detour before detour I, where a block that begins with I starts; 0 for the first. */
static double begin_of(const struct record *r, size_t i)
{
    return i > 0 ? r->start_ns[i - 1] + r->duration_ns[i - 1] : 0;
}

/* Adds WEIGHT times the block of LENGTH detours that begins with detour FIRST of R to PART. WEIGHT may be negative. */
static void add_block(struct part *part, const struct record *r, size_t first, size_t length,
                      double weight)
{
    size_t end = first + length;
    part->time_ns += weight * (begin_of(r, end) - begin_of(r, first) -
                               (r->long_ns[end] - r->long_ns[first]));
    part->lost_ns += weight * (r->short_ns[end] - r->short_ns[first]);
    part->detours += weight * (r->shorts[end] - r->shorts[first]);
}

/* Returns how badly PART represents WHOLE: squared relative differences in lost time and in number of detours, per unit
 * of time. */
static double unlike(const struct part *part, const struct part *whole)
{
    if (!(part->time_ns > 0))
        return INFINITY;
    double ratio = whole->time_ns / part->time_ns, lost = 0, detours = 0;
    if (whole->lost_ns > 0)
        lost = part->lost_ns * ratio / whole->lost_ns - 1;
    if (whole->detours > 0)
        detours = part->detours * ratio / whole->detours - 1;
    return lost * lost + detours * detours;
}

/* Sets FIRST to the first detours of B blocks of LENGTH detours, each block within a separate section of the record: all blocks
 * together shall represent WHOLE. */
static void place_blocks(const struct record *r, const struct part *whole, size_t b,
                         size_t length, size_t *first)
{
    struct part sum = {0, 0, 0};
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < b; i++) {
            size_t low = i * r->n / b, room = (i + 1) * r->n / b - low - length, best = low;
            double min = INFINITY;
            if (round > 0)
                add_block(&sum, r, first[i], length, -1);
            for (size_t k = 0; k < CANDIDATES; k++) {
                struct part with = sum;
                size_t at = low + k * room / (CANDIDATES - 1);
                add_block(&with, r, at, length, 1);
                double distance = unlike(&with, whole);
                if (distance < min) {
                    min = distance;
                    best = at;
                }
            }
            first[i] = best;
            add_block(&sum, r, best, length, 1);
        }
}

/* Copies B blocks of LENGTH detours, which begin with the detours FIRST, to BLOCKS. */
static int copy_blocks(const struct record *r, const size_t *first, size_t b, size_t length,
                       struct mpg_noise_blocks *blocks, struct mpg_error *err)
{
    free(blocks->block);
    free(blocks->start_ns);
    free(blocks->duration_ns);
    free(blocks->mark);
    blocks->n = blocks->detours = 0;
    blocks->block = calloc(b + 1, sizeof *blocks->block);
    blocks->start_ns = malloc((b * length + 1) * sizeof *blocks->start_ns);
    blocks->duration_ns = malloc((b * length + 1) * sizeof *blocks->duration_ns);
    blocks->mark = r->mark ? malloc(b * length + 1) : NULL;
    if (!blocks->block || !blocks->start_ns || !blocks->duration_ns || !blocks->mark != !r->mark)
        return mpg_error_set(err, "out of memory for %zu detours", b * length);
    for (; blocks->n < b; blocks->n++) {
        size_t at = first[blocks->n];
        blocks->block[blocks->n] = (struct mpg_noise_block){
            begin_of(r, at), begin_of(r, at + length), blocks->detours, length};
        memcpy(blocks->start_ns + blocks->detours, r->start_ns + at,
               length * sizeof *r->start_ns);
        memcpy(blocks->duration_ns + blocks->detours, r->duration_ns + at,
               length * sizeof *r->duration_ns);
        if (r->mark)
            memcpy(blocks->mark + blocks->detours, r->mark + at, length);
        blocks->detours += length;
    }
    return 0;
}

/* Keeps in CORE as many detours in blocks as fit into CHARACTERS, at most MAX. */
static int select_blocks(const struct record *r, size_t characters, size_t max,
                       struct mpg_noise_core *core, struct mpg_error *err)
{
    size_t first[MAX_BLOCKS], kept = characters / 3;
    struct part whole = {core->span_ns, 0, 0};
    whole.time_ns -= r->long_ns[r->n];
    whole.lost_ns = r->short_ns[r->n];
    whole.detours = r->shorts[r->n];
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        kept = kept < max ? kept : max;
        size_t b = kept / BLOCK_DETOURS;
        b = b < MIN_BLOCKS ? MIN_BLOCKS : b > MAX_BLOCKS ? (size_t)MAX_BLOCKS : b;
        b = b < r->n ? b : 1;
        size_t length = kept / b < r->n / b ? kept / b : r->n / b;
        length = length > 0 ? length : 1;
        place_blocks(r, &whole, b, length, first);
        if (copy_blocks(r, first, b, length, &core->blocks, err) < 0)
            return -1;
        size_t used = packed_size(core, true, err);
        if (used == 0)
            return -1;
        if (used <= characters || length == 1)
            break;
        kept = (size_t)(0.97 * (double)(b * length) * (double)characters / (double)used);
    }
    return 0;
}

int mpg_noise_record_truncate(struct mpg_noise_core *core, size_t characters, size_t max,
                    struct mpg_error *err)
{
    size_t used = 0;
    struct record r = {.limit_ns = INFINITY};
    core->blocks.recorded = core->detours;
    round_times(core);
    r.n = core->detours;
    r.start_ns = core->start_ns;
    r.duration_ns = core->duration_ns;
    r.mark = core->mark;
    core->start_ns = core->duration_ns = NULL;
    core->mark = NULL;
    core->detours = 0;
    int status = select_longest(&r, characters / 2, max / 2, core, &used, err);
    if (status == 0)
        status = sum_up(&r, err);
    if (status == 0)
        status = select_blocks(&r, characters - used, max - core->detours, core, err);
    free(r.shorts);
    free(r.short_ns);
    free(r.long_ns);
    free(r.start_ns);
    free(r.duration_ns);
    free(r.mark);
    return status;
}
