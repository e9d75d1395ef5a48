/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* fallocate() */

#include "simulate/where/stretches.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/store/spool.h"

/* What may be in memory, beside the newest stretches: beyond it the oldest go to the file. */
enum { MEMORY_BYTES = 64 << 20, KEPT = 4, SPARES = 8 };

struct mpg_stretches {
    struct mpg_stretch *stretch; /* from `first` on; the last is the newest */
    uint32_t first, n, capacity;
    struct mpg_stretch spare[SPARES], back; /* arrays for next ones; one that was read from the file, */
    uint32_t spares;
    uint32_t back_number;           /* which, */
    bool has_values;                /* with its values */
    int fd;
    uint64_t held_bytes, file_bytes, most_bytes, most_file_bytes;
};

static void clear(struct mpg_stretch *s)
{
    free(s->record);
    free(s->choice);
    free(s->bits);
    free(s->value);
    free(s->column);
    *s = (struct mpg_stretch){.records = 0};
}

static void empty(struct mpg_stretch *s)
{
    s->records = s->choices = s->words = s->values = 0;
    s->is_away = false;
    free(s->column);
    s->column = NULL;
}

static uint64_t used_bytes(const struct mpg_stretch *s)
{
    return s->records * sizeof *s->record + s->choices * sizeof *s->choice + s->words * sizeof *s->bits +
           s->values * sizeof *s->value;
}

struct mpg_stretches *mpg_stretches_new(void)
{
    struct mpg_stretches *x = calloc(1, sizeof *x);
    struct mpg_error err;
    if (!x || mpg_reserve_at(&x->stretch, sizeof *x->stretch, &x->capacity, 1, &err) < 0) {
        free(x);
        return NULL;
    }
    x->n = 1;
    x->fd = -1;
    x->back_number = UINT32_MAX;
    return x;
}

void mpg_stretches_free(struct mpg_stretches *x)
{
    if (!x)
        return;
    for (uint32_t i = 0; i < x->n; i++)
        clear(&x->stretch[i]);
    for (uint32_t i = 0; i < x->spares; i++)
        clear(&x->spare[i]);
    x->back.column = NULL;
    clear(&x->back);
    if (x->fd >= 0)
        close(x->fd);
    free(x->stretch);
    free(x);
}

struct mpg_stretch *mpg_stretches_newest(struct mpg_stretches *x)
{
    return &x->stretch[x->n - 1];
}

uint32_t mpg_stretches_end(const struct mpg_stretches *x)
{
    return x->first + x->n - 1;
}

void mpg_stretches_held(const struct mpg_stretches *x, uint64_t *memory, uint64_t *file)
{
    *memory = x->most_bytes;
    *file = x->most_file_bytes;
}

/* --- the file --- */

/* All of BYTES at AT, to be written or read. */
static int transfer(int fd, void *bytes, size_t size, uint64_t at, bool writes, struct mpg_error *err)
{
    char name[MPG_SPOOL_NAME_BYTES];
    for (size_t done = 0; done < size;) {
        char *p = (char *)bytes + done;
        const off_t offset = (off_t)(at + done);
        const ssize_t k = writes ? pwrite(fd, p, size - done, offset) : pread(fd, p, size - done, offset);
        if (k == 0 || (k < 0 && errno != EINTR))
            return mpg_error_errno(err, k ? errno : EIO, "%s: cannot %s", mpg_spool_name(name), writes ? "write" : "read");
        done += k > 0 ? (size_t)k : 0;
    }
    return 0;
}

/* All but the values, or these alone. */
static int transfer_part(int fd, struct mpg_stretch *s, uint64_t at, bool values, bool writes, struct mpg_error *err)
{
    const struct {
        void *bytes;
        size_t size;
    } part[] = {{s->record, s->records * sizeof *s->record},
                {s->choice, s->choices * sizeof *s->choice},
                {s->bits, s->words * sizeof *s->bits},
                {s->value, s->values * sizeof *s->value}};
    enum { PARTS = sizeof part / sizeof *part };
    for (size_t i = 0; i < PARTS; at += part[i++].size)
        if ((i == PARTS - 1) == values && transfer(fd, part[i].bytes, part[i].size, at, writes, err) < 0)
            return -1;
    return 0;
}

/* S goes to the file, and its arrays are free. */
static int send_away(struct mpg_stretches *x, struct mpg_stretch *s, struct mpg_error *err)
{
    const uint64_t bytes = used_bytes(s);
    if (x->fd < 0 && (x->fd = mpg_spool_file(err)) < 0)
        return -1;
    if (transfer_part(x->fd, s, x->file_bytes, false, true, err) < 0 ||
        transfer_part(x->fd, s, x->file_bytes, true, true, err) < 0)
        return -1;
    uint32_t *column = s->column;
    s->column = NULL;
    struct mpg_stretch away = {.column = column, .columns = s->columns, .records = s->records, .choices = s->choices, .words = s->words, .values = s->values,
                               .at = x->file_bytes, .is_away = true};
    clear(s);
    *s = away;
    x->file_bytes += bytes;
    x->held_bytes -= bytes;
    x->most_file_bytes = x->file_bytes > x->most_file_bytes ? x->file_bytes : x->most_file_bytes;
    return 0;
}

