/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signatures: read, and written as JSON again. */
#include "signature/signature.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_error err = {""};
    struct mpg_signature *s = mpg_signature_load(fuzz_file(data, size), &err);
    if (!s || mpg_signature_write(s, fuzz_nowhere(), &err) < 0)
        fuzz_check_error(&err);
    mpg_signature_free(s);
    return 0;
}
