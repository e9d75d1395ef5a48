/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/goal/labels.h"

#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"

/* Doubles the table. Returns 0, or -1: out of memory. */
static int grow_slots(struct goal_labels *l, struct mpg_error *err)
{
    enum { MIN_SLOTS = 128 };
    const size_t slot_number = l->slot_number ? 2 * l->slot_number : MIN_SLOTS;
    uint32_t *slots = calloc(slot_number, sizeof *slots);
    if (!slots)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < l->number; i++) {
        size_t at = l->labels[i].hash & (slot_number - 1);
        while (slots[at])
            at = (at + 1) & (slot_number - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(l->slots);
    l->slots = slots;
    l->slot_number = slot_number;
    return 0;
}

/* Appends NAME, of BYTES bytes with the final 0, to the text. Returns 0, or -1: out of memory. */
static int keep_name(struct goal_labels *l, const char *name, size_t bytes, struct mpg_error *err)
{
    if (l->text_capacity - l->text_bytes < bytes) {
        const size_t capacity = 2 * (l->text_capacity + bytes);
        char *text = realloc(l->text, capacity);
        if (!text)
            return mpg_error_set(err, "out of memory");
        l->text = text;
        l->text_capacity = capacity;
    }
    memcpy(l->text + l->text_bytes, name, bytes);
    l->text_bytes += bytes;
    return 0;
}

int64_t mpg_goal_label(struct goal_labels *l, const char *name, struct mpg_error *err)
{
    uint64_t long_hash = 0xcbf29ce484222325u;
    const char *end = name;
    for (; *end; end++)
        long_hash = (long_hash ^ (unsigned char)*end) * 0x100000001b3u;
    const uint32_t hash = (uint32_t)(long_hash ^ long_hash >> 32);
    const size_t bytes = (size_t)(end - name) + 1;
    if (2 * l->number >= l->slot_number && grow_slots(l, err) < 0)
        return -1;
    size_t at = hash & (l->slot_number - 1);
    for (uint32_t found; (found = l->slots[at]); at = (at + 1) & (l->slot_number - 1))
        if (l->labels[found - 1].hash == hash && memcmp(goal_label_name(l, found - 1), name, bytes) == 0)
            return (int64_t)found - 1;
    const size_t offset = l->text_bytes;
    if (mpg_grow(&l->labels, l->number, &l->capacity, sizeof *l->labels, err) < 0 || keep_name(l, name, bytes, err) < 0)
        return -1;
    l->labels[l->number] = (struct goal_label){.hash = hash, .node = UINT32_MAX, .name = offset};
    l->slots[at] = (uint32_t)++l->number;
    return (int64_t)l->number - 1;
}

void mpg_goal_forget_labels(struct goal_labels *l)
{
    if (l->number > 0)
        memset(l->slots, 0, l->slot_number * sizeof *l->slots);
    l->number = l->text_bytes = 0;
}

void mpg_goal_clear_labels(struct goal_labels *l)
{
    free(l->labels);
    free(l->slots);
    free(l->text);
    *l = (struct goal_labels){0};
}
