/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading what `mpgtrace record --profile` wrote: for each rank a table of what each
 * callsite did. One rank is in memory at a time, and the sites of all. Belongs to one
 * thread. The format is in mpgtrace(5). */
#ifndef MPG_PROFILE_H
#define MPG_PROFILE_H

#include <stddef.h>

#include "common/error.h"
#include "trace/profile/format.h"
#include "trace/reader.h"

struct mpg_profile;

struct mpg_profile_row {
    enum mpg_call call;
    int32_t site; /* for mpg_profile_site(); MPG_NO_SITE, MPG_OTHER_SITES */
    uint64_t count; /* at least 1 */
    int64_t time_ns, min_ns, max_ns; /* sum, least, most of the calls' times */
    int64_t sent_bytes, received_bytes; /* as mpg_event_bytes() has them */
    const int64_t *values; /* the rank's value_number: sums of what was counted before each of the calls, from the
                            * end of the call before; NULL: nothing was. Until the next rank is read */
};

struct mpg_profile_rank {
    int32_t rank, ranks;
    enum mpg_profile_state state;
    bool runs; /* RUNNING, and the process does when this is read, as this host sees */
    int64_t run_ns;    /* MPI_Init's return to MPI_Finalize's call, or to the last call's return */
    int64_t paused_ns; /* of it, not profiled */
    uint32_t value_number; /* counters; the rank's fact "values" names them, with blanks between */
    size_t row_number;
    const struct mpg_profile_row *rows; /* until the next one is read */
};

/* Whether PATH is a folder or file that holds a profile. */
bool mpg_profile_is(const char *path);

/* Opens the profile in folder PATH, or in one file that is several after each other. */
struct mpg_profile *mpg_profile_open(const char *path, struct mpg_error *err);
/* Reads the next rank, in any order: 1, 0 when all have been read, -1 on damage, or when
 * ranks are missing or there twice (ERR names the file). */
int mpg_profile_next(struct mpg_profile *p, struct mpg_profile_rank *rank, struct mpg_error *err);

/* Fact I of the rank that was read last: its key and value, or false beyond the last. */
bool mpg_profile_fact(const struct mpg_profile *p, size_t i, const char **key, const char **value);

/* Sites and modules of all ranks read so far; equal ones have one number. */
const struct mpg_site *mpg_profile_site(const struct mpg_profile *p, int32_t site);
int32_t mpg_profile_site_count(const struct mpg_profile *p);
const struct mpg_module *mpg_profile_module(const struct mpg_profile *p, int32_t module);

void mpg_profile_close(struct mpg_profile *p); /* NULL is allowed */

#endif
