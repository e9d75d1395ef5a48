/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signatures: reading, writing as JSON, and reduction times at several sizes. */
#include <math.h>
#include <stdlib.h>

#include "signature/signature.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_error err = {""};
    struct mpg_signature *s = mpg_signature_load(fuzz_file(data, size), &err);
    if (!s || mpg_signature_write(s, fuzz_nowhere(), &err) < 0)
        fuzz_check_error(&err);
    for (double bytes = 0; s && bytes < 1e12; bytes = 3 * bytes + 1)
        if (!isfinite(mpg_signature_reduction_ns(s, bytes)) ||
            !isfinite(mpg_signature_reduction_sent_ns(s, bytes)))
            abort();
    mpg_signature_free(s);
    return 0;
}
