/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses lines "RANK ACTION ARGUMENT..." of SimGrid. Private to trace/ti/. */
#ifndef MPG_TI_ACTION_H
#define MPG_TI_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trace/event.h"

enum ti_action_kind { TI_INIT, TI_FINALIZE, TI_COMPUTE, TI_SLEEP, TI_SEND, TI_ISEND, TI_RECV, TI_IRECV, TI_SENDRECV, TI_WAIT,
                      TI_TEST, TI_WAITALL, TI_COLLECTIVE, TI_NOTHING };

/* A parsed line, with reused storage for the words and the list. */
struct ti_action {
    enum ti_action_kind kind;
    int number;                /* index in the list of actions */
    enum mpg_call call;
    const char *name;
    int32_t rank;
    char *rest;                /* the text after the action's name, not split yet */
    char **words;              /* the words after the action's name */
    size_t n, capacity;
    double flops;              /* COMPUTE: work in operations; COLLECTIVE: work after the call */
    double seconds;            /* SLEEP: the time, s */
    bool has_argument;         /* INIT: the action has an argument, and the default datatype is double */
    int32_t partner, tag, source, destination, root;
    int64_t bytes, recvbytes;  /* recvbytes: SENDRECV */
    int64_t *counts;
    size_t count_number, count_capacity;
};

/* Parses rank and action of TEXT, a line without line end, to which A keeps pointers. Returns 1; 0: no action; -1 with ERR. */
int mpg_ti_parse(struct ti_action *a, char *text, struct mpg_error *err);
/* Splits the text after the name of the action into words. Returns 0, or -1 with ERR: out of memory. */
int mpg_ti_split(struct ti_action *a, struct mpg_error *err);
/* Splits and parses the arguments, in a trace of RANKS ranks; default type: double if IS_DOUBLE, else byte. Returns 0, or -1 with
 * ERR. */
int mpg_ti_parse_arguments(struct ti_action *a, int32_t ranks, bool is_double, struct mpg_error *err);
void mpg_ti_clear(struct ti_action *a);

#endif
