/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The common part of readers of other tools' traces: new request numbers, counts of messages, MPI_Init and MPI_Finalize
 * on every rank, counted assumptions, and the report of an import. Every event goes through mpg_foreign_event() on the
 * way to trace/build/. For the readers in trace/NAME/; not thread-safe. */
#ifndef MPG_FOREIGN_H
#define MPG_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/map.h"
#include "trace/build/build.h"
#include "trace/foreign/comms.h"
#include "trace/format.h"

enum { MPG_FOREIGN_REMARKS = 32 };

struct mpg_foreign {
    const struct mpg_import_config *config;
    struct mpg_build *build;
    const char *name; /* name of the format, in errors and the report */
    int32_t ranks;
    struct mpg_foreign_rank {
        int64_t last_ns, requests; /* leave of the last call; number of requests made */
        bool has_events, has_init, has_finalize, died;
        bool uses_requests; /* set by mpg_calls_run() */
    } *rank;
    struct mpg_map sent, received; /* (communicator, source and destination as world ranks) -> number of messages */
    struct mpg_map open;           /* (rank, the format's number of a request) -> request; 0: none */
    struct mpg_map untraced;       /* (rank, index in `names`) -> number of calls */
    struct mpg_map name_numbers;   /* (hash of a name, number of the collision) -> 1 + index in `names` */
    char **names;                  /* names of functions whose calls become no events */
    size_t name_number;
    uint64_t calls, messages, collectives;
    struct mpg_foreign_remark {
        const char *text;
        uint64_t count;
    } remarks[MPG_FOREIGN_REMARKS];
};

/* Begins a trace of format NAME with RANKS ranks, FD and TARGET as for mpg_build_begin(), and the fact "imported WHAT".
 * Returns 0, or -1 with ERR; the caller calls mpg_foreign_clear() in either case. */
int mpg_foreign_begin(struct mpg_foreign *f, const char *name, const char *what, int32_t ranks, const char *target, int fd,
                      const struct mpg_import_config *config, struct mpg_error *err);
void mpg_foreign_clear(struct mpg_foreign *f);

/* Adds COUNT to the count of the assumption TEXT, a string in static storage. The report and the trace print the count before
 * TEXT. */
void mpg_foreign_remark(struct mpg_foreign *f, const char *text, uint64_t count);
/* Counts a call of RANK of FUNCTION, which becomes no event, for the fact "untraced". Returns 0, or -1 with ERR. */
int mpg_foreign_untraced(struct mpg_foreign *f, int32_t rank, const char *function, struct mpg_error *err);

/* Returns the number of a new request, which the format calls NUMBER on RANK; -1 with ERR: out of memory. */
int64_t mpg_foreign_post(struct mpg_foreign *f, int32_t rank, uint64_t number, struct mpg_error *err);
/* Returns the pending request that the format calls NUMBER on RANK; 0: there is none. TAKE: forgets the request. */
int64_t mpg_foreign_request(struct mpg_foreign *f, int32_t rank, uint64_t number, bool take);

/* Returns an event of CALL with the given times, without new communicator, window, file and callsite; all other fields
 * are 0. */
struct mpg_event mpg_foreign_make(enum mpg_call call, int64_t enter_ns, int64_t leave_ns);
/* Gives EVENT of RANK to the builder, NAME as for mpg_build_event(). COMM: the event's communicator; NULL: none. Times
 * before the last leave by up to 1 us are set to the last leave, and counted. A missing MPI_Init is added before the
 * rank's first call. Returns 0, or -1 with ERR: a peer outside of the communicator, decreasing times. */
int mpg_foreign_event(struct mpg_foreign *f, int32_t rank, struct mpg_event *event, const struct mpg_foreign_comm *comm,
                      const char *name, struct mpg_error *err);

/* Completes the trace: checks that sends and receives are equal in number, adds missing calls of MPI_Finalize, writes
 * facts and the report. CLOCKS: text about clocks for the report. Returns 0, or -1 with ERR. */
int mpg_foreign_end(struct mpg_foreign *f, const char *clocks, struct mpg_error *err);

#endif
