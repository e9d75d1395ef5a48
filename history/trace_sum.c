/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "history/history.h"
#include "history/trace_sum.h"

void mpg_history_trace_sum(const struct mpg_trace *trace, const char *path, char sum[40])
{
    uint64_t of_chunks;
    mpg_history_sum(path, sum);
    if (!*sum && mpg_trace_sum(trace, &of_chunks))
        snprintf(sum, 40, "chunks-%016" PRIx64, of_chunks);
}
