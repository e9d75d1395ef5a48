/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets, mpgtarget(5). Every time of an accepted target can be drawn, and is finite and not negative; routes have existing
 * links, no more than the longest route, and lead back over as many. */
#include <math.h>
#include <stdlib.h>

#include "simulate/target/parameters.h"
#include "tests/fuzz/fuzz.h"

/* Follows the routes between some pairs of the hosts of X. */
static void check_routes(const struct mpg_layout *x)
{
    static uint32_t link[1000];
    const uint32_t hosts = (uint32_t)mpg_layout_hosts(x), links = mpg_layout_links(x);
    for (uint32_t i = 0; i < 20 && hosts > 0; i++) {
        const int32_t a = (int32_t)(i * 2654435761u % hosts), b = (int32_t)((i + 7) * 40503u % hosts);
        const uint32_t n = mpg_layout_route(x, a, b, link);
        if (n > mpg_layout_longest(x) || mpg_layout_route(x, b, a, NULL) != n || (a == b && n > 0))
            abort();
        for (uint32_t k = 0; k < n; k++)
            if (link[k] >= links || mpg_layout_level(x, link[k]) >= mpg_layout_levels(x))
                abort();
    }
}

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
    check_routes(&p->layout);
    mpg_parameters_free(p);
    return 0;
}
