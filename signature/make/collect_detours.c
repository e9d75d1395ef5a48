/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of detours: rounded to fractions of a nanosecond, packed until all files are read, then truncated if too long for a
 * signature. */
#include "signature/make/collect_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "signature/causes.h"
#include "signature/file/detours.h"
#include "signature/file/pack.h"
#include "signature/make/truncate.h"

/* Results files are text, in which start and duration of a detour were rounded separately: a detour may seem to end after the
 * start of the next detour. Overlaps up to this length are corrected. */
#define ROUNDING_NS 1.0

/* Times in a signature are multiples of a nanosecond divided by at most this. */
enum { MAX_PARTS = 1000 };

/* Maximum number of detours kept for each byte of a record's packed size; a signature's reader accepts more. */
enum { DETOURS_A_BYTE = 4 };

/* Returns whether all of N TIMES_NS are multiples of 1 / PARTS ns. */
static bool are_parts(const double *times_ns, size_t n, int parts)
{
    for (size_t i = 0; i < n; i++)
        if (rint(times_ns[i] * parts) / parts != times_ns[i])
            return false;
    return true;
}

/* Returns the smallest number PARTS (1, 10, ... MAX_PARTS) for which R's times are multiples of 1 / PARTS ns; MAX_PARTS: no
 * number fits. */
static int parts_of(const struct mpg_results *r)
{
    int parts = 1;
    while (parts < MAX_PARTS &&
           !(are_parts(r->column[MPG_COLUMN_START_NS], r->samples, parts) &&
             are_parts(r->column[MPG_COLUMN_DURATION_NS], r->samples, parts)))
        parts *= 10;
    return parts;
}

/* Copies R's detours to CORE, rounded to 1 / PARTS ns. Corrects overlaps, and ends beyond the span, of up to
 * ROUNDING_NS. */
static int copy_detours(const struct mpg_results *r, int parts, struct mpg_noise_core *core,
                        struct mpg_error *err)
{
    double end = 0, end_ns = 0, last = floor(core->span_ns * parts);
    core->start_ns = malloc((r->samples + 1) * sizeof *core->start_ns);
    core->duration_ns = malloc((r->samples + 1) * sizeof *core->duration_ns);
    if (!core->start_ns || !core->duration_ns)
        return mpg_collect_no_memory(err);
    for (size_t i = 0; i < r->samples; i++) {
        double start = rint(r->column[MPG_COLUMN_START_NS][i] * parts);
        double length = rint(r->column[MPG_COLUMN_DURATION_NS][i] * parts);
        if (start < end && start >= end - ROUNDING_NS * parts) {
            length = fmax(0, length - (end - start));
            start = end;
        }
        if (start + length > last && start + length <= last + ROUNDING_NS * parts)
            length = fmax(0, last - start);
        core->start_ns[i] = start == end ? end_ns : start / parts;
        if (core->start_ns[i] + length / parts > core->span_ns && start + length <= last)
            length = fmax(0, length - 1); /* in floating point the sum may exceed the span */
        core->duration_ns[i] = length / parts;
        end = start + length;
        end_ns = core->start_ns[i] + core->duration_ns[i];
    }
    core->detours = r->samples;
    return 0;
}

/* If R records off-CPU time: marks CORE's detours that were off the CPU for at least half of their duration, and sets
 * the core's off-CPU fraction. */
static int mark_off(const struct mpg_results *r, struct mpg_noise_core *core,
                    struct mpg_error *err)
{
    const double *off_ns = r->column[MPG_COLUMN_OFF_CPU_NS];
    double sum_ns = 0;
    if (!off_ns)
        return 0;
    if (!(core->mark = malloc(core->detours + 1)))
        return mpg_collect_no_memory(err);
    for (size_t i = 0; i < core->detours; i++) {
        double duration_ns = r->column[MPG_COLUMN_DURATION_NS][i];
        core->mark[i] = off_ns[i] > 0 && off_ns[i] >= duration_ns / 2;
        sum_ns += fmin(off_ns[i], duration_ns);
    }
    core->off_known = true;
    core->fraction_off = fmin(sum_ns / core->span_ns, core->fraction_lost);
    return 0;
}

