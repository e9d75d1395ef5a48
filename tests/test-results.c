/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of results files and the collection into a signature, on damaged
 * files: refused in one line that names the file, or right; never a crash. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "signature/collect.h"
#include "signature/results.h"
#include "tests/tap.h"

static const char path[] = "test-results.tmp";

#define HEADER "# host: vm\n# cpu: A CPU\n"
static const char *const bases[] = {
    "#mpgresults 1\n# benchmark: ftq\n" HEADER "# core: 3\n# quantum_ns: 1000\n"
    "# columns: start_ns work lost_ns\n0 100 0.5\n1000 99 7.25\n2000 100 0\n# end 3\n",
    "#mpgresults 1\n# benchmark: detour\n" HEADER "# core: 3\n# threshold_ns: 150\n"
    "# span_ns: 5000\n# columns: start_ns duration_ns\n10 200\n1000.5 300.25\n4800 200\n# end 3\n",
    "#mpgresults 1\n# benchmark: pingpong\n" HEADER "# launch: 0\n# path: node\n"
    "# eager_limit_bytes: 4096\n# columns: size_bytes rtt_ns\n8 1000.5\n64 1100\n8 1010\n# end 3\n",
    "#mpgresults 1\n# benchmark: bandwidth\n" HEADER "# launch: 0\n# path: node\n"
    "# columns: size_bytes time_ns ack_ns\n65536 9000 1000.5\n65536 9100 1000.5\n# end 2\n",
};
enum { BASES = sizeof bases / sizeof *bases };

static struct mpg_results *read_text(const char *text, size_t length, struct mpg_error *err)
{
    FILE *f = fopen(path, "w");
    if (!f || fwrite(text, 1, length, f) != length || fclose(f) != 0) {
        printf("Bail out! cannot write %s\n", path);
        exit(1);
    }
    err->text[0] = '\0';
    return mpg_results_read(path, err);
}

/* Whether ERR is one line that starts with the file's name. */
static bool names_file(const struct mpg_error *err)
{
    return strncmp(err->text, path, strlen(path)) == 0 && !strchr(err->text, '\n');
}

/* The signature of R alone; NULL if it is refused, and *GOOD is false if that
 * or the signature is not as it should be. */
static struct mpg_signature *collect(const struct mpg_results *r, bool *good)
{
    struct mpg_error err = {""};
    struct mpg_signature *sig = NULL;
    struct mpg_collect *c = mpg_collect_new(&err);
    if (c && mpg_collect_add(c, r, &err) == 0)
        sig = mpg_collect_finish(c, &err);
    mpg_collect_free(c);
    *good = sig ? mpg_signature_check(sig, &err) == 0 : names_file(&err);
    return sig;
}

static void test_content(void)
{
    struct mpg_error err;
    bool good = false;
    struct mpg_results *r = read_text(bases[1], strlen(bases[1]), &err);
    if (!ok(r != NULL, "detours: read"))
        return;
    ok(r->benchmark == MPG_BENCHMARK_DETOUR && r->samples == 3 &&
           r->column[MPG_DETOUR_START_NS][1] == 1000.5 &&
           r->column[MPG_DETOUR_DURATION_NS][1] == 300.25 && !r->column[2],
       "detours: samples");
    double value = 0;
    ok(mpg_results_number(r, "span_ns", 0, 1e4, &value, &err) == 0 && value == 5000,
       "a number in the header");
    ok(mpg_results_number(r, "span_ns", 0, 1e3, &value, &err) < 0 && names_file(&err),
       "a number out of range: %s", err.text);
    ok(mpg_results_number(r, "none", 0, 1, &value, &err) < 0 && names_file(&err),
       "no such line: %s", err.text);
    struct mpg_signature *sig = collect(r, &good);
    ok(sig && good && sig->cores == 1 && sig->core[0].detours == 3 &&
           sig->core[0].fraction_lost == 700.25 / 5000,
       "detours: signature");
    mpg_signature_free(sig);
    mpg_results_free(r);
    mpg_results_free(NULL);
    mpg_collect_free(NULL);
}

static void test_cut(const char *text, const char *name)
{
    int wrong = 0;
    for (size_t length = 0; length < strlen(text); length++) {
        struct mpg_error err;
        struct mpg_results *r = read_text(text, length, &err);
        wrong += r != NULL || !names_file(&err);
        mpg_results_free(r);
    }
    ok(wrong == 0, "%s cut off at every byte", name);
}

static void test_damaged(const char *base, const char *name, uint64_t state)
{
    static const char likely[] = "0123456789.-+e# :\n\n";
    char text[512];
    size_t length = strlen(base);
    int wrong = 0, read = 0;
    for (int i = 0; i < 3000; i++) {
        struct mpg_error err;
        memcpy(text, base, length);
        for (int changes = 1 + i % 3; changes > 0; changes--) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            size_t pick = (state >> 32) % (sizeof likely - 1);
            text[state % length] = i % 4 ? likely[pick] : (char)(state >> 40);
        }
        struct mpg_results *r = read_text(text, length, &err);
        bool good = r || names_file(&err);
        if (r)
            mpg_signature_free(collect(r, &good));
        read += r != NULL;
        wrong += !good;
        mpg_results_free(r);
    }
    ok(wrong == 0, "%s damaged 3000 times (%d times readable)", name, read);
}

int main(void)
{
    test_content();
    for (int b = 0; b < BASES; b++) {
        const char *name = mpg_benchmark_name((enum mpg_benchmark)b);
        test_cut(bases[b], name);
        test_damaged(bases[b], name, 88172645463325252u + (uint64_t)b);
    }
    unlink(path);
    return done();
}
