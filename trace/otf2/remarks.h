/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of the assumptions made by the import of an OTF2 archive. Private to trace/otf2/. */
#ifndef MPG_OTF2_REMARKS_H
#define MPG_OTF2_REMARKS_H

#include <stdint.h>

enum otf2_remark {
    OTF2_NULL_SENDS,
    OTF2_NULL_RECEIVES,
    OTF2_SENDS_WITHOUT_REQUEST,
    OTF2_RECEIVES_BY_ORDER,
    OTF2_NEVER_COMPLETED,
    OTF2_PERSISTENT,
    OTF2_SPREAD,
    OTF2_CLAMPED,
    OTF2_MADE_INIT,
    OTF2_MADE_FINALIZE,
    OTF2_SWITCHED_OFF,
    OTF2_DEVICES,
    OTF2_TWICE,
    OTF2_LATE_FLUSHES,
    OTF2_UNKNOWN_REQUESTS,
    OTF2_ONE_SIDED,
    OTF2_ONE_SIDED_REQUESTS,
    OTF2_FILES,
    OTF2_TIMES_ONLY,
    OTF2_WRONG_OFFSETS,
    OTF2_REMARKS
};

struct otf2_remarks {
    uint64_t count[OTF2_REMARKS];
    int64_t time_ns[OTF2_REMARKS]; /* time in calls of which only the times are read */
};

/* Returns the text of REMARK, printed after the count. */
const char *mpg_otf2_remark_text(enum otf2_remark remark);

#endif
