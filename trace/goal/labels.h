/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The labels of a rank's schedule in GOAL's text. Labels l0, l1 and so on, as generators of schedules write, are in a table by
 * number; others in a hash table with open addressing, and their names lie one after the other. Private to trace/goal/. */
#ifndef MPG_GOAL_LABELS_H
#define MPG_GOAL_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct goal_label {
    uint32_t node; /* the labelled operation; UINT32_MAX: none yet */
    uint32_t hash; /* of the name; of a numbered label: the number */
    size_t name;   /* offset of the name in the text; SIZE_MAX: numbered */
};

/* Zero-initialised: no labels. */
struct goal_labels {
    struct goal_label *labels;
    uint32_t *numbered; /* by N: 1 + number of label lN; 0: none yet */
    uint32_t *slots;    /* 1 + number of a label; 0: empty. slot_number is 0 or a power of 2 */
    char *text;
    size_t number, capacity, numbered_capacity, slots_used, slot_number, text_bytes, text_capacity;
};

/* Returns the number of the label NAME, assigned on first use; -1 with ERR: out of memory. */
int64_t mpg_goal_label(struct goal_labels *labels, const char *name, struct mpg_error *err);
void mpg_goal_forget_labels(struct goal_labels *labels); /* removes all labels, but keeps allocated memory */
void mpg_goal_clear_labels(struct goal_labels *labels);

enum { GOAL_LABEL_BYTES = 81 };
/* Writes the first bytes of the name of label NUMBER to TEXT. Returns TEXT. */
const char *mpg_goal_label_name(const struct goal_labels *labels, uint32_t number, char text[GOAL_LABEL_BYTES]);

#endif
