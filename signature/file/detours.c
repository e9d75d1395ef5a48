/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conversion of detour times to whole numbers and back. Times are counted in parts of a nanosecond: gap, duration, gap, duration,
 * ... Each interval begins at the end of the interval before, which keeps the numbers small. */
#include "signature/file/detours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "signature/file/pack.h"

enum { MAX_PARTS = 1000 };

/* Position in a record of detours. */
struct clock {
    int parts;
    uint64_t at;
    double at_ns;
};

/* Advances CLOCK by a gap of NUMBER parts; returns the new time, ns. After a gap of 0 the time stays exactly the end of the
 * previous detour: a time computed from the number of parts could differ in the last digit. */
static double move(struct clock *clock, uint64_t number)
{
    clock->at += number;
    if (number > 0)
        clock->at_ns = (double)clock->at / clock->parts;
    return clock->at_ns;
}

/* Advances CLOCK by a detour of NUMBER parts; returns the detour's duration, ns. */
static double pass(struct clock *clock, uint64_t number)
{
    double duration_ns = (double)number / clock->parts;
    clock->at += number;
    clock->at_ns += duration_ns;
    return duration_ns;
}

/* Stores the gap from CLOCK to TIME_NS, in parts, in *NUMBER. Returns false if the gap is not a whole number of parts. */
static bool distance(const struct clock *clock, double time_ns, uint64_t *number)
{
    double at = rint(time_ns * clock->parts);
    if (!(at >= (double)clock->at && at < (double)MPG_PACK_LIMIT))
        return false;
    struct clock moved = *clock;
    *number = (uint64_t)at - clock->at;
    return move(&moved, *number) == time_ns;
}

/* Converts N detours after CLOCK to pairs of gap and duration in NUMBER (NULL: only tests). Returns false if a gap or duration is
 * not a whole number of parts. */
static bool to_numbers(struct clock *clock, const double *start_ns, const double *duration_ns,
                       size_t n, uint64_t *number)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t gap, length;
        if (!distance(clock, start_ns[i], &gap))
            return false;
        move(clock, gap);
        double parts = rint(duration_ns[i] * clock->parts);
        if (!(parts + (double)clock->at < (double)MPG_PACK_LIMIT))
            return false;
        length = (uint64_t)parts;
        if (pass(clock, length) != duration_ns[i])
            return false;
        if (number) {
            number[2 * i] = gap;
            number[2 * i + 1] = length;
        }
    }
    return true;
}

/* Converts all blocks of B to numbers (NUMBER NULL: only tests): for each block the number of detours, the gap since the end of
 * the previous block, and the detours. Returns false if a time is no whole number of PARTS of a ns. */
static bool blocks_to_numbers(const struct mpg_noise_blocks *b, int parts, uint64_t *number)
{
    struct clock clock = {.parts = parts};
    for (size_t i = 0; i < b->n; i++) {
        const struct mpg_noise_block *block = &b->block[i];
        uint64_t gap;
        if (!distance(&clock, block->from_ns, &gap))
            return false;
        move(&clock, gap);
        if (number) {
            *number++ = block->detours;
            *number++ = gap;
        }
        if (!to_numbers(&clock, b->start_ns + block->first, b->duration_ns + block->first,
                        block->detours, number) ||
            clock.at_ns != block->to_ns)
            return false;
        if (number)
            number += 2 * block->detours;
    }
    return true;
}

int mpg_detours_parts(const struct mpg_noise_core *core)
{
    for (int parts = 1; parts <= MAX_PARTS; parts *= 10) {
        struct clock clock = {.parts = parts};
        if (to_numbers(&clock, core->start_ns, core->duration_ns, core->detours, NULL) &&
            blocks_to_numbers(&core->blocks, parts, NULL))
            return parts;
    }
    return 0;
}

/* ---- packing ---- */

char *mpg_detours_pack(const struct mpg_noise_core *core, int parts, int level,
                       struct mpg_error *err)
{
    struct clock clock = {.parts = parts};
    uint64_t *number = malloc((2 * core->detours + 1) * sizeof *number);
    char *text = NULL;
    if (!number)
        mpg_error_set(err, "out of memory for %zu detours", core->detours);
    else if (!to_numbers(&clock, core->start_ns, core->duration_ns, core->detours, number))
        mpg_error_set(err, "detours are no whole parts of a nanosecond");
    else
        text = mpg_pack(number, 2 * core->detours, level, err);
    free(number);
    return text;
}