/* If R records causes: adds the cause of each detour to CORE's marks, and the names of the causes that occur. */
static int mark_causes(const struct mpg_results *r, struct mpg_noise_core *core, struct mpg_error *err)
{
    const double *cause = r->column[MPG_COLUMN_CAUSE];
    const char *names = mpg_collect_fact(r, "causes");
    uint8_t number[MPG_SIGNATURE_MAX_CAUSES] = {0}; /* for each cause of the file the cause's number in the signature */
    size_t n = 0;
    if (!cause || !names || !core->mark)
        return 0;
    bool occurs[MPG_SIGNATURE_MAX_CAUSES] = {true}; /* cause 0, unseen, stays number 0 */
    for (size_t i = 0; i < core->detours; i++) {
        if (!(cause[i] < MPG_SIGNATURE_MAX_CAUSES))
            return mpg_error_set(err, "cause %g of detour %zu, of at most %d", cause[i], i,
                                 (int)MPG_SIGNATURE_MAX_CAUSES);
        occurs[(size_t)cause[i]] = true;
    }
    if (!(core->cause = calloc(MPG_SIGNATURE_MAX_CAUSES, sizeof *core->cause)))
        return mpg_collect_no_memory(err);
    for (const char *name = names; *name && n < MPG_SIGNATURE_MAX_CAUSES; n++) {
        const size_t length = strcspn(name, ",");
        if (occurs[n]) {
            number[n] = (uint8_t)core->causes;
            if (!(core->cause[core->causes] = strndup(name, length)))
                return mpg_collect_no_memory(err);
            core->causes++;
        }
        name += length + strspn(name + length, ", ");
    }
    for (size_t i = 0; i < core->detours; i++) {
        if ((size_t)cause[i] >= n)
            return mpg_error_set(err, "cause %g of detour %zu has no name", cause[i], i);
        core->mark[i] = (uint8_t)(core->mark[i] + 2 * number[(size_t)cause[i]]);
    }
    return 0;
}

/* Fits parametric families to the durations of CORE's detours and to the gaps between them. */
static int fit_detours(struct mpg_noise_core *core, struct mpg_error *err)
{
    size_t gaps = core->detours > 0 ? core->detours - 1 : 0;
    if (gaps == 0)
        return 0;
    double *gap = malloc(gaps * sizeof *gap);
    if (!gap)
        return mpg_collect_no_memory(err);
    for (size_t i = 0; i < gaps; i++)
        gap[i] = fmax(0, core->start_ns[i + 1] - (core->start_ns[i] + core->duration_ns[i]));
    int status = mpg_collect_fit(gap, gaps, core->gap_ns, err);
    free(gap);
    return status < 0 ? -1
                      : mpg_collect_fit(core->duration_ns, core->detours, core->length_ns, err);
}

/* Packs CORE's detours into a new record of C and removes the detours from CORE: unpacked records of a whole node would fill the
 * memory. */
static int pack_record(struct mpg_collect *c, struct mpg_noise_core *core, int parts,
                     double epoch_ns, struct mpg_error *err)
{
    struct mpg_collect_record *grown = realloc(c->record, (c->records + 1) * sizeof *grown);
    if (!grown)
        return mpg_collect_no_memory(err);
    c->record = grown;
    struct mpg_collect_record made = {.host = strdup(core->host), .core = core->core,
                                      .n = core->detours, .parts = parts, .epoch_ns = epoch_ns};
    if (!made.host)
        return mpg_collect_no_memory(err);
    made.packed = mpg_detours_pack(core, parts, MPG_PACK_FAST, err);
    if (made.packed && core->mark)
        made.off = mpg_detours_pack_off(core->mark, core->detours, MPG_PACK_FAST, &made.marked,
                                        err);
    if (made.off && core->causes > 0)
        made.causes = mpg_detours_pack_causes(core->mark, core->detours, MPG_PACK_FAST, &made.caused, err);
    if (!made.packed || !made.off != !core->mark || !made.causes != !core->causes) {
        free(made.causes);
        free(made.off);
        free(made.packed);
        free(made.host);
        return -1;
    }
    c->record[c->records++] = made;
    free(core->start_ns);
    free(core->duration_ns);
    free(core->mark);
    core->start_ns = core->duration_ns = NULL;
    core->mark = NULL;
    core->detours = 0;
    return 0;
}

