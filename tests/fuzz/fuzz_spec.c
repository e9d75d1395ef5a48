/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of options: distributions, times, sizes, numbers, sets of ranks. Every value of an accepted option is finite. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "simulate/draws/spec.h"
#include "tests/fuzz/fuzz.h"

static void parse_spec(const char *text)
{
    struct mpg_error err = {""};
    struct mpg_spec spec;
    if (strstr(text, "file:")) /* FILE could be any file of this machine */
        return;
    if (mpg_spec_parse(text, &spec, &err) < 0) {
        fuzz_check_error(&err);
        return;
    }
    static const double where[] = {1e-9, 0.25, 0.5, 0.999};
    for (size_t i = 0; i < sizeof where / sizeof *where; i++)
        if (!isfinite(mpg_spec_quantile(&spec, where[i])))
            abort();
    (void)mpg_rank_set_contains(&spec.ranks, 3);
    mpg_spec_clear(&spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_error err;
    double time_ns, real;
    int64_t bytes, integer;
    struct mpg_rank_set set;
    char buffer[64], *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    parse_spec(text);
    if (mpg_units_parse_time(text, &time_ns, &err) == 0 && !isfinite(time_ns))
        abort();
    if (mpg_units_parse_real(text, &real, &err) == 0) {
        if (!isfinite(real))
            abort();
        mpg_units_format_time(buffer, sizeof buffer, real);
    }
    (void)mpg_units_parse_size(text, &bytes, &err);
    if (mpg_units_parse_int(text, &integer, &err) == 0)
        mpg_units_format_size(buffer, sizeof buffer, integer);
    if (mpg_rank_set_parse(text, &set, &err) == 0) {
        (void)mpg_rank_set_contains(&set, 2);
        mpg_rank_set_clear(&set);
    }
    free(text);
    return 0;
}
