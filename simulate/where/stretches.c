/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/where/stretches.h"

#include <errno.h>
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
    uint32_t back_number;           /* which */
    int fd;
    uint64_t held_bytes, file_bytes, most_bytes, most_file_bytes;
};

static void clear(struct mpg_stretch *s)
{
    free(s->record);
    free(s->choice);
    free(s->bits);
    free(s->value);
    *s = (struct mpg_stretch){.records = 0};
}

static void empty(struct mpg_stretch *s)
{
    s->records = s->choices = s->words = s->values = 0;
    s->is_away = false;
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

static int transfer_all(int fd, struct mpg_stretch *s, uint64_t at, bool writes, struct mpg_error *err)
{
    const struct {
        void *bytes;
        size_t size;
    } part[] = {{s->record, s->records * sizeof *s->record},
                {s->choice, s->choices * sizeof *s->choice},
                {s->bits, s->words * sizeof *s->bits},
                {s->value, s->values * sizeof *s->value}};
    for (size_t i = 0; i < sizeof part / sizeof *part; at += part[i++].size)
        if (transfer(fd, part[i].bytes, part[i].size, at, writes, err) < 0)
            return -1;
    return 0;
}

/* S goes to the file, and its arrays are free. */
static int send_away(struct mpg_stretches *x, struct mpg_stretch *s, struct mpg_error *err)
{
    const uint64_t bytes = used_bytes(s);
    if (x->fd < 0 && (x->fd = mpg_spool_file(err)) < 0)
        return -1;
    if (transfer_all(x->fd, s, x->file_bytes, true, err) < 0)
        return -1;
    struct mpg_stretch away = {.records = s->records, .choices = s->choices, .words = s->words, .values = s->values,
                               .at = x->file_bytes, .is_away = true};
    clear(s);
    *s = away;
    x->file_bytes += bytes;
    x->held_bytes -= bytes;
    x->most_file_bytes = x->file_bytes > x->most_file_bytes ? x->file_bytes : x->most_file_bytes;
    return 0;
}

static const struct mpg_stretch *bring_back(struct mpg_stretches *x, const struct mpg_stretch *away, uint32_t i,
                                            struct mpg_error *err)
{
    struct mpg_stretch *s = &x->back;
    if (x->back_number == i)
        return s;
    x->back_number = UINT32_MAX;
    if (mpg_reserve_at(&s->record, sizeof *s->record, &s->record_capacity, away->records, err) < 0 ||
        mpg_reserve_at(&s->choice, sizeof *s->choice, &s->choice_capacity, away->choices, err) < 0 ||
        mpg_reserve_at(&s->bits, sizeof *s->bits, &s->bits_capacity, away->words, err) < 0 ||
        mpg_reserve_at(&s->value, sizeof *s->value, &s->value_capacity, away->values, err) < 0)
        return NULL;
    s->records = away->records;
    s->choices = away->choices;
    s->words = away->words;
    s->values = away->values;
    if (transfer_all(x->fd, s, away->at, false, err) < 0)
        return NULL;
    x->back_number = i;
    return s;
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

const struct mpg_stretch *mpg_stretches_get(struct mpg_stretches *x, uint32_t i, struct mpg_error *err)
{
    const struct mpg_stretch *s = &x->stretch[i - x->first];
    return s->is_away ? bring_back(x, s, i, err) : s;
}

void mpg_stretches_drop(struct mpg_stretches *x, uint32_t i)
{
    const uint32_t gone = i - x->first;
    if (gone == 0)
        return;
    for (uint32_t k = 0; k < gone; k++) {
        struct mpg_stretch *s = &x->stretch[k];
        x->held_bytes -= s->is_away ? 0 : used_bytes(s);
        if (s->is_away || x->spares == SPARES)
            clear(s);
        else
            x->spare[x->spares++] = *s;
    }
    memmove(x->stretch, x->stretch + gone, (x->n - gone) * sizeof *x->stretch);
    x->n -= gone;
    x->first = i;
    bool any_away = false;
    for (uint32_t k = 0; k < x->n; k++)
        any_away = any_away || x->stretch[k].is_away;
    if (!any_away) { /* all of the file can be written over */
        x->file_bytes = 0;
        x->back_number = UINT32_MAX;
    }
}