/* Sets *EPOCH_NS to the start of R's record by its host's clock; -1: unknown. */
static int find_epoch(const struct mpg_results *r, double *epoch_ns, struct mpg_error *err)
{
    *epoch_ns = -1;
    return mpg_collect_fact(r, "start_monotonic_ns")
               ? mpg_results_number(r, "start_monotonic_ns", 0, MPG_DISTRIBUTION_LIMIT, epoch_ns, err)
               : 0;
}

/* Adds R, a record of CORE measured alone, if CORE also has a record measured together with other cores: only R's lost fraction
 * of time is kept. */
static int add_alone(const struct mpg_results *r, struct mpg_noise_core *core,
                     struct mpg_error *err)
{
    double span_ns, lost_ns = 0;
    if (mpg_results_number(r, "span_ns", 1, MPG_DISTRIBUTION_LIMIT, &span_ns, err) < 0)
        return -1;
    for (size_t i = 0; i < r->samples; i++)
        lost_ns += r->column[MPG_COLUMN_DURATION_NS][i];
    core->alone_lost = fmin(lost_ns / span_ns, 1);
    return 0;
}

/* Removes CORE's record measured alone except for the lost fraction of time: a record measured together with other cores replaces
 * the record. */
static void drop_alone(struct mpg_collect *c, struct mpg_noise_core *core)
{
    size_t i = 0;
    core->alone_lost = core->fraction_lost;
    mpg_distribution_free(core->gap_ns);
    mpg_distribution_free(core->length_ns);
    core->gap_ns = core->length_ns = NULL;
    core->off_known = false;
    core->fraction_off = 0;
    while (c->record[i].core != core->core || strcmp(c->record[i].host, core->host) != 0)
        i++;
    free(c->record[i].causes);
    free(c->record[i].off);
    free(c->record[i].packed);
    free(c->record[i].host);
    c->record[i] = c->record[--c->records];
    mpg_noise_core_forget_causes(core);
}

int mpg_collect_add_detours(struct mpg_collect *c, const struct mpg_results *r,
                            struct mpg_noise_core *core, struct mpg_error *err)
{
    double epoch_ns;
    if (core->span_ns > 0 && !mpg_collect_is_together(r))
        return add_alone(r, core, err);
    if (find_epoch(r, &epoch_ns, err) < 0)
        return -1;
    if (core->span_ns > 0)
        drop_alone(c, core);
    core->together = mpg_collect_is_together(r);
    if (mpg_results_number(r, "threshold_ns", 0, MPG_DISTRIBUTION_LIMIT, &core->threshold_ns,
                           err) < 0 ||
        mpg_results_number(r, "span_ns", 1, MPG_DISTRIBUTION_LIMIT, &core->span_ns, err) < 0)
        return -1;
    int parts = parts_of(r);
    if (copy_detours(r, parts, core, err) < 0)
        return mpg_error_prefix(err, "%s", r->path);
    if (mpg_noise_detours_check(core, err) < 0)
        return mpg_error_prefix(err, "%s: detours", r->path);
    if (mpg_noise_core_derive(core, err) < 0 || mark_off(r, core, err) < 0 || mark_causes(r, core, err) < 0 ||
        fit_detours(core, err) < 0 || pack_record(c, core, parts, epoch_ns, err) < 0)
        return mpg_error_prefix(err, "%s", r->path);
    return 0;
}

void mpg_collect_free_records(struct mpg_collect *c)
{
    for (size_t i = 0; i < c->records; i++) {
        free(c->record[i].causes);
        free(c->record[i].off);
        free(c->record[i].packed);
        free(c->record[i].host);
    }
    free(c->record);
}

static struct mpg_noise_core *core_of(const struct mpg_collect *c,
                                      const struct mpg_collect_record *record)
{
    for (size_t i = 0; i < c->sig->cores; i++)
        if (c->sig->core[i].core == record->core &&
            strcmp(c->sig->core[i].host, record->host) == 0)
            return &c->sig->core[i];
    return NULL;
}

