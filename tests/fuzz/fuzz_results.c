/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results files (.samples), read one by one like in sigmake. */
#include "signature/make/results.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_error err = {""};
    struct mpg_results *r = mpg_results_read(fuzz_file(data, size), &err);
    double value;
    if (!r)
        fuzz_check_error(&err);
    else
        (void)mpg_results_number(r, "threshold_ns", 0, 1e12, &value, &err);
    mpg_results_free(r);
    return 0;
}