/* A copy of AWAY, number I, with its VALUES or without. */
static const struct mpg_stretch *bring_back(struct mpg_stretches *x, const struct mpg_stretch *away, uint32_t i, bool values,
                                            struct mpg_error *err)
{
    struct mpg_stretch *s = &x->back;
    if (x->back_number != i) {
        x->back_number = UINT32_MAX;
        x->has_values = false;
        if (mpg_reserve_at(&s->record, sizeof *s->record, &s->record_capacity, away->records, err) < 0 ||
            mpg_reserve_at(&s->choice, sizeof *s->choice, &s->choice_capacity, away->choices, err) < 0 ||
            mpg_reserve_at(&s->bits, sizeof *s->bits, &s->bits_capacity, away->words, err) < 0 ||
            mpg_reserve_at(&s->value, sizeof *s->value, &s->value_capacity, away->values, err) < 0)
            return NULL;
        s->records = away->records;
        s->choices = away->choices;
        s->words = away->words;
        s->values = away->values;
        s->column = away->column; /* not its own */
        s->columns = away->columns;
        if (transfer_part(x->fd, s, away->at, false, false, err) < 0)
            return NULL;
        x->back_number = i;
    }
    if (values && !x->has_values && transfer_part(x->fd, s, away->at, true, false, err) < 0)
        return NULL;
    x->has_values = x->has_values || values;
    return s;
}

/* --- fewer lanes --- */

/* Copies what R, a record of S, has, of lanes whose column in TO is one of its N, to VALUE, and says where that is from
 * NUMBER on; returns what is behind it. */
static double *copy_record(struct mpg_stretch *s, struct mpg_trail_record *r, const uint32_t *to, uint32_t lanes, uint32_t n,
                           const double *begin, double *value)
{
    for (uint32_t i = 0; i < r->choices; i++) {
        struct mpg_trail_choice *c = &s->choice[r->choice + i];
        const double *from = s->value + c->value;
        c->value = (uint32_t)(value - begin);
        for (uint32_t left = c->flags; left; left &= left - 1)
            *value++ = *from++;
    }
    const uint32_t width = s->column ? s->columns : lanes;
    const double *from = s->value + r->value;
    r->value = (uint32_t)(value - begin);
    for (uint32_t left = r->flags; left; left &= left - 1, value += n, from += width)
        for (uint32_t w = 0; w < lanes; w++)
            if (to[w] < n)
                value[to[w]] = mpg_stretch_value(s, from, w);
    return value;
}

static void narrow(struct mpg_stretches *x, struct mpg_stretch *s, const uint32_t *begin, uint32_t i, uint32_t lanes, uint32_t n)
{
    double *value = malloc((s->values ? s->values : 1) * sizeof *value), *end = value;
    uint32_t *column = malloc(lanes * sizeof *column), k = 0;
    if (!value || !column) {
        free(value);
        free(column);
        return;
    }
    for (uint32_t w = 0; w < lanes; w++)
        column[w] = begin[w] <= i ? k++ : UINT32_MAX;
    x->held_bytes -= used_bytes(s);
    for (uint32_t r = 0; r < s->records; r++)
        end = copy_record(s, &s->record[r], column, lanes, n, value, end);
    free(s->value);
    free(s->column);
    s->values = s->value_capacity = (uint32_t)(end - value);
    double *shorter = realloc(value, (s->values ? s->values : 1) * sizeof *value);
    s->value = shorter ? shorter : value;
    s->column = column;
    s->columns = n;
    x->held_bytes += used_bytes(s);
}

void mpg_stretches_narrow(struct mpg_stretches *x, const uint32_t *begin, uint32_t n)
{
    for (uint32_t k = 0; k + 1 < x->n; k++) {
        struct mpg_stretch *s = &x->stretch[k];
        uint32_t left = 0;
        for (uint32_t w = 0; w < n; w++)
            left += begin[w] <= x->first + k;
        if (!s->is_away && 2 * left <= (s->column ? s->columns : n))
            narrow(x, s, begin, x->first + k, n, left);
    }
}

/* --- all of it --- */

int mpg_stretches_cut(struct mpg_stretches *x, struct mpg_error *err)
{
    x->held_bytes += used_bytes(mpg_stretches_newest(x));
    x->most_bytes = x->held_bytes > x->most_bytes ? x->held_bytes : x->most_bytes;
    for (uint32_t i = 0; i + KEPT < x->n && x->held_bytes > MEMORY_BYTES; i++)
        if (!x->stretch[i].is_away && send_away(x, &x->stretch[i], err) < 0)
            return -1;
    if (mpg_reserve_at(&x->stretch, sizeof *x->stretch, &x->capacity, x->n + 1, err) < 0)
        return -1;
    x->stretch[x->n++] = x->spares > 0 ? x->spare[--x->spares] : (struct mpg_stretch){.records = 0};
    empty(mpg_stretches_newest(x));
    return 0;
}

const struct mpg_stretch *mpg_stretches_get(struct mpg_stretches *x, uint32_t i, bool values, struct mpg_error *err)
{
    const struct mpg_stretch *s = &x->stretch[i - x->first];
    return s->is_away ? bring_back(x, s, i, values, err) : s;
}

void mpg_stretches_drop(struct mpg_stretches *x, uint32_t i)
{
    const uint32_t gone = i - x->first;
    if (gone == 0)
        return;
    for (uint32_t k = 0; k < gone; k++) {
        struct mpg_stretch *s = &x->stretch[k];
        x->held_bytes -= s->is_away ? 0 : used_bytes(s);
        if (s->is_away) /* its room on the disk, where that can be */
            (void)fallocate(x->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)s->at, (off_t)used_bytes(s));
        if (s->is_away || s->column || x->spares == SPARES)
            clear(s);
        else
            x->spare[x->spares++] = *s;
    }
    memmove(x->stretch, x->stretch + gone, (x->n - gone) * sizeof *x->stretch);
    x->n -= gone;
    x->first = i;
}
