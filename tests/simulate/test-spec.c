/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions on the command line: parsing, quantiles, every error. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gsl/gsl_cdf.h>

#include "simulate/draws/spec.h"
#include "tests/tap.h"

static const double probability[] = {0x1p-53, 1e-9, 0.0137, 0.25, 0.5,
                                     0.632,   0.95, 0.9973, 1 - 0x1p-53};
enum { PROBABILITIES = sizeof probability / sizeof *probability };

static struct mpg_spec parse(const char *text)
{
    struct mpg_spec spec;
    struct mpg_error err;
    if (mpg_spec_parse(text, &spec, &err) < 0) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return spec;
}

static bool near(double u, double got, double expected)
{
    bool same = fabs(got - expected) <= 1e-9 * fmax(1, fabs(expected));
    if (!same)
        printf("# at %.17g: %.17g instead of %.17g\n", u, got, expected);
    return same;
}

static double quantile_const(double u)
{
    (void)u;
    return -2.385;
}

static double quantile_exp(double u)
{
    return gsl_cdf_exponential_Pinv(u, 2385);
}

static double quantile_normal(double u)
{
    return 7130 + gsl_cdf_gaussian_Pinv(u, 1190.5);
}

static double quantile_gamma(double u)
{
    double mean = 313.7, sd = 91.25;
    double shape = mean * mean / sd / sd, scale = sd * sd / mean;
    return u < 0.99 ? gsl_cdf_gamma_Pinv(u, shape, scale) : gsl_cdf_gamma_Qinv(1 - u, shape, scale);
}

static double quantile_lognormal(double u)
{
    double mean = 313.7, sd = 491.25, variance = log(1 + sd * sd / mean / mean);
    return gsl_cdf_lognormal_Pinv(u, log(mean) - variance / 2, sqrt(variance));
}

static double quantile_pareto(double u)
{
    return gsl_cdf_pareto_Pinv(u, 1.7, 2385);
}

