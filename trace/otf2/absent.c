/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OTF2 import of an mpgkit built without libotf2: an error. */
#include "trace/otf2/otf2.h"

int mpg_otf2_import(const char *path, const char *target, int fd, const struct mpg_import_config *config, struct mpg_error *err)
{
    (void)target;
    (void)fd;
    (void)config;
    return mpg_error_set(err, "%s: an OTF2 archive; this mpgkit was built without libotf2 (Debian package "
                              "libopen-trace-format2-dev)", path);
}
