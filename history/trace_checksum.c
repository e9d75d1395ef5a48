/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "history/history.h"
#include "history/trace_checksum.h"

void mpg_history_trace_checksum(const struct mpg_trace *trace, const char *path, char sum[40])
{
    uint64_t of_chunks;
    mpg_history_checksum(path, sum);
    if (!*sum && mpg_trace_sum(trace, &of_chunks))
        snprintf(sum, 40, "chunks-%016" PRIx64, of_chunks);
}
