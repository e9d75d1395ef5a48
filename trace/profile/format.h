/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The payload of a profile chunk, written in memory by the tracer. mpgtrace(5) is the specification. All integers are
 * little-endian. */
#ifndef MPG_PROFILE_FORMAT_H
#define MPG_PROFILE_FORMAT_H

#include <endian.h>
#include <stdint.h>

/* Layout 1 has no counters. Layout 2 has N > 0 counters: N is in the upper 16 bits of the member `layout`, and N numbers for
 * each row follow the rows. */
enum { MPG_PROFILE_LAYOUT = 1, MPG_PROFILE_COUNTED_LAYOUT = 2, MPG_PROFILE_MAX_VALUES = 64 };

/* Callsite of the row of a call for all callsites without a separate row. */
enum { MPG_OTHER_SITES = -2 };

enum mpg_profile_state {
    MPG_PROFILE_RUNNING,  /* the process is running, or has died */
    MPG_PROFILE_FINALIZED,
    MPG_PROFILE_ENDED     /* by MPI_Abort, or by an exit without MPI_Finalize */
};

/* Head of the payload; rows, counters and definitions follow. Counts are stored after the counted items. */
struct mpg_profile_head {
    uint32_t layout, row_capacity, row_number, definition_capacity, definition_bytes, state;
    int64_t start_ns;  /* leave of MPI_Init */
    int64_t last_ns;   /* leave of the last call; enter, if the last call is MPI_Finalize */
    int64_t paused_ns; /* total time between MPI_Pcontrol(0) and MPI_Pcontrol(1), without the current pause */
    int64_t pause_began_ns; /* begin of the current pause; 0: none */
    uint64_t process;  /* mpg_process_mark() */
};

struct mpg_profile_entry {
    uint32_t call;
    int32_t site; /* number of a defined callsite, MPG_NO_SITE or MPG_OTHER_SITES */
    uint64_t count, time_ns, min_ns, max_ns, sent_bytes, received_bytes, reserved;
};

_Static_assert(sizeof(struct mpg_profile_head) == 64, "as mpgtrace(5) has it");
_Static_assert(sizeof(struct mpg_profile_entry) == 64, "as mpgtrace(5) has it");

/* A definition: a byte of this enum, then varints and, after the lengths, bytes. */
enum mpg_profile_definition {
    MPG_PROFILE_MODULE = 1, /* build id, path */
    MPG_PROFILE_SITE = 2,   /* number of frames; module + 1 and offset of each */
    MPG_PROFILE_FACT = 3    /* key, value */
};

#endif
