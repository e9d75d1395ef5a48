/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capacities of shared ports and memories from a signature written by hand: closed forms (TAP). */
#include <math.h>
#include <string.h>

#include "signature/signature.h"
#include "tests/tap.h"

/* The median of each bandwidth differs from its mean. */
static const char text[] =
    "{\"format\": \"mpgkit-signature\", \"version\": [4, 4],\n"
    " \"sharing\": [\n"
    "  {\"placement\": \"node\", \"direction\": \"one\", \"bytes\": 65536, \"pairs\": 3,\n"
    "   \"bandwidth\": {\"n\": 3, \"mean\": 6e9, \"quantiles\": [5e9, 5.5e9, 9e9]}},\n"
    "  {\"placement\": \"between nodes\", \"direction\": \"one\", \"bytes\": 8, \"pairs\": 64,\n"
    "   \"bandwidth\": {\"n\": 3, \"mean\": 3e7, \"quantiles\": [1e7, 2e7, 9e7]}},\n"
    "  {\"placement\": \"between nodes\", \"direction\": \"one\", \"bytes\": 65536, \"pairs\": 1,\n"
    "   \"bandwidth\": {\"n\": 3, \"mean\": 8e7, \"quantiles\": [7e7, 7.5e7, 1e8]}},\n"
    "  {\"placement\": \"between nodes\", \"direction\": \"one\", \"bytes\": 65536, \"pairs\": 2,\n"
    "   \"bandwidth\": {\"n\": 3, \"mean\": 1.2e8, \"quantiles\": [1e8, 1.175e8, 1.5e8]}},\n"
    "  {\"placement\": \"between nodes\", \"direction\": \"one\", \"bytes\": 65536, \"pairs\": 8,\n"
    "   \"bandwidth\": {\"n\": 3, \"mean\": 1.1e8, \"quantiles\": [1e8, 1.055e8, 1.3e8]}},\n"
    "  {\"placement\": \"between nodes\", \"direction\": \"both\", \"bytes\": 1048576, \"pairs\": 2,\n"
    "   \"bandwidth\": {\"n\": 3, \"mean\": 2e8, \"quantiles\": [1e8, 2.1e8, 3e8]}}]}\n";

static void is(const struct mpg_signature *sig, enum mpg_path_class path, int flows, double expected)
{
    const double got = mpg_signature_capacity(sig, path, flows);
    ok(got == expected || fabs(got - expected) <= 1e-12 * expected, "%s, %d flows: %.15g bytes/s (%.15g)", mpg_path_name(path),
       flows, got, expected);
}

int main(void)
{
    struct mpg_error err = {""};
    struct mpg_signature *sig = mpg_signature_parse(text, strlen(text), "by hand", &err), none = {0};
    if (!ok(sig != NULL, "a signature of nothing but sharing curves loads %s", err.text))
        return done();
    is(sig, MPG_PATH_BETWEEN, 1, 7.5e7);
    is(sig, MPG_PATH_BETWEEN, 2, 1.175e8);
    is(sig, MPG_PATH_BETWEEN, 3, 1.155e8);
    is(sig, MPG_PATH_BETWEEN, 7, 1.075e8);
    is(sig, MPG_PATH_BETWEEN, 8, 1.055e8);
    is(sig, MPG_PATH_BETWEEN, 1000, 1.055e8);
    is(sig, MPG_PATH_NODE, 1, 5.5e9);
    is(sig, MPG_PATH_NODE, 3, 5.5e9);
    is(sig, MPG_PATH_NODE, 4, 5.5e9);
    is(sig, MPG_PATH_COMPLEX, 4, INFINITY);
    is(&none, MPG_PATH_BETWEEN, 4, INFINITY);
    ok(mpg_signature_capacity_pairs(sig, MPG_PATH_BETWEEN) == 8 && mpg_signature_capacity_pairs(sig, MPG_PATH_NODE) == 3 &&
           mpg_signature_capacity_pairs(sig, MPG_PATH_COMPLEX) == 0,
       "the numbers of pairs from which on capacities are constant");
    mpg_signature_free(sig);
    return done();
}
