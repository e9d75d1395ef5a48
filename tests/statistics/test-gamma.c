/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles of the gamma distribution: compared with results of 70 digits and with the exponential distribution, and
 * monotonic. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "statistics/gamma.h"
#include "tests/tap.h"

static void test_reference(const char *path)
{
    char line[256];
    double shape, u, x, worst = 0;
    int n = 0;
    FILE *f = fopen(path, "r");
    if (!f) {
        printf("Bail out! cannot read %s\n", path);
        exit(1);
    }
    bool right = true;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%lf %lf %lf", &shape, &u, &x) == 3) {
            struct mpg_gamma g = mpg_gamma_make(shape);
            double got = mpg_gamma_quantile(&g, u);
            double error = got == x ? 0 : fabs(got / x - 1);
            worst = fmax(worst, error);
            n++;
            if (!(error <= 1e-12)) {
                printf("# shape %.17g at %.17g: %.17g instead of %.17g\n", shape, u, got, x);
                right = false;
            }
        }
    (void)fclose(f);
    printf("# worst relative error %g\n", worst);
    ok(n >= 400 && right, "%d quantiles with 70 digits, shapes 1e-6 to 1e8", n);
}

static void test_exponential(void)
{
    struct mpg_gamma g = mpg_gamma_make(1);
    double worst = 0;
    for (int i = 1; i < 5000; i++) {
        double u = i / 5000.0;
        worst = fmax(worst, fabs(mpg_gamma_quantile(&g, u) / -log1p(-u) - 1));
    }
    ok(worst < 1e-13, "shape 1 is the exponential distribution (%g)", worst);
}

/* Quantiles increase with the probability, over all that can be drawn, and with the shape, also where the method
 * changes. */
static void test_order(void)
{
    static const double shape[] = {1e-300, 1e-30, 1e-9, 1e-3, 1.0 / 9, 0.5, 0.999999, 1, 1.5, 30,
                                   2999.999, 3000, 3000.001, 1e5, 1e9, 1e12, 1e15, 1e18, 1e30};
    enum { SHAPES = sizeof shape / sizeof *shape };
    for (int k = 0; k < SHAPES; k++) {
        struct mpg_gamma g = mpg_gamma_make(shape[k]);
        double before = 0;
        bool right = true;
        for (int i = 0; i <= 1040; i++) { /* from 2^-53 to 1 - 2^-53 */
            double u = i <= 520 ? exp2(i / 10.0 - 53) : 1 - exp2(-1 - (i - 520) / 10.0);
            double x = mpg_gamma_quantile(&g, u);
            if (!(x >= before * (1 - 1e-12)) || !isfinite(x)) {
                printf("# shape %g at %.17g: %.17g after %.17g\n", shape[k], u, x, before);
                right = false;
            }
            before = x;
        }
        ok(right, "shape %g: finite, and never falling", shape[k]);
    }
    struct mpg_gamma below = mpg_gamma_make(3000 - 1e-9), at = mpg_gamma_make(3000);
    double worst = 0;
    for (int i = 1; i < 1000; i++)
        worst = fmax(worst, fabs(mpg_gamma_quantile(&below, i / 1e3) /
                                     mpg_gamma_quantile(&at, i / 1e3) - 1));
    ok(worst < 2e-12, "the expansion for large shapes goes on where the series ends (%g)", worst);
}

int main(int argc, char **argv)
{
    char path[4096];
    const char *top = getenv("top_srcdir");
    snprintf(path, sizeof path, "%s/tests/statistics/gamma_reference.txt", top ? top : ".");
    test_reference(argc > 1 ? argv[1] : path);
    test_exponential();
    test_order();
    return done();
}