/* For each core measured together with other cores: sets the record's start, relative to the earliest record of the host. */
static void set_offsets(struct mpg_collect *c)
{
    for (size_t i = 0; i < c->records; i++) {
        const struct mpg_collect_record *mine = &c->record[i];
        struct mpg_noise_core *core = core_of(c, mine);
        double first_ns = mine->epoch_ns;
        if (!core || !core->together || mine->epoch_ns < 0)
            continue;
        for (size_t j = 0; j < c->records; j++) {
            const struct mpg_noise_core *other = core_of(c, &c->record[j]);
            if (other && other->together && strcmp(other->host, core->host) == 0 &&
                c->record[j].epoch_ns >= 0)
                first_ns = fmin(first_ns, c->record[j].epoch_ns);
        }
        core->offset_ns = mine->epoch_ns - first_ns;
    }
}

/* Returns the number of characters that RECORD takes in a signature. */
static size_t size_of(const struct mpg_collect_record *record)
{
    return strlen(record->packed) + (record->off ? strlen(record->off) : 0) +
           (record->causes ? strlen(record->causes) : 0);
}

/* Returns the largest limit of characters per record with which all records fit into LEFT. Room that a shorter record does not
 * need goes to longer records. */
static size_t share_of(const struct mpg_collect *c, size_t left)
{
    size_t share = 0, low = 0, high = left;
    while (low <= high) {
        size_t middle = low + (high - low) / 2, sum = 0;
        for (size_t i = 0; i < c->records; i++) {
            size_t size = size_of(&c->record[i]);
            sum += size < middle ? size : middle;
        }
        if (sum <= left) {
            share = middle;
            low = middle + 1;
        } else if (middle == 0) {
            break;
        } else {
            high = middle - 1;
        }
    }
    return share;
}

/* Warns that KEPT records are truncated; states the numbers of CORE's record as an example. */
static int warn_truncated(struct mpg_collect *c, size_t kept, const struct mpg_noise_core *core,
                    struct mpg_error *err)
{
    const struct mpg_noise_blocks *b = &core->blocks;
    double time_ns = 0;
    for (size_t i = 0; i < b->n; i++)
        time_ns += b->block[i].to_ns - b->block[i].from_ns;
    return mpg_collect_warn(c, err, "detour records of %zu core%s were reduced to a signature's size:"
                                    " of the %zu detours of core %d in %.3g s, the %zu longest are kept, and all"
                                    " detours of %zu sampled blocks (together %.3g s)",
                            kept, kept == 1 ? "" : "s", b->recorded, core->core,
                            core->span_ns * 1e-9, core->detours, b->n, time_ns * 1e-9);
}

int mpg_collect_put_detours(struct mpg_collect *c, size_t left, struct mpg_error *err)
{
    size_t share = share_of(c, left), kept = 0;
    const struct mpg_noise_core *first = NULL;
    set_offsets(c);
    for (size_t i = 0; i < c->records; i++) {
        const struct mpg_collect_record *record = &c->record[i];
        struct mpg_noise_core *core = core_of(c, record);
        size_t size = size_of(record);
        size_t max = MPG_SIGNATURE_MAX_PACKED / c->records;
        max += (size < share ? size : share) / 4 * 3 * DETOURS_A_BYTE;
        max = max < MPG_SIGNATURE_MAX_DETOURS ? max : (size_t)MPG_SIGNATURE_MAX_DETOURS;
        if (!core || mpg_detours_unpack(record->packed, record->n, record->parts, core, err) < 0)
            return core ? -1 : mpg_error_set(err, "a record without a core");
        if (record->off && mpg_detours_unpack_off(record->off, record->marked, record->n,
                                                  &core->mark, err) < 0)
            return -1;
        if (record->causes && mpg_detours_unpack_causes(record->causes, record->caused, record->n, core->mark, err) < 0)
            return -1;
        if (size <= share && record->n <= max)
            continue;
        if (mpg_noise_record_truncate(core, share, MPG_SIGNATURE_MAX_PACKED / c->records, err) < 0)
            return -1;
        if (kept++ == 0)
            first = core;
    }
    return kept > 0 ? warn_truncated(c, kept, first, err) : 0;
}
