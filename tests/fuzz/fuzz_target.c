/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets, mpgtarget(5). Every time of an accepted target can be drawn, and is finite and not negative. */
#include <math.h>
#include <stdlib.h>

#include "simulate/target/parameters.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_error err = {""};
    struct mpg_parameters *p = mpg_parameters_parse((const char *)data, size, "target", &err);
    if (!p) {
        fuzz_check_error(&err);
        return 0;
    }
    if (mpg_parameters_check(p, &err) < 0)
        fuzz_check_error(&err);
    for (int i = 0; i < MPG_PARAMETERS; i++) {
        const struct mpg_address address = {0};
        const double ns = mpg_parameter_draw(p, (enum mpg_parameter)i, &address, 3);
        if (!isfinite(ns) || ns < 0 || !isfinite(mpg_parameter_median(p, (enum mpg_parameter)i)))
            abort();
    }
    if (!mpg_policy_name(p->policy) || !p->topology_text || p->processors < 0 || p->cluster < 1)
        abort();
    mpg_parameters_free(p);
    return 0;
}
