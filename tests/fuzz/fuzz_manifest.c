/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Manifests of mpgscale. An accepted manifest has file names, and labels with keys. */
#include <stdlib.h>

#include "scale/read/labels.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct scale_files files = {0};
    struct mpg_error err = {""};
    if (mpg_scale_files_add_manifest(&files, fuzz_file(data, size), &err) < 0)
        fuzz_check_error(&err);
    for (size_t i = 0; i < files.n; i++) {
        if (!files.file[i].path || !*files.file[i].path)
            abort();
        for (size_t k = 0; k < files.file[i].label_number; k++)
            if (!files.file[i].labels[k].key || !*files.file[i].labels[k].key)
                abort();
    }
    mpg_scale_files_clear(&files);
    return 0;
}