static void test_quantiles(void)
{
    static const struct {
        const char *text;
        double (*quantile)(double);
        bool random, negative;
    } cases[] = {
        {"const:-2.385ns", quantile_const, false, true},
        {"exp:2.385us", quantile_exp, true, false},
        {"normal:7130ns,1.1905us", quantile_normal, true, true},
        {"gamma:313.7ns,91.25ns", quantile_gamma, true, false},
        {"lognormal:313.7ns,491.25ns", quantile_lognormal, true, false},
        {"pareto:2.385us,1.7", quantile_pareto, true, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mpg_spec s = parse(cases[i].text);
        bool same = true;
        for (int k = 0; k < PROBABILITIES; k++) {
            double got = mpg_spec_quantile(&s, probability[k]);
            same = near(probability[k], got, cases[i].quantile(probability[k])) &&
                   isfinite(got) && same;
        }
        ok(same, "%s: quantiles", cases[i].text);
        ok(mpg_spec_is_random(&s) == cases[i].random, "random or not");
        ok(mpg_spec_can_be_negative(&s) == cases[i].negative, "negative or not");
        ok(strcmp(s.text, cases[i].text) == 0, "its text");
        mpg_spec_clear(&s);
        ok(!s.text && s.family == MPG_FAMILY_NONE && mpg_spec_quantile(&s, 0.7) == 0,
           "once cleared, it is nothing");
    }
    struct mpg_spec s = parse("lognormal:17.3ns,0");
    ok(near(0.3, mpg_spec_quantile(&s, 0.3), 17.3), "a lognormal without spread is its mean");
    mpg_spec_clear(&s);
    s = parse("exp:0");
    ok(mpg_spec_quantile(&s, 0.3) == 0, "an exponential of mean 0 is 0");
    mpg_spec_clear(&s);
}

/* Mean and standard deviation by the midpoint rule over the quantiles, which misses the far tails and therefore needs a
 * tolerance. */
static void test_moments(void)
{
    static const char *const text[] = {"exp:313.7ns", "normal:313.7ns,91.25ns", "gamma:313.7ns,91.25ns",
                                       "gamma:313.7ns,491.25ns", "lognormal:313.7ns,91.25ns"};
    static const double sd[] = {313.7, 91.25, 91.25, 491.25, 91.25};
    enum { N = 200000 };
    for (int i = 0; i < 5; i++) {
        struct mpg_spec s = parse(text[i]);
        double sum = 0, squares = 0;
        for (int k = 0; k < N; k++) {
            double x = mpg_spec_quantile(&s, (k + 0.5) / N) - 313.7;
            sum += x;
            squares += x * x;
        }
        ok(fabs(sum / N) < 0.05, "%s: its mean is what was asked for", text[i]);
        ok(fabs(sqrt(squares / N) / sd[i] - 1) < 1e-3, "%s: and its deviation", text[i]);
        mpg_spec_clear(&s);
    }
}

/* Valid but unusual distributions. */
static void test_extremes(void)
{
    static const char *const text[] = {
        "exp:31000000s",      "normal:0,1000000000s",  "normal:-1000000000s,1e-300ns",
        "gamma:1us,3us",      "gamma:1us,3s",          "gamma:1ns,1000000000s",
        "gamma:1000000000s,1e-300ns",                  "gamma:1000000000s,1ns",
        "gamma:1e-100ns,1e-100ns",                     "lognormal:1ns,1000000000s",
        "lognormal:1000000000s,1e-300ns",              "pareto:1000000000s,0.5",
        "pareto:1e-300ns,1e300",                       "pareto:1us,0.17"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct mpg_spec s = parse(text[i]);
        double before = -INFINITY;
        bool right = true;
        for (int k = 0; k <= 1040; k++) {
            double u = k <= 520 ? exp2(k / 10.0 - 53) : 1 - exp2(-1 - (k - 520) / 10.0);
            double x = mpg_spec_quantile(&s, u);
            right = right && isfinite(x) && x >= before - 1e-12 * fabs(before);
            before = x;
        }
        ok(right, "%s: finite and never falling", text[i]);
        mpg_spec_clear(&s);
    }
    struct mpg_spec s = parse("gamma:1us,3us");
    double sum = 0;
    for (int k = 0; k < 200000; k++)
        sum += mpg_spec_quantile(&s, (k + 0.5) / 200000);
    ok(fabs(sum / 200000 / 1000 - 1) < 1e-3, "gamma of shape 1/9: its mean is what was asked for");
    mpg_spec_clear(&s);
}

static void test_several(void)
{
    struct mpg_specs list = {0};
    struct mpg_error err = {{0}};
    char text[64];
    ok(mpg_specs_are_for_all(&list) && !mpg_specs_are_random(&list), "none");
    ok(mpg_specs_add(&list, "const:-2ns", &err) == 0 && !mpg_specs_are_random(&list), "one");
    ok(mpg_specs_add(&list, "exp:2us@0,4-7", &err) == 0 && list.n == 2, "two");
    ok(mpg_specs_add(&list, "exp:2", &err) < 0 && list.n == 2, "a wrong one leaves them");
    ok(mpg_specs_are_random(&list) && mpg_specs_can_be_negative(&list) &&
           !mpg_specs_are_for_all(&list), "what any of them is");
    mpg_specs_format(&list, text, sizeof text);
    ok(strcmp(text, "const:-2ns + exp:2us@0,4-7") == 0, "in words");
    mpg_specs_format(&list, text, 8);
    ok(strcmp(text, "const:-") == 0, "cut off");
    ok(mpg_specs_check(&list, 8, &err) == 0, "ranks that are there");
    ok(mpg_specs_check(&list, 7, &err) < 0 &&
           strstr(err.text, "'exp:2us@0,4-7' names rank 7, and the trace has ranks 0 to 6"),
       "a rank that is not");
    mpg_specs_clear(&list);
    ok(list.n == 0, "cleared");
}

static void test_ranks(void)
{
    struct mpg_spec s = parse("const:2.5us@0,4-7");
    ok(s.a == 2500, "the value before @");
    ok(mpg_rank_set_contains(&s.ranks, 0) && mpg_rank_set_contains(&s.ranks, 4) &&
           mpg_rank_set_contains(&s.ranks, 7),
       "ranks that are named");
    ok(!mpg_rank_set_contains(&s.ranks, 1) && !mpg_rank_set_contains(&s.ranks, 3) &&
           !mpg_rank_set_contains(&s.ranks, 8),
       "ranks that are not");
    mpg_spec_clear(&s);
    s = parse("const:2.5us");
    ok(mpg_rank_set_contains(&s.ranks, 123456), "no list: all ranks");
    mpg_spec_clear(&s);
}

static char folder[] = P_tmpdir "/mpgkit-test-spec-XXXXXX", path[sizeof folder + 16],
            with_path[sizeof path + 8];

static const char *file_of(const char *content)
{
    FILE *f = fopen(path, "w");
    if (!f || fputs(content, f) < 0 || fclose(f) != 0) {
        printf("Bail out! cannot write %s\n", path);
        exit(1);
    }
    return with_path;
}

static void test_file(void)
{
    struct mpg_spec s = parse(file_of("2.385 -7.13\n11.9\n\n0.0625\n3.7"));
    ok(near(0.5, mpg_spec_quantile(&s, 0.5), 2.385), "samples: median");
    ok(near(0.9, mpg_spec_quantile(&s, 0.9), 11.9), "samples: the last fifth");
    ok(near(0.8, mpg_spec_quantile(&s, 0.8), 3.7 + 0.2 * (11.9 - 3.7)), "samples: between two");
    ok(mpg_spec_quantile(&s, 0x1p-53) >= -7.13 && mpg_spec_quantile(&s, 1 - 0x1p-53) <= 11.9,
       "samples: never beyond the extremes");
    ok(mpg_spec_is_random(&s) && mpg_spec_can_be_negative(&s), "samples: some are negative");
    mpg_spec_clear(&s);
    s = parse(file_of("17.25\n"));
    ok(mpg_spec_quantile(&s, 0.3) == 17.25 && !mpg_spec_can_be_negative(&s), "one sample");
    mpg_spec_clear(&s);
    s = parse(file_of("2.385us 17 1e-3ms\n-3ns"));
    ok(near(0.999999, mpg_spec_quantile(&s, 1 - 0x1p-53), 2385) && near(0.5, mpg_spec_quantile(&s, 2 / 3.0), 1000) &&
           mpg_spec_quantile(&s, 0x1p-53) >= -3, "samples with units, beside one of ns");
    mpg_spec_clear(&s);
}

static void fails_as(int status, const char *text, const char *words)
{
    struct mpg_spec spec = {.a = 4711};
    struct mpg_error err = {{0}};
    int got = mpg_spec_parse(text, &spec, &err);
    if (got == 0)
        mpg_spec_clear(&spec);
    bool right = got == status && strstr(err.text, words) && strstr(err.text, text) &&
                 spec.a == 4711;
    if (!right)
        printf("# '%s': %d, %s\n", text, got, got < 0 ? err.text : "accepted");
    ok(right, "'%s' is refused", text);
}

static void fails(const char *text, const char *words)
{
    fails_as(-1, text, words);
}

/* The option is valid, but its file is not. */
static void fails_to_read(const char *text, const char *words)
{
    fails_as(MPG_SPEC_UNREADABLE, text, words);
}

static void test_errors(void)
{
    fails("", "neither a time");
    fails("2", "'2' has no unit");
    fails("2us,3us", "2us,3us");
    fails("cauchy:1", "unknown distribution 'cauchy'");
    fails("Exp:1us", "unknown distribution 'Exp'");
    fails("const", "neither a time like 100ns nor FAMILY:PARAMETERS");
    fails("expp:1us", "did you mean exp?");
    fails("const:", "const:TIME");
    fails("const:1ns,2ns", "needs 1 parameter");
    fails("const:soon", "soon");
    fails("const:1fortnight", "fortnight");
    fails("const:nan", "nan");
    fails("const:inf", "inf");
    fails("exp:-1us", "out of range");
    fails("exp:1us,2us", "needs 1 parameter");
    fails("normal:1us", "needs 2 parameters");
    fails("normal:1us,", "normal:MEAN,SD");
    fails("normal:1us,-1ns", "out of range");
    fails("normal:1ns,2ns,3", "normal:MEAN,SD");
    fails("gamma:0,1ns", "out of range");
    fails("gamma:1ns,0", "out of range");
    fails("lognormal:0,1ns", "out of range");
    fails("lognormal:1ns,-1ns", "out of range");
    fails("pareto:0,1", "out of range");
    fails("pareto:1us,0", "out of range");
    fails("pareto:1us,2us", "2us");
    fails("const:1us@", "");
    fails("const:1us@x", "x");
    fails("const:1us@7-4", "7-4");
    fails("const:1us@-1", "-1");
    fails("const:10", "'10' has no unit: write 10ns, 10us, 10ms or 10s");
    fails("exp:0.5", "'0.5' has no unit");
    fails("normal:1us,2", "'2' has no unit");
    fails("normal:1,2us", "'1' has no unit");
    fails("const:1 us", "unknown unit ' us'");
    fails("const:-7us9", "us9");
    fails("const:1e308s", "more than 31 years");
    fails("const:-1e19ns", "more than 31 years");
    fails("const:1e999ns", "1e999");
    fails("lognormal:1us,1e200s", "more than 31 years");
    fails("lognormal:1e-300ns,1s", "too large");
    fails("gamma:1e-300ns,1s", "too large");
    fails("pareto:1us,0.01", "too large");
    fails("pareto:1us,1e-300", "too large");
    fails("pareto:1us,inf", "inf");
    fails("file:", "needs a PATH");
    fails("file:@1", "needs a PATH");
    fails_to_read("file:/no/such/file", "No such file");
    fails_to_read("file:/", "Is a directory");
    fails_to_read(file_of(""), "no numbers");
    fails_to_read(file_of("1 2 three\n"), "holds other text than numbers");
    fails_to_read(file_of("1\n# 2\n"), "holds other text than numbers");
    fails_to_read(file_of("1us 2 us\n"), "holds other text than numbers");
    fails_to_read(file_of("1us 2m\n"), "holds other text than numbers");
    fails_to_read(file_of("1usec\n"), "holds other text than numbers");
    fails_to_read(file_of("1\nnan\n"), "sample 2 is not finite");
    fails_to_read(file_of("1e15s\n"), "sample 1 is more than 31 years");
    fails_to_read(file_of("1\n-inf\n"), "sample 2 is not finite");
    fails_to_read(file_of("1e200\n"), "sample 1 is more than 31 years");
}

int main(void)
{
    if (!mkdtemp(folder)) {
        printf("Bail out! no temporary folder\n");
        return 1;
    }
    snprintf(path, sizeof path, "%s/samples", folder);
    snprintf(with_path, sizeof with_path, "file:%s", path);
    test_quantiles();
    test_moments();
    test_extremes();
    test_several();
    test_ranks();
    test_file();
    test_errors();
    (void)remove(path);
    (void)rmdir(folder);
    return done();
}
