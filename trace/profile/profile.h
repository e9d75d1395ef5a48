/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading profiles written by `mpgtrace record --profile`: for each rank a table of callsites. Holds one rank at a time, and the
 * callsites of all ranks. Belongs to a single thread. mpgtrace(5) describes the format. */
#ifndef MPG_PROFILE_H
#define MPG_PROFILE_H

#include <stddef.h>

#include "common/error.h"
#include "trace/profile/format.h"
#include "trace/reader.h"

struct mpg_profile;

struct mpg_profile_row {
    enum mpg_call call;
    int32_t site; /* a number for mpg_profile_site(), MPG_NO_SITE or MPG_OTHER_SITES */
    uint64_t count; /* number of calls, at least 1 */
    int64_t time_ns, min_ns, max_ns; /* sum, shortest and longest duration of the calls */
    int64_t sent_bytes, received_bytes; /* see mpg_event_bytes() */
    /* the rank's value_number counters, summed over the intervals before the calls; NULL: not counted. Valid until
     * the next rank is read */
    const int64_t *values;
};

struct mpg_profile_rank {
    int32_t rank, ranks;
    enum mpg_profile_state state;
    bool runs; /* state is RUNNING, and the process is running now, as seen from this host */
    int64_t run_ns;    /* leave of MPI_Init to enter of MPI_Finalize, or to the leave of the last call */
    int64_t paused_ns; /* unprofiled part of run_ns */
    uint32_t value_number; /* counters, named in the rank's fact "values", separated by blanks */
    size_t row_number;
    const struct mpg_profile_row *rows; /* rows, valid until the next rank is read */
};

/* Returns whether PATH is a folder or file with a profile. */
bool mpg_profile_is(const char *path);

/* Opens the profile in folder PATH, or in one file of concatenated profiles. Returns NULL with ERR. The caller closes
 * the profile. */
struct mpg_profile *mpg_profile_open(const char *path, struct mpg_error *err);
/* Reads the next rank, in any order. Returns 1; 0 when all ranks have been read; -1 on damage, or when ranks are
 * missing or present twice (ERR names the file). */
int mpg_profile_next(struct mpg_profile *p, struct mpg_profile_rank *rank, struct mpg_error *err);

/* Sets *KEY and *VALUE to the key and value of fact I of the rank read last. Returns false if there is no fact I. */
bool mpg_profile_fact(const struct mpg_profile *p, size_t i, const char **key, const char **value);

/* Return callsites and modules of all ranks read; equal callsites, and equal modules, have a common number. */
const struct mpg_site *mpg_profile_site(const struct mpg_profile *p, int32_t site);
int32_t mpg_profile_site_count(const struct mpg_profile *p);
const struct mpg_module *mpg_profile_module(const struct mpg_profile *p, int32_t module);

void mpg_profile_close(struct mpg_profile *p); /* NULL is allowed */

#endif
