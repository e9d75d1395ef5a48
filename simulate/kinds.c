/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file by itself, for the kinds of files and the kinds of calls have names in common. */
#include "simulate/kinds.h"

#include "common/kind.h"

int mpg_explain_input(const char *path, bool is_trace, struct mpg_error *err)
{
    enum mpg_file_kind found = mpg_kind_of(path);
    bool found_trace = found == MPG_KIND_TRACE || found == MPG_KIND_TRACE_FOLDER ||
                       found == MPG_KIND_TRACE_TEXT;
    if (found == MPG_KIND_UNKNOWN || found == MPG_KIND_ABSENT || found == MPG_KIND_SPECIAL ||
        (is_trace ? found_trace : found == MPG_KIND_SIGNATURE))
        return -1;
    return mpg_kind_wrong(path, found, is_trace ? MPG_KIND_TRACE_FOLDER : MPG_KIND_SIGNATURE, err);
}