char *mpg_detours_pack_blocks(const struct mpg_noise_core *core, int parts, int level,
                              struct mpg_error *err)
{
    const struct mpg_noise_blocks *b = &core->blocks;
    size_t n = 2 * (b->n + b->detours);
    uint64_t *number = malloc((n + 1) * sizeof *number);
    char *text = NULL;
    if (!number)
        mpg_error_set(err, "out of memory for %zu detours", b->detours);
    else if (!blocks_to_numbers(b, parts, number))
        mpg_error_set(err, "detours are no whole parts of a nanosecond");
    else
        text = mpg_pack(number, n, level, err);
    free(number);
    return text;
}

char *mpg_detours_pack_off(const uint8_t *mark, size_t n, int level, size_t *marked,
                           struct mpg_error *err)
{
    uint64_t *number = malloc((n + 1) * sizeof *number), before = 0;
    *marked = 0;
    if (!number) {
        mpg_error_set(err, "out of memory for %zu detours", n);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        if (mark[i] & 1) {
            number[(*marked)++] = before;
            before = 0;
        } else {
            before++;
        }
    char *text = mpg_pack(number, *marked, level, err);
    free(number);
    return text;
}

char *mpg_detours_pack_causes(const uint8_t *mark, size_t n, int level, size_t *caused, struct mpg_error *err)
{
    uint64_t *number = malloc((2 * n + 1) * sizeof *number), before = 0;
    *caused = 0;
    if (!number) {
        mpg_error_set(err, "out of memory for %zu detours", n);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (mark[i] / 2 == 0) {
            before++;
            continue;
        }
        number[2 * *caused] = before;
        number[2 * *caused + 1] = mark[i] / 2;
        ++*caused;
        before = 0;
    }
    char *text = mpg_pack(number, 2 * *caused, level, err);
    free(number);
    return text;
}

/* ---- unpacking ---- */

/* Converts numbers, pairs of gap and duration, to start and duration of N detours after CLOCK. */
static int from_numbers(struct clock *clock, const uint64_t *number, size_t n, double *start_ns,
                        double *duration_ns, struct mpg_error *err)
{
    for (size_t i = 0; i < n; i++) {
        start_ns[i] = move(clock, number[2 * i]);
        duration_ns[i] = pass(clock, number[2 * i + 1]);
        if (clock->at >= MPG_PACK_LIMIT)
            return mpg_error_set(err, "detour %zu ends beyond 2^53 parts of a ns", i);
    }
    return 0;
}

/* Allocates arrays for the starts and durations of N detours. */
static int make_room(size_t n, double **start_ns, double **duration_ns, struct mpg_error *err)
{
    double *start = malloc((n + 1) * sizeof *start), *duration = malloc((n + 1) * sizeof *duration);
    if (!start || !duration) {
        free(start);
        free(duration);
        return mpg_error_set(err, "out of memory for %zu detours", n);
    }
    *start_ns = start;
    *duration_ns = duration;
    return 0;
}

int mpg_detours_unpack(const char *text, size_t n, int parts, struct mpg_noise_core *core,
                       struct mpg_error *err)
{
    struct clock clock = {.parts = parts};
    uint64_t *number = mpg_unpack(text, 2 * n, err);
    if (!number)
        return -1;
    int status = make_room(n, &core->start_ns, &core->duration_ns, err);
    if (status == 0)
        status = from_numbers(&clock, number, n, core->start_ns, core->duration_ns, err);
    if (status == 0)
        core->detours = n;
    free(number);
    return status;
}

int mpg_detours_unpack_off(const char *text, size_t marked, size_t n, uint8_t **off,
                           struct mpg_error *err)
{
    uint64_t *number = mpg_unpack(text, marked, err);
    uint8_t *made = number ? calloc(n + 1, sizeof *made) : NULL;
    int status = made ? 0 : -1;
    if (number && !made)
        mpg_error_set(err, "out of memory for %zu detours", n);
    for (size_t i = 0, at = 0; status == 0 && i < marked; i++, at++) {
        if (number[i] >= n - at)
            status = mpg_error_set(err, "mark %zu is beyond the last detour", i);
        else
            made[at += (size_t)number[i]] = 1;
    }
    free(number);
    if (status < 0)
        free(made);
    else
        *off = made;
    return status;
}

int mpg_detours_unpack_causes(const char *text, size_t caused, size_t n, uint8_t *mark, struct mpg_error *err)
{
    uint64_t *number = mpg_unpack(text, 2 * caused, err);
    int status = number ? 0 : -1;
    for (size_t i = 0, at = 0; status == 0 && i < caused; i++, at++) {
        const uint64_t cause = number[2 * i + 1];
        if (number[2 * i] >= n - at)
            status = mpg_error_set(err, "cause %zu is beyond the last detour", i);
        else if (cause < 1 || cause >= MPG_SIGNATURE_MAX_CAUSES)
            status = mpg_error_set(err, "cause %zu is not from 1 to %d", i, MPG_SIGNATURE_MAX_CAUSES - 1);
        else {
            at += (size_t)number[2 * i];
            mark[at] = (uint8_t)(mark[at] + 2 * cause);
        }
    }
    free(number);
    return status;
}

/* Unpacks TEXT, N blocks with DETOURS detours in total, into B. */
static int unpack_blocks(const char *text, size_t n, size_t detours, int parts,
                         struct mpg_noise_blocks *b, struct mpg_error *err)
{
    struct clock clock = {.parts = parts};
    uint64_t *number = mpg_unpack(text, 2 * (n + detours), err);
    if (!number)
        return -1;
    int status = make_room(detours, &b->start_ns, &b->duration_ns, err);
    if (status == 0 && !(b->block = calloc(n + 1, sizeof *b->block)))
        status = mpg_error_set(err, "out of memory for %zu blocks", n);
    const uint64_t *p = number;
    while (status == 0 && b->n < n) {
        struct mpg_noise_block *block = &b->block[b->n];
        uint64_t count = *p++;
        if (count > detours - b->detours) {
            status = mpg_error_set(err, "block %zu has more detours than there are", b->n);
            break;
        }
        *block = (struct mpg_noise_block){.from_ns = move(&clock, *p++), .first = b->detours,
                                          .detours = (size_t)count};
        status = from_numbers(&clock, p, block->detours, b->start_ns + b->detours,
                              b->duration_ns + b->detours, err);
        block->to_ns = clock.at_ns;
        p += 2 * block->detours;
        b->detours += block->detours;
        b->n++;
    }
    if (status == 0 && b->detours != detours)
        status = mpg_error_set(err, "blocks have %zu detours, not %zu", b->detours, detours);
    free(number);
    return status;
}

/* ---- reading ---- */

/* Adds N detours and the bytes of their text PACKED to ALLOWANCE. Errors: too many detours for the number of packed bytes. */
static int allow(struct mpg_detours_allowance *allowance, const char *packed, size_t n,
                 struct mpg_error *err)
{
    allowance->bytes += mpg_pack_bytes(packed);
    allowance->detours += n;
    if (allowance->detours > MPG_SIGNATURE_MAX_PACKED +
                                 allowance->bytes * MPG_SIGNATURE_MAX_PACKED_A_BYTE)
        return mpg_error_set(err, "more detours than %d and %d a packed byte",
                             (int)MPG_SIGNATURE_MAX_PACKED, (int)MPG_SIGNATURE_MAX_PACKED_A_BYTE);
    return 0;
}

/* Sets *PACKED to member "packed" of OBJECT (NULL if absent) and *N to member COUNT, the number of detours. */
static int get_packed(const json_t *object, const char *count,
                      struct mpg_detours_allowance *allowance, const char **packed, size_t *n,
                      struct mpg_error *err)
{
    const json_t *text;
    int number = 0;
    *packed = NULL;
    *n = 0;
    if (mpg_json_get(object, "packed", JSON_STRING, &text, err) < 0)
        return -1;
    if (!text)
        return 0;
    if (mpg_json_need_count(object, count, 0, &number, err) < 0)
        return -1;
    if (number > MPG_SIGNATURE_MAX_DETOURS)
        return mpg_error_set(err, "%s is %d, more than %d", count, number,
                             (int)MPG_SIGNATURE_MAX_DETOURS);
    *packed = json_string_value(text);
    *n = (size_t)number;
    return allow(allowance, *packed, *n, err);
}

static int get_parts(const json_t *object, int *parts, struct mpg_error *err)
{
    *parts = 1;
    if (mpg_json_get_count(object, "parts_of_ns", 1, parts, err) < 0)
        return -1;
    return *parts <= MAX_PARTS ? 0
                                : mpg_error_set(err, "parts_of_ns is %d, more than %d", *parts,
                                                (int)MAX_PARTS);
}

/* Reads MEMBER, marks of detours: sets *N to the number of marks and *PACKED to the packed text, which belongs to MEMBER. */
static int get_marks(const json_t *member, int *n, const char **packed, struct mpg_error *err)
{
    const json_t *text;
    if (mpg_json_need_count(member, "n", 0, n, err) < 0 || mpg_json_get(member, "packed", JSON_STRING, &text, err) < 0)
        return -1;
    *packed = text ? json_string_value(text) : NULL;
    return text ? 0 : mpg_error_set(err, "packed is missing");
}

/* Reads member "off_cpu" of OBJECT, off-CPU flags of N detours, into *OFF, which stays unchanged if the member is
 * absent. */
static int read_off(const json_t *object, size_t n, uint8_t **off, struct mpg_error *err)
{
    const json_t *member;
    const char *packed;
    int marked = 0;
    if (mpg_json_get(object, "off_cpu", JSON_OBJECT, &member, err) < 0)
        return -1;
    if (!member)
        return 0;
    int status = get_marks(member, &marked, &packed, err);
    if (status == 0 && (size_t)marked > n)
        status = mpg_error_set(err, "n is %d, of %zu detours", marked, n);
    if (status == 0)
        status = mpg_detours_unpack_off(packed, (size_t)marked, n, off, err);
    return status < 0 ? mpg_error_prefix(err, "off_cpu") : 0;
}

/* Reads member "causes" of OBJECT, which has N detours, into MARK, which stays unchanged if the member is absent. */
static int read_causes(const json_t *object, size_t n, uint8_t *mark, struct mpg_error *err)
{
    const json_t *member;
    const char *packed;
    int caused = 0;
    if (mpg_json_get(object, "causes", JSON_OBJECT, &member, err) < 0)
        return -1;
    if (!member)
        return 0;
    int status = get_marks(member, &caused, &packed, err);
    if (status == 0 && ((size_t)caused > n || !mark))
        status = mpg_error_set(err, mark ? "n is %d, of %zu detours" : "there are %d without off_cpu", caused, n);
    if (status == 0)
        status = mpg_detours_unpack_causes(packed, (size_t)caused, n, mark, err);
    return status < 0 ? mpg_error_prefix(err, "causes") : 0;
}

/* Reads the names of CORE's causes. */
static int read_names(const json_t *object, struct mpg_noise_core *core, struct mpg_error *err)
{
    const json_t *names;
    if (mpg_json_get(object, "cause_names", JSON_ARRAY, &names, err) < 0)
        return -1;
    const size_t n = json_array_size(names);
    if (n > MPG_SIGNATURE_MAX_CAUSES)
        return mpg_error_set(err, "cause_names has %zu, more than %d", n, (int)MPG_SIGNATURE_MAX_CAUSES);
    core->cause = n > 0 ? calloc(n, sizeof *core->cause) : NULL;
    if (n > 0 && !core->cause)
        return mpg_error_set(err, "out of memory");
    for (; core->causes < n; core->causes++) {
        const json_t *name = json_array_get(names, core->causes);
        if (!json_is_string(name))
            return mpg_error_set(err, "cause_names[%zu] is no text", core->causes);
        if (!(core->cause[core->causes] = strdup(json_string_value(name))))
            return mpg_error_set(err, "out of memory");
    }
    return 0;
}

/* Reads member "blocks" of OBJECT: the sampled blocks of a truncated record. */
static int read_blocks(const json_t *object, struct mpg_detours_allowance *allowance, int parts,
                       struct mpg_noise_core *core, struct mpg_error *err)
{
    const json_t *member;
    const char *packed;
    struct mpg_noise_blocks *b = &core->blocks;
    int64_t recorded = 0;
    size_t detours;
    int n = 0;
    if (mpg_json_get(object, "blocks", JSON_OBJECT, &member, err) < 0)
        return -1;
    if (!member)
        return 0;
    if (mpg_json_need_integer(object, "recorded", &recorded, err) < 0 ||
        mpg_json_get_number(object, "least_ns", &b->min_ns, err) < 0)
        return -1;
    if (recorded < 1)
        return mpg_error_set(err, "recorded is %lld, less than 1", (long long)recorded);
    b->recorded = (size_t)recorded;
    int status = mpg_json_need_count(member, "n", 1, &n, err);
    if (status == 0)
        status = get_packed(member, "detours", allowance, &packed, &detours, err);
    if (status == 0 && n > MPG_SIGNATURE_MAX_BLOCKS)
        status = mpg_error_set(err, "n is %d, more than %d", n, (int)MPG_SIGNATURE_MAX_BLOCKS);
    if (status == 0 && !packed)
        status = mpg_error_set(err, "packed is missing");
    if (status == 0)
        status = unpack_blocks(packed, (size_t)n, detours, parts, b, err);
    if (status == 0)
        status = read_off(member, detours, &b->mark, err);
    if (status == 0)
        status = read_causes(member, detours, b->mark, err);
    return status < 0 ? mpg_error_prefix(err, "blocks") : 0;
}

/* Reads the arrays of file versions 1 and 2. */
static int read_arrays(const json_t *object, struct mpg_noise_core *core, struct mpg_error *err)
{
    size_t durations;
    if (mpg_json_get_numbers(object, "start_ns", MPG_SIGNATURE_MAX_DETOURS, &core->start_ns,
                             &core->detours, err) < 0 ||
        mpg_json_get_numbers(object, "duration_ns", MPG_SIGNATURE_MAX_DETOURS,
                             &core->duration_ns, &durations, err) < 0)
        return -1;
    if (durations != core->detours)
        return mpg_error_set(err, "start_ns has %zu values, duration_ns has %zu", core->detours,
                             durations);
    return 0;
}

int mpg_detours_read(const json_t *object, struct mpg_detours_allowance *allowance,
                     struct mpg_noise_core *core, struct mpg_error *err)
{
    const json_t *member;
    const char *packed;
    size_t n;
    int parts;
    if (mpg_json_get(object, "detours", JSON_OBJECT, &member, err) < 0)
        return -1;
    if (!member)
        return 0;
    int status = get_parts(member, &parts, err);
    if (status == 0)
        status = get_packed(member, "n", allowance, &packed, &n, err);
    if (status == 0)
        status = packed ? mpg_detours_unpack(packed, n, parts, core, err)
                        : read_arrays(member, core, err);
    if (status == 0)
        status = read_off(member, core->detours, &core->mark, err);
    if (status == 0)
        status = read_causes(member, core->detours, core->mark, err);
    if (status == 0)
        status = read_names(member, core, err);
    if (status == 0)
        status = read_blocks(member, allowance, parts, core, err);
    core->off_known = core->mark != NULL;
    return status < 0 ? mpg_error_prefix(err, "detours") : 0;
}

/* ---- writing ---- */

/* Writes member KEY, N marks of detours. */
static void put_marks(struct mpg_json *out, const char *key, size_t n, const char *packed)
{
    mpg_json_break(out);
    mpg_json_object(out, key);
    mpg_json_integer(out, "n", (int64_t)n);
    mpg_json_text(out, "packed", packed);
    mpg_json_close(out);
}

/* Writes the off-CPU flags in OFF, the marks of N detours; nothing if OFF is NULL. */
static int put_off(struct mpg_json *out, const uint8_t *off, size_t n, struct mpg_error *err)
{
    size_t marked;
    if (!off)
        return 0;
    char *packed = mpg_detours_pack_off(off, n, MPG_PACK_WELL, &marked, err);
    if (!packed)
        return mpg_error_prefix(err, "detours");
    put_marks(out, "off_cpu", marked, packed);
    free(packed);
    return 0;
}

/* Writes the causes of N detours; nothing if no cause is known. */
static int put_causes(struct mpg_json *out, const struct mpg_noise_core *core, const uint8_t *mark, size_t n,
                      struct mpg_error *err)
{
    size_t caused;
    if (core->causes == 0)
        return 0;
    char *packed = mpg_detours_pack_causes(mark, n, MPG_PACK_WELL, &caused, err);
    if (!packed)
        return mpg_error_prefix(err, "detours");
    put_marks(out, "causes", caused, packed);
    free(packed);
    return 0;
}

static int put_blocks(struct mpg_json *out, const struct mpg_noise_core *core, const char *packed, struct mpg_error *err)
{
    mpg_json_break(out);
    mpg_json_object(out, "blocks");
    mpg_json_integer(out, "n", (int64_t)core->blocks.n);
    mpg_json_integer(out, "detours", (int64_t)core->blocks.detours);
    mpg_json_break(out);
    mpg_json_text(out, "packed", packed);
    if (put_off(out, core->blocks.mark, core->blocks.detours, err) < 0 ||
        put_causes(out, core, core->blocks.mark, core->blocks.detours, err) < 0)
        return -1;
    mpg_json_close(out);
    return 0;
}

/* Packs CORE's detours into *PACKED and, if present, CORE's blocks into *BLOCKS, in PARTS of a ns; updates ALLOWANCE. For a
 * record without blocks both may remain NULL: the times are not whole numbers of parts, or the limit of ALLOWANCE is reached: the
 * caller then writes arrays. */
static int pack_all(const struct mpg_noise_core *core, int parts,
                    struct mpg_detours_allowance *allowance, char **packed, char **blocks,
                    struct mpg_error *err)
{
    bool has_blocks = core->blocks.recorded > 0;
    struct mpg_detours_allowance after = *allowance;
    if (parts == 0)
        return !has_blocks ? 0
                           : mpg_error_set(err, "times of a record in part are no whole"
                                                " thousandths of a ns below 2^53 of them");
    if (!(*packed = mpg_detours_pack(core, parts, MPG_PACK_WELL, err)) ||
        (has_blocks && !(*blocks = mpg_detours_pack_blocks(core, parts, MPG_PACK_WELL, err))))
        return -1;
    if (allow(&after, *packed, core->detours, err) < 0 ||
        (has_blocks && allow(&after, *blocks, core->blocks.detours, err) < 0)) {
        free(*packed);
        *packed = NULL;
        return has_blocks ? -1 : 0;
    }
    *allowance = after;
    return 0;
}

int mpg_detours_write(struct mpg_json *out, struct mpg_detours_allowance *allowance, const struct mpg_noise_core *core,
                      struct mpg_error *err)
{
    char *packed = NULL, *blocks = NULL;
    const int parts = mpg_detours_parts(core);
    int status = pack_all(core, parts, allowance, &packed, &blocks, err);
    if (status < 0) {
        mpg_error_prefix(err, "detours");
        goto out;
    }
    mpg_json_break(out);
    mpg_json_object(out, "detours");
    if (core->blocks.recorded > 0) {
        mpg_json_integer(out, "recorded", (int64_t)core->blocks.recorded);
        mpg_json_number(out, "least_ns", core->blocks.min_ns);
    }
    if (packed) {
        mpg_json_integer(out, "n", (int64_t)core->detours);
        mpg_json_integer(out, "parts_of_ns", parts);
        mpg_json_break(out);
        mpg_json_text(out, "packed", packed);
    } else {
        mpg_json_numbers(out, "start_ns", core->start_ns, core->detours);
        mpg_json_numbers(out, "duration_ns", core->duration_ns, core->detours);
    }
    status = put_off(out, core->mark, core->detours, err);
    if (status == 0)
        status = put_causes(out, core, core->mark, core->detours, err);
    if (core->causes > 0) {
        mpg_json_break(out);
        mpg_json_array(out, "cause_names");
        for (size_t i = 0; i < core->causes; i++)
            mpg_json_text(out, NULL, core->cause[i]);
        mpg_json_close(out);
    }
    if (status == 0 && blocks)
        status = put_blocks(out, core, blocks, err);
    mpg_json_close(out);
out:
    free(packed);
    free(blocks);
    return status;
}
