/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds a native trace from definitions and events, in any order of ranks: the target of every reader of another format.
 *
 * Communicators, topologies, windows, files, modules and callsites have labels: numbers from 0, chosen by the reader, unique for
 * each kind. A label is defined before its first use in another definition or an event; only communicator 0, MPI_COMM_WORLD,
 * exists without definition. The builder writes each definition to the streams (threads of ranks) whose events use the
 * definition. The first streams are written at once; events of the other streams are spooled to a temporary file, so open files
 * and memory are bounded by the definitions and do not grow with ranks and events. A struct mpg_build belongs to a single thread.
 *
 * Functions return 0, or -1 with ERR: out of memory, a full disk, or the stated errors. After an error the only valid call is
 * mpg_build_free(). */
#ifndef MPG_BUILD_H
#define MPG_BUILD_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/map.h"
#include "trace/event.h"

struct mpg_build;

enum { MPG_BUILD_MAX_RANKS = 1 << 20, MPG_BUILD_MAX_THREAD = 65535 };

/* Begins a trace of RANKS ranks (1 to MPG_BUILD_MAX_RANKS): with FD -1, writes one file for each stream into the existing
 * folder TARGET; else writes everything to the open file FD, whose name in errors is TARGET. TARGET must outlive the trace.
 * Returns NULL with ERR. */
struct mpg_build *mpg_build_begin(int32_t ranks, const char *target, int fd, struct mpg_error *err);
/* Completes the trace: every rank gets a stream, and communicators unused by events are defined for their members. */
int mpg_build_end(struct mpg_build *b, struct mpg_error *err);
void mpg_build_free(struct mpg_build *b); /* NULL is allowed; files without mpg_build_end() are not whole */

/* A communicator. PARENT: a label, or MPG_NO_COMM. INSTANCE tells communicators with equal groups and parent apart; -1: the
 * number of earlier definitions with equal groups and parent. MEMBERS: SIZE world ranks in the communicator's order, then
 * REMOTE_SIZE of the remote group of an inter-communicator; MPG_FOREIGN: a process of another job. */
struct mpg_build_comm {
    int32_t label, parent, instance, size, remote_size;
    const int32_t *members;
};
/* Defines a communicator. Errors: a label or communicator defined twice, an unknown parent, a rank listed twice as a member. */
int mpg_build_comm(struct mpg_build *b, const struct mpg_build_comm *comm, struct mpg_error *err);

/* Returns the number of earlier calls with equal groups (local and remote group interchangeable) and equal parent: the default
 * instance. Print and import call this function in the same order. Returns -1 if out of memory. */
int32_t mpg_build_next_instance(struct mpg_map *instances, int32_t parent, int32_t size, int32_t remote_size,
                                const int32_t *members);

/* Defines the neighbours of RANK in COMM: SOURCE_NUMBER sources, then DESTINATION_NUMBER destinations, as ranks of COMM or
 * MPG_PROC_NULL. Errors: defined twice; when an event uses the topology: a neighbour outside COMM. */
int mpg_build_topology(struct mpg_build *b, int32_t rank, int32_t comm, uint32_t source_number, uint32_t destination_number,
                       const int32_t *neighbours, struct mpg_error *err);

/* Defines window or file LABEL: the NUMBER-th window, or the NUMBER-th file, on COMM. Windows and files have separate labels.
 * Error: defined twice. */
int mpg_build_object(struct mpg_build *b, enum mpg_object_kind kind, int32_t label, int32_t comm, int32_t number,
                     struct mpg_error *err);

/* Defines module LABEL: BUILD_ID of SIZE bytes, 0 to 64. Error: defined twice. */
int mpg_build_module(struct mpg_build *b, int32_t label, const uint8_t *build_id, uint32_t size, const char *path,
                     struct mpg_error *err);

/* Defines callsite LABEL of N >= 1 frames, innermost first; modules are labels, or -1. Errors: defined twice, an unknown
 * module. */
int mpg_build_site(struct mpg_build *b, int32_t label, uint32_t n, const struct mpg_frame *frames, struct mpg_error *err);

/* Adds the fact KEY VALUE of RANK, or of each rank (RANK -1). "values" sets the number of values of the rank's events, and must
 * come before the rank's other facts and events. Errors: text not allowed in a fact; "values" too late, with more than 64 names,
 * or with a leading or trailing blank. */
int mpg_build_fact(struct mpg_build *b, int32_t rank, const char *key, const char *value, struct mpg_error *err);

/* Adds an event of RANK. comm, newcomm, object and site are labels; NAME is the name of a region or an unknown function, else
 * NULL. Events of each thread come in order of time. A `killed` event becomes the fact "died". Errors: an undefined label, a
 * communicator without RANK, a number of values other than in the fact "values", an enter before the last leave. */
int mpg_build_event(struct mpg_build *b, int32_t rank, const struct mpg_event *event, const char *name, struct mpg_error *err);

/* For formats with offsets of clocks. mpg_build_watch_arrivals() comes before the first event, mpg_build_count_arrivals() after
 * the last event and after the facts "clock": *FOUND counts messages received before being sent, by the offsets and by the ranks'
 * clocks alone. Offsets read with the wrong sign reverse at least as many messages as no offsets. */
struct mpg_build_arrivals {
    uint64_t messages, with, without; /* all messages; messages received before being sent, with and without the offsets */
    int64_t worst_ns;                 /* longest time from a message's receipt to the message's later send, with the offsets */
};
int mpg_build_watch_arrivals(struct mpg_build *b, struct mpg_error *err);
int mpg_build_count_arrivals(struct mpg_build *b, struct mpg_build_arrivals *found, struct mpg_error *err);
/* Counts as mpg_build_count_arrivals(), for a report: writes WORDS and both counts to TEXT of SIZE bytes. *WORSE: number of
 * messages received before being sent with the offsets, if offsets do not reduce this number; else 0. */
int mpg_build_describe_arrivals(struct mpg_build *b, const char *words, char *text, size_t size, uint64_t *worse,
                                struct mpg_error *err);

#endif
