/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaces the OTF2 writer in builds without libotf2: each function fails. */
#include "export/otf2/otf2.h"

struct mpg_otf2_writer *mpg_otf2_writer_new(struct mpg_trace *trace, const char *folder, const char *name,
                                            struct mpg_left_out *left, struct mpg_error *err)
{
    (void)trace;
    (void)folder;
    (void)name;
    (void)left;
    mpg_error_set(err, "this mpgkit was built without libotf2 (Debian package libopen-trace-format2-dev), and cannot write OTF2");
    return NULL;
}

struct mpg_sink mpg_otf2_writer_sink(struct mpg_otf2_writer *w)
{
    return (struct mpg_sink){.context = w};
}

void mpg_otf2_writer_free(struct mpg_otf2_writer *w)
{
    (void)w;
}
