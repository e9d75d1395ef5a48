/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hypotheses: changes to a traced program, in the language of mpghypothesis(5) (Boehme, Hermanns, Geimer, Wolf 2010,
 * section 1.2).
 *
 *   struct mpg_hypotheses h = {0};
 *   mpg_hypotheses_read(&h, "foo.hyp", &err)          adds the lines of a file,
 *   mpg_hypotheses_add(&h, "balance foo", &err)       adds a single line,
 *   mpg_hypotheses_check(&h, &err)                    once, when all are there.
 *
 * Then h.item[0 .. n-1] can be read. mpg_select_fits() tells whether a DROP or RESIZE selects a call: messages are
 * selected by the sending call, collectives by each member's call. docs/MODEL.md, section 10, defines the computation
 * of a region and which visits correspond. This folder needs no trace; graph/work/bound_hypotheses.h looks up the names of
 * regions and callsites in a trace. */
#ifndef MPG_HYPOTHESIS_H
#define MPG_HYPOTHESIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/units.h"
#include "trace/event.h"

/* Maximum number of hypotheses: sets of hypotheses are stored as the bits of a 64-bit word. */
enum { MPG_HYPOTHESES_MAX = 64 };

enum mpg_hypothesis_kind {
    MPG_HYPOTHESIS_SCALE,   /* computation in REGION, on RANKS, takes FACTOR times the traced time */
    MPG_HYPOTHESIS_BALANCE, /* in REGION each member of COMM does the mean work */
    MPG_HYPOTHESIS_INSERT,  /* at each begin of REGION, RANKS compute TIME_NS in addition */
    MPG_HYPOTHESIS_DROP,    /* messages and collectives selected by SELECT are removed */
    MPG_HYPOTHESIS_RESIZE,  /* the selected messages and collectives have FACTOR times their bytes, or SIZE_BYTES */
    MPG_HYPOTHESIS_EXCHANGE /* at each begin of REGION, RANKS send SIZE_BYTES to TO: "insert" with bytes= */
};

/* A selection of messages and collectives: those for which all given conditions hold. */
struct mpg_select {
    enum mpg_call call;             /* without large counts; MPG_CALL_COUNT: any */
    char *region;                   /* innermost region of the call; NULL: any or none */
    int32_t site;                   /* number in `mpgtrace print`; -1: any, or see PLACE */
    char *place;                    /* "FILE:LINE" or FUNCTION of the call, as in tables; NULL: any */
    int32_t comm;                   /* label of the communicator; -1: any */
    bool has_from, has_to, has_tag; /* any of these: messages only */
    struct mpg_rank_set from, to;   /* world ranks */
    int32_t tag;
    /* limits of the bytes of a message or transfer, or of the rank's contribution to a collective; 0 and INT64_MAX: no
     * condition */
    int64_t min_bytes, max_bytes;
};

struct mpg_hypothesis {
    enum mpg_hypothesis_kind kind;
    char *text;                /* the text of the hypothesis, without comment */
    char *where;               /* "FILE:LINE"; NULL: not from a file */
    char *region;              /* SCALE, BALANCE, INSERT, EXCHANGE */
    struct mpg_rank_set ranks; /* SCALE, INSERT, EXCHANGE; empty: all */
    int32_t comm;              /* BALANCE: label of the communicator; -1: all ranks */
    bool by_total;             /* BALANCE: balance the total work instead of the work of each visit */
    double factor;             /* SCALE, RESIZE: 0, or 1e-9 .. 1e9; 0 if SIZE_BYTES is given */
    double time_ns;            /* INSERT: above 0 */
    int64_t size_bytes;        /* RESIZE, EXCHANGE: 0 or more; RESIZE: -1: use FACTOR */
    int32_t to;                /* EXCHANGE: the receiver: a world rank, or as TO_RELATIVE says */
    bool to_relative;          /* TO is an offset from the sender, modulo the number of ranks; not 0 */
    struct mpg_select select;  /* DROP, RESIZE */
};

struct mpg_hypotheses {
    size_t n;
    struct mpg_hypothesis *item;
};

/* Add the hypotheses of the file at PATH ("-": standard input); of LINE. Return 0, or -1 with ERR (for files with
 * FILE:LINE): a syntax error; more than MPG_HYPOTHESES_MAX; an unreadable file, one larger than 1 MiB, or one without
 * hypotheses. H must be cleared even after an error. */
int mpg_hypotheses_read(struct mpg_hypotheses *h, const char *path, struct mpg_error *err);
int mpg_hypotheses_add(struct mpg_hypotheses *h, const char *line, struct mpg_error *err);
/* Returns whether GIVEN, the argument of an option that accepts files and hypotheses, is a file. Hypotheses begin
 * with a verb or contain blanks, and no file has that name. */
bool mpg_hypothesis_is_file(const char *given);
/* Adds all N arguments GIVEN, files first, and checks them: the option --hypothesis. */
int mpg_hypotheses_take(struct mpg_hypotheses *h, const char *const *given, size_t n, struct mpg_error *err);
/* Returns -1 with ERR if two hypotheses of H contradict each other in any trace, or are equal. */
int mpg_hypotheses_check(const struct mpg_hypotheses *h, struct mpg_error *err);
void mpg_hypotheses_clear(struct mpg_hypotheses *h);
/* Writes "FILE:LINE: 'TEXT'", or "'TEXT'" for a single line, to BUF of SIZE bytes. Returns BUF. */
char *mpg_hypothesis_name(const struct mpg_hypothesis *x, char *buf, size_t size);
/* Returns whether X changes computation, not communication. */
static inline bool mpg_hypothesis_is_of_work(const struct mpg_hypothesis *x)
{
    return x->kind == MPG_HYPOTHESIS_SCALE || x->kind == MPG_HYPOTHESIS_BALANCE || x->kind == MPG_HYPOTHESIS_INSERT;
}

/* Returns whether X applies to messages and collectives selected by SELECT. */
static inline bool mpg_hypothesis_selects(const struct mpg_hypothesis *x)
{
    return x->kind == MPG_HYPOTHESIS_DROP || x->kind == MPG_HYPOTHESIS_RESIZE;
}

/* Stand for a missing tag or size; an object without tag, or without size, fulfils no condition on it. */
enum { MPG_SELECTED_NO_TAG = -1, MPG_SELECTED_NO_BYTES = -1 };

/* An object that can be selected: a message at its send, a one-sided transfer, a member's part in a collective, or
 * the call that ends an epoch of a window. */
struct mpg_selected {
    enum mpg_call call;
    const char *region; /* NULL: none */
    int32_t site;       /* as in struct mpg_select; -1: not recorded */
    uint64_t placed;    /* bit I: the callsite is the PLACE of hypothesis I */
    int32_t comm;       /* label of the communicator */
    bool is_message; /* FROM, TO (world ranks) and TAG are valid: a message, or a transfer from the calling rank to its target */
    int32_t from, to, tag;
    int64_t bytes;
};
/* Returns whether SELECT selects WHAT, without regard to PLACE. */
bool mpg_select_fits(const struct mpg_select *select, const struct mpg_selected *what);

#endif
