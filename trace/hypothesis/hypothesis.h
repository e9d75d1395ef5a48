/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hypotheses: what of a traced program is supposed to be otherwise, as mpghypothesis(5) says it
 * (Boehme, Hermanns, Geimer, Wolf 2010, section 1.2).
 *
 *     struct mpg_hypotheses h = {0};
 *     mpg_hypotheses_read(&h, "foo.hyp", &err)          lines of a file, and
 *     mpg_hypotheses_add(&h, "balance foo", &err)       such lines by themselves: each adds to H;
 *     mpg_hypotheses_check(&h, &err)                    once, when all are there;
 *
 * then h.item[0 .. n-1] are read. Which calls a DROP or RESIZE is about is asked with mpg_select_fits(),
 * of messages by the call that sends them, of collectives by each member's call. What a region's
 * computation is, and which visits belong together, says docs/MODEL.md, section 10. Nothing here needs a
 * trace; whether it has what is named is for who reads it to say (graph/work/bound_hypotheses.h, as mpgsim does). */
#ifndef MPG_HYPOTHESIS_H
#define MPG_HYPOTHESIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/units.h"
#include "trace/event.h"

/* Sets of them are words of so many bits. */
enum { MPG_HYPOTHESES_MAX = 64 };

enum mpg_hypothesis_kind {
    MPG_HYPOTHESIS_SCALE,   /* computation in REGION, on RANKS, takes FACTOR times what it took */
    MPG_HYPOTHESIS_BALANCE, /* in REGION each member of COMM does as much */
    MPG_HYPOTHESIS_INSERT,  /* at each begin of REGION, on RANKS, another computation of TIME_NS */
    MPG_HYPOTHESIS_DROP,    /* what SELECT says is not there */
    MPG_HYPOTHESIS_RESIZE,  /* it has FACTOR times its bytes, or SIZE_BYTES */
    MPG_HYPOTHESIS_EXCHANGE /* at each begin of REGION, RANKS send SIZE_BYTES to TO: "insert" with bytes= */
};

/* Which messages and collectives: those to which all that is given applies. */
struct mpg_select {
    enum mpg_call call;             /* without large counts; MPG_CALL_COUNT: any */
    char *region;                   /* the innermost that the call is made in; NULL: any, or none */
    int32_t site;                   /* as `mpgtrace print` numbers them; -1: any, or that of PLACE: */
    char *place;                    /* "FILE:LINE" or FUNCTION that makes the call, as tables name them; NULL: any */
    int32_t comm;                   /* its label; -1: any */
    bool has_from, has_to, has_tag; /* with one of these: messages alone */
    struct mpg_rank_set from, to;   /* world ranks */
    int32_t tag;
    int64_t least_bytes, most_bytes; /* of a message or transfer, or what the rank gives to the collective; 0, INT64_MAX:
                                        any, or none */
};

struct mpg_hypothesis {
    enum mpg_hypothesis_kind kind;
    char *text;                /* the line, without comment */
    char *where;               /* "FILE:LINE", or NULL: by itself */
    char *region;              /* SCALE, BALANCE, INSERT, EXCHANGE */
    struct mpg_rank_set ranks; /* SCALE, INSERT, EXCHANGE; none: all */
    int32_t comm;              /* BALANCE: a label; -1: all ranks */
    bool by_total;             /* BALANCE: whole ranks, not instance by instance */
    double factor;             /* SCALE, RESIZE: 0, or 1e-9 .. 1e9; where SIZE_BYTES says it, 0 */
    double time_ns;            /* INSERT: above 0 */
    int64_t size_bytes;        /* RESIZE, EXCHANGE: 0 or more; RESIZE: -1: FACTOR */
    int32_t to;                /* EXCHANGE: a world rank, 0 or more, or */
    bool to_relative;          /* so many ranks behind the sender, of all of them in a circle: any number but 0 */
    struct mpg_select select;  /* DROP, RESIZE */
};

struct mpg_hypotheses {
    size_t n;
    struct mpg_hypothesis *item;
};

/* Adds those of the file at PATH ("-": standard input), or the one that LINE is. Errors, of a file with
 * FILE:LINE: words that say nothing, or not enough; more than MPG_HYPOTHESES_MAX; a file that cannot be
 * read, is larger than 1 MiB, or has none. H is to be cleared even so. */
int mpg_hypotheses_read(struct mpg_hypotheses *h, const char *path, struct mpg_error *err);
int mpg_hypotheses_add(struct mpg_hypotheses *h, const char *line, struct mpg_error *err);
/* Whether GIVEN, to an option that takes files and hypotheses, is a file: hypotheses begin with their verb, or have blanks, and
 * there is no file of that name. */
bool mpg_hypothesis_is_file(const char *given);
/* Adds all N of GIVEN, files first, and checks them: what --hypothesis does. */
int mpg_hypotheses_take(struct mpg_hypotheses *h, const char *const *given, size_t n, struct mpg_error *err);
/* Error: two of H contradict each other whatever the trace, or are one. */
int mpg_hypotheses_check(const struct mpg_hypotheses *h, struct mpg_error *err);
void mpg_hypotheses_clear(struct mpg_hypotheses *h);
/* "FILE:LINE: TEXT", or TEXT, in quotes, into BUF of SIZE bytes; returns BUF. */
char *mpg_hypothesis_name(const struct mpg_hypothesis *x, char *buf, size_t size);
/* Whether X changes computation, not communication. */
static inline bool mpg_hypothesis_is_of_work(const struct mpg_hypothesis *x)
{
    return x->kind == MPG_HYPOTHESIS_SCALE || x->kind == MPG_HYPOTHESIS_BALANCE || x->kind == MPG_HYPOTHESIS_INSERT;
}

/* Whether X is about the messages and collectives that its SELECT says. */
static inline bool mpg_hypothesis_selects(const struct mpg_hypothesis *x)
{
    return x->kind == MPG_HYPOTHESIS_DROP || x->kind == MPG_HYPOTHESIS_RESIZE;
}

/* What has none of these: no hypothesis that asks for any selects it. */
enum { MPG_SELECTED_NO_TAG = -1, MPG_SELECTED_NO_BYTES = -1 };

/* A message as it is sent, a one-sided transfer, a member's part in a collective, or the call that ends an epoch of a
 * window. */
struct mpg_selected {
    enum mpg_call call;
    const char *region; /* NULL: in none */
    int32_t site;       /* as in struct mpg_select; -1: not recorded; */
    uint64_t placed;    /* and of a list of hypotheses those whose PLACE it is: bits by their numbers */
    int32_t comm;       /* its label */
    bool is_message;    /* with FROM, TO (world ranks), TAG: a transfer, too, from who makes the call to its target */
    int32_t from, to, tag;
    int64_t bytes;
};
/* As far as that is told without PLACE. */
bool mpg_select_fits(const struct mpg_select *select, const struct mpg_selected *what);

#endif
