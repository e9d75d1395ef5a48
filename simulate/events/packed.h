/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps while they wait for their stream: what of them is read here, in a quarter of the bytes. Private to
 * simulate/events/. */
#ifndef MPG_EVENTS_PACKED_H
#define MPG_EVENTS_PACKED_H

#include "graph/graph.h"

/* How a step is kept: with all that it says and lists, or what most steps of its kind come to. */
enum packed_form { PACKED_WHOLE, PACKED_ENTER, PACKED_MESSAGE, PACKED_LEAVE, PACKED_BARE };

/* What each of them begins with; then comes what its form has. */
struct packed {
    uint32_t bytes; /* all of it, a multiple of 8 */
    uint8_t form, kind;
    uint16_t call;
    int32_t rank, window;
    uint32_t slot;
    uint64_t number;
};

/* What a step is when it is taken again. Zero-initialised is empty. */
struct unpacked {
    struct mpg_step step;
    struct mpg_edge *edge; /* its lists, if it has been packed */
    struct mpg_sent *sent;
    uint32_t edge_capacity, sent_capacity;
};

/* How S is kept. */
enum packed_form packed_form(const struct mpg_step *s);
size_t packed_bytes(enum packed_form form, const struct mpg_step *s);
/* S as FORM at TO, which has room for its bytes, and is for 8-byte values. */
void packed_write(struct packed *to, enum packed_form form, const struct mpg_step *s);
/* The slots that P names, one after the other: I is at first 0; NULL: there are no more. */
uint32_t *packed_slot(struct packed *p, uint32_t i);
/* The step that P, of STREAM, is: in P itself, or in INTO until that is asked again, where what is not kept is as it
 * was. NULL: out of memory. */
struct mpg_step *packed_read(struct packed *p, uint32_t stream, struct unpacked *into, struct mpg_error *err);
void unpacked_clear(struct unpacked *u);

#endif
