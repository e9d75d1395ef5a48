/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/goal/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/digits.h"
#include "common/reserve.h"

/* Labels with greater numbers are in the hash table: limits the memory for a short file. */
enum { MAX_NUMBERED = 1 << 22 };

/* Doubles the table. Returns 0, or -1: out of memory. */
static int grow_slots(struct goal_labels *l, struct mpg_error *err)
{
    enum { MIN_SLOTS = 128 };
    const size_t slot_number = l->slot_number ? 2 * l->slot_number : MIN_SLOTS;
    uint32_t *slots = calloc(slot_number, sizeof *slots);
    if (!slots)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < l->number; i++) {
        if (l->labels[i].name == SIZE_MAX)
            continue;
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

/* Adds LABEL. Returns its number, or -1 with ERR. */
static int64_t add(struct goal_labels *l, struct goal_label label, struct mpg_error *err)
{
    if (mpg_grow(&l->labels, l->number, &l->capacity, sizeof *l->labels, err) < 0)
        return -1;
    l->labels[l->number] = label;
    return (int64_t)l->number++;
}

/* Returns the number in NAME, if NAME is 'l' and a number for the table; else -1. */
static inline int64_t number_in(const char *name)
{
    int64_t number;
    if (name[0] != 'l' || (name[1] == '0' && name[2]))
        return -1;
    const char *end = mpg_digits(name + 1, &number);
    return end > name + 1 && !*end && number < MAX_NUMBERED ? number : -1;
}

/* Returns the number of the label l<N>, as mpg_goal_label(). */
static int64_t find_numbered(struct goal_labels *l, uint32_t n, struct mpg_error *err)
{
    if (n >= l->numbered_capacity) {
        const size_t capacity = n < MAX_NUMBERED / 2 ? 2 * (size_t)n + 64 : MAX_NUMBERED;
        uint32_t *grown = realloc(l->numbered, capacity * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        memset(grown + l->numbered_capacity, 0, (capacity - l->numbered_capacity) * sizeof *grown);
        l->numbered = grown;
        l->numbered_capacity = capacity;
    }
    if (l->numbered[n] == 0) {
        const int64_t number = add(l, (struct goal_label){UINT32_MAX, n, SIZE_MAX}, err);
        l->numbered[n] = (uint32_t)(number + 1);
    }
    return (int64_t)l->numbered[n] - 1;
}

static int64_t find_named(struct goal_labels *l, const char *name, struct mpg_error *err)
{
    uint64_t long_hash = 0xcbf29ce484222325u;
    const char *end = name;
    for (; *end; end++)
        long_hash = (long_hash ^ (unsigned char)*end) * 0x100000001b3u;
    const uint32_t hash = (uint32_t)(long_hash ^ long_hash >> 32);
    const size_t bytes = (size_t)(end - name) + 1;
    if (2 * l->slots_used >= l->slot_number && grow_slots(l, err) < 0)
        return -1;
    size_t at = hash & (l->slot_number - 1);
    for (uint32_t found; (found = l->slots[at]); at = (at + 1) & (l->slot_number - 1)) {
        const struct goal_label *label = &l->labels[found - 1];
        if (label->hash == hash && memcmp(l->text + label->name, name, bytes) == 0)
            return (int64_t)found - 1;
    }
    const struct goal_label label = {UINT32_MAX, hash, l->text_bytes};
    const int64_t number = keep_name(l, name, bytes, err) < 0 ? -1 : add(l, label, err);
    if (number >= 0) {
        l->slots[at] = (uint32_t)number + 1;
        l->slots_used++;
    }
    return number;
}

int64_t mpg_goal_label(struct goal_labels *l, const char *name, struct mpg_error *err)
{
    const int64_t n = number_in(name);
    return n >= 0 ? find_numbered(l, (uint32_t)n, err) : find_named(l, name, err);
}

const char *mpg_goal_label_name(const struct goal_labels *l, uint32_t number, char text[GOAL_LABEL_BYTES])
{
    const struct goal_label *label = &l->labels[number];
    if (label->name == SIZE_MAX)
        snprintf(text, GOAL_LABEL_BYTES, "l%u", label->hash);
    else
        snprintf(text, GOAL_LABEL_BYTES, "%s", l->text + label->name);
    return text;
}

void mpg_goal_forget_labels(struct goal_labels *l)
{
    for (size_t i = 0; i < l->number; i++)
        if (l->labels[i].name == SIZE_MAX)
            l->numbered[l->labels[i].hash] = 0;
    if (l->slots_used > 0)
        memset(l->slots, 0, l->slot_number * sizeof *l->slots);
    l->number = l->slots_used = l->text_bytes = 0;
}

void mpg_goal_clear_labels(struct goal_labels *l)
{
    free(l->labels);
    free(l->numbered);
    free(l->slots);
    free(l->text);
    *l = (struct goal_labels){0};
}
