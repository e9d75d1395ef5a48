/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of each remark on assumptions of the import. */
#include "trace/otf2/remarks.h"

static const char *const texts[OTF2_REMARKS] = {
    [OTF2_NULL_SENDS] = "sends without a message record: taken as sends to MPI_PROC_NULL",
    [OTF2_NULL_RECEIVES] = "receives without a message record: taken as receives from MPI_PROC_NULL",
    [OTF2_SENDS_WITHOUT_REQUEST] = "nonblocking sends without a request: no call waits for them",
    [OTF2_RECEIVES_BY_ORDER] = "nonblocking receives without a request: completed in the order of posting",
    [OTF2_NEVER_COMPLETED] = "nonblocking receives that never complete: source, tag and size unknown",
    [OTF2_PERSISTENT] = "starts of persistent requests: shown as nonblocking sends and receives",
    [OTF2_SPREAD] = "collectives whose bytes are recorded as a sum: spread evenly over the members",
    [OTF2_CLAMPED] = "times up to 1 us before the previous record: set to that record's time",
    [OTF2_MADE_INIT] = "ranks without MPI_Init: added at the first call",
    [OTF2_MADE_FINALIZE] = "ranks without MPI_Finalize: added after the last call",
    [OTF2_SWITCHED_OFF] = "interruptions of recording (recording switched off): calls meanwhile are missing",
    [OTF2_DEVICES] = "streams of accelerators: left out, their time is inside the host's calls and computation",
    [OTF2_TWICE] = "definitions with the number of an earlier one: left out",
    [OTF2_LATE_FLUSHES] = "writes of the recorder's buffer inside calls: part of the call",
    [OTF2_WRONG_OFFSETS] = "messages arrive before they left: the archive's clock offsets do not make them fewer",
    [OTF2_UNKNOWN_REQUESTS] = "completions of requests that no call posted: left out",
    [OTF2_ONE_SIDED] = "calls of one-sided communication without records: only their times are read",
    [OTF2_ONE_SIDED_REQUESTS] = "one-sided operations with a request: shown as operations without",
    [OTF2_FILES] = "calls of MPI-IO: only their times are read",
    [OTF2_TIMES_ONLY] = "other calls without records of messages: only their times are read",
};

const char *mpg_otf2_remark_text(enum otf2_remark remark)
{
    return texts[remark];
}
