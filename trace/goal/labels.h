/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The labels of a rank's schedule in GOAL's text: a hash table with open addressing; names lie one after the other. Private to
 * trace/goal/. */
#ifndef MPG_GOAL_LABELS_H
#define MPG_GOAL_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct goal_label {
    uint32_t hash;
    uint32_t node; /* the labelled operation; UINT32_MAX: none yet */
    size_t name;   /* offset of the name in the text */
};

/* Zero-initialised: no labels. */
struct goal_labels {
    struct goal_label *labels;
    uint32_t *slots; /* 1 + number of a label; 0: empty. slot_number is 0 or a power of 2 */
    char *text;
    size_t number, capacity, slot_number, text_bytes, text_capacity;
};

/* Returns the number of the label NAME, assigned on first use; -1 with ERR: out of memory. */
int64_t mpg_goal_label(struct goal_labels *labels, const char *name, struct mpg_error *err);
void mpg_goal_forget_labels(struct goal_labels *labels); /* removes all labels, but keeps allocated memory */
void mpg_goal_clear_labels(struct goal_labels *labels);

/* Returns the name of label NUMBER, valid until the next label is added. */
static inline const char *goal_label_name(const struct goal_labels *labels, uint32_t number)
{
    return labels->text + labels->labels[number].name;
}

#endif
