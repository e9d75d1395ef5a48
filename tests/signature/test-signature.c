/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signature files of version 1, which are in use: exact round trips, every error named, damage never a crash; and records that
 * cannot be written. */
#include <math.h>
#include <unistd.h>

#include "tests/signature/signature_file.h"
#include "tests/tap.h"

static const char path[] = "test-signature.tmp";

static const char base[] =
    "{\"format\": \"mpgkit-signature\", \"version\": [1, 0],\n"
    " \"header\": {\"host\": \"vm\", \"cpu\": \"Caf\\u00e9 \\\"9\\\"\"},\n"
    " \"results\": {\"ftq-core3.samples\": \"crc32 0badcafe\"},\n"
    " \"noise\": [\n"
    "  {\"core\": 3, \"threshold_ns\": 412.5, \"span_ns\": 1e6, \"fraction_lost\": 0.00205,\n"
    "   \"detours\": {\"start_ns\": [10, 2000.25, 30000], \"duration_ns\": [1500.1, 200, 349.9]},\n"
    "   \"ftq\": {\"quantum_ns\": 1000.5,\n"
    "    \"lost_ns\": {\"n\": 4, \"mean\": 1, \"sd\": 1, \"lag1\": 0, \"quantiles\": [0, 2]}}},\n"
    "  {\"core\": 5, \"threshold_ns\": 400, \"span_ns\": 7e5}],\n"
    " \"network\": {\"eager_limit_bytes\": 4096,\n"
    "  \"latency\": [\n"
    "   {\"size_bytes\": 0, \"one_way_ns\":\n"
    "    {\"n\": 9, \"mean\": 300.1, \"sd\": 1.5, \"lag1\": 0.25, \"quantiles\": [298, 300, 305]}},\n"
    "   {\"size_bytes\": 64, \"one_way_ns\":\n"
    "    {\"n\": 9, \"mean\": 310, \"sd\": 1.5, \"lag1\": 0.25, \"quantiles\": [308, 311, 315]}}],\n"
    "  \"bandwidth\": [\n"
    "   {\"size_bytes\": 65536, \"transfer_ns\":\n"
    "    {\"n\": 2, \"mean\": 7e3, \"sd\": 10, \"lag1\": -1, \"quantiles\": [6990, 7010]}}]}}\n";

static struct mpg_signature *load(const char *text, struct mpg_error *err)
{
    return load_bytes(path, text, strlen(text), err);
}

static char *edit(const char *from, const char *to)
{
    return edit_text(base, from, to);
}

static void test_content(void)
{
    struct mpg_error err;
    struct mpg_signature *sig = load(base, &err);
    if (!ok(sig != NULL, "loads"))
        return;
    const struct mpg_noise_core *c = &sig->core[0];
    ok(strcmp(sig->path, path) == 0, "knows its path");
    ok(sig->facts == 2 && strcmp(mpg_fact_find(sig->fact, sig->facts, "cpu"), "Café \"9\"") == 0 &&
           !mpg_fact_find(sig->fact, sig->facts, "kernel"),
       "header");
    ok(sig->sources == 1 && strcmp(sig->source[0].value, "crc32 0badcafe") == 0, "results");
    ok(sig->cores == 2 && c->core == 3 && c->threshold_ns == 412.5 && c->span_ns == 1e6,
       "core");
    ok(c->detours == 3 && c->start_ns[1] == 2000.25 && c->duration_ns[2] == 349.9, "detours");
    ok(fabs(c->fraction_lost - 0.00205) < 1e-15, "fraction lost");
    ok(c->gap_ns && c->gap_ns->n == 2 && fabs(c->gap_ns->quantiles[0] - 490.15) < 1e-9 &&
           fabs(c->gap_ns->mean - (490.15 + 27799.75) / 2) < 1e-9,
       "gaps follow from the detours");
    ok(c->length_ns && c->length_ns->n == 3 && c->length_ns->quantiles[0] == 200,
       "durations follow from the detours");
    ok(c->ftq.quantum_ns == 1000.5 && c->ftq.lost_ns->n == 4, "quanta");
    ok(sig->core[1].detours == 0 && !sig->core[1].gap_ns && !sig->core[1].ftq.lost_ns &&
           sig->core[1].fraction_lost == 0,
       "a core without a detour");
    ok(sig->network[0].latency.n == 2 && sig->network[0].latency.size[1].size_bytes == 64 &&
           sig->network[0].latency.size[1].time_ns->quantiles[2] == 315,
       "latency");
    ok(sig->network[0].bandwidth.n == 1 && sig->network[0].bandwidth.size[0].time_ns->lag1 == -1, "bandwidth");
    ok(sig->network[0].eager_limit_bytes == 4096, "eager limit");
    mpg_signature_free(sig);
    mpg_signature_free(NULL);
}

/* In version 1 the header describes the only path. */
static void test_header_of_path(void)
{
    struct mpg_error err = {""};
    char *text = edit("\"host\": \"vm\"", "\"path\": \"between nodes\", \"one_way\": \"guessed\"");
    struct mpg_signature *sig = load(text, &err);
    ok(sig && sig->paths == 1 && sig->network[0].path == MPG_PATH_BETWEEN &&
           strcmp(sig->network[0].one_way, "guessed") == 0,
       "path and one_way from the header %s", err.text);
    mpg_signature_free(sig);
    free(text);
    sig = load(base, &err);
    ok(sig && sig->network[0].path == MPG_PATH_NODE && !sig->network[0].one_way &&
           mpg_signature_path(sig, MPG_PATH_NODE) == mpg_signature_farthest(sig) &&
           !mpg_signature_path(sig, MPG_PATH_COMPLEX),
       "without them: node, and nothing said");
    mpg_signature_free(sig);
}

static void test_round_trip(void)
{
    struct mpg_error err;
    struct mpg_signature *sig = load(base, &err);
    sig->core[0].start_ns[1] = 2000 + 1 / 3.0;
    sig->core[0].threshold_ns = nextafter(412.5, 413);
    char *once = write_text(sig);
    struct mpg_signature *again = load(once, &err);
    if (ok(again != NULL, "what is written loads")) {
        char *twice = write_text(again);
        ok(strcmp(once, twice) == 0, "write, load, write gives the same bytes");
        ok(again->core[0].start_ns[1] == 2000 + 1 / 3.0 &&
               again->core[0].threshold_ns == nextafter(412.5, 413),
           "every bit of a number survives");
        free(twice);
    }
    mpg_signature_free(again);
    sig->core[0].start_ns[0] = -1;
    FILE *nowhere = fopen(path, "w");
    ok(mpg_signature_write(sig, nowhere, &err) < 0 && ftell(nowhere) == 0,
       "a wrong signature is not written: %s", err.text);
    fclose(nowhere);
    sig->core[0].start_ns[0] = 10;
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        ok(mpg_signature_write(sig, full, &err) < 0 && strstr(err.text, "No space"),
           "a full disk: %s", err.text);
        fclose(full);
    }
    mpg_signature_free(sig);
    free(once);
}

static void test_accepted(void)
{
    static const struct {
        const char *name, *from, *to;
    } cases[] = {
        {"unknown keys", "\"noise\"", "\"more\": {\"a\": [1]}, \"noise\""},
        {"unknown keys in a core", "\"core\": 3", "\"lines_hz\": [100], \"core\": 3"},
        {"unknown keys in a distribution", "\"n\": 9", "\"fit\": null, \"n\": 9"},
        {"a newer minor version", "[1, 0]", "[1, 17]"},
        {"no fraction lost", "\"fraction_lost\": 0.00205,", ""},
        {"no header", "\"header\"", "\"headless\""},
        {"no noise", "\"noise\"", "\"noiseless\""},
        {"no network", "\"network\"", "\"networkless\""},
        {"no eager limit", "\"eager_limit_bytes\": 4096,", ""},
        {"no send is eager", "\"eager_limit_bytes\": 4096", "\"eager_limit_bytes\": -1"},
        {"detours that touch", "2000.25", "1510.1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mpg_error err = {""};
        char *text = edit(cases[i].from, cases[i].to);
        struct mpg_signature *sig = load(text, &err);
        ok(sig != NULL, "accepted: %s %s", cases[i].name, err.text);
        mpg_signature_free(sig);
        free(text);
    }
    struct mpg_error err;
    struct mpg_signature *sig = load("{\"format\": \"mpgkit-signature\", \"version\": [1, 0]}", &err);
    if (ok(sig != NULL, "accepted: nothing measured"))
        ok(sig->cores == 0 && sig->paths == 0 && !mpg_signature_farthest(sig) &&
               !mpg_signature_path(sig, MPG_PATH_NODE),
           "nothing measured: empty");
    mpg_signature_free(sig);
}

static void test_rejected(void)
{
    static const struct {
        const char *from, *to, *says;
    } cases[] = {
        {"mpgkit-signature", "other", "format"},
        {"[1, 0]", "[5, 0]", "version is 5.0"},
        {"[1, 0]", "[0, 9]", "version is 0.9"},
        {"[1, 0]", "1", "version"},
        {"[1, 0]", "[1, \"0\"]", "version"},
        {"\"vm\"", "7", "header: host"},
        {"\"host\": \"vm\"", "\"path\": \"rack\"", "header: path: 'rack' is not a path class"},
        {"\"vm\"", "\"a\\nb\"", "header"},
        {"{\"host\": \"vm\"", "{\"host\": \"a\", \"host\": \"b\"", "duplicate"},
        {"\"crc32 0badcafe\"", "[]", "results: ftq-core3.samples"},
        {"\"noise\": [", "\"noise\": 3, \"x\": [", "noise is not an array"},
        {"\"core\": 3", "\"kore\": 3", "noise[0]: core is missing"},
        {"\"core\": 3", "\"core\": -3", "noise[0]: core"},
        {"\"core\": 3", "\"core\": 3.5", "noise[0]: core"},
        {"\"core\": 3", "\"core\": 5000000000", "noise[0]: core"},
        {"\"core\": 5", "\"core\": 3", "noise[1]: core"},
        {"412.5", "-412.5", "noise[0]: threshold_ns"},
        {"412.5", "\"412.5\"", "noise[0]: threshold_ns"},
        {"412.5", "NaN", "line 5"},
        {"412.5", "1e999", "line 5"},
        {"1e6", "1e4", "noise[0]: detours: start_ns[2]"},
        {"0.00205", "0.5", "noise[0]: fraction_lost"},
        {"0.00205", "\"x\"", "noise[0]: fraction_lost"},
        {"[10,", "[-10,", "noise[0]: detours: start_ns[0]"},
        {"[10,", "[2100,", "noise[0]: detours: start_ns[1]"},
        {"[10,", "[true,", "noise[0]: detours: start_ns[0]"},
        {"2000.25", "1510.0", "noise[0]: detours: start_ns[1]"},
        {"200, 349.9", "-200, 349.9", "noise[0]: detours: duration_ns[1]"},
        {"349.9", "1e6", "noise[0]: detours: duration_ns[2]"},
        {", 349.9", "", "noise[0]: detours: start_ns has 3 values, duration_ns has 2"},
        {"1000.5", "-1000.5", "noise[0]: ftq: quantum_ns"},
        {"\"quantum_ns\": 1000.5,", "", "noise[0]: ftq: quantum_ns and lost_ns"},
        {"[0, 2]", "[-1, 2]", "noise[0]: ftq: lost_ns: quantiles[0]"},
        {"[0, 2]", "[2]", "noise[0]: ftq: lost_ns: quantiles has 1 values"},
        {"[0, 2]", "[2, 0]", "noise[0]: ftq: lost_ns: quantiles[1]"},
        {"[0, 2]", "[0, null]", "noise[0]: ftq: lost_ns: quantiles[1]"},
        {"\"span_ns\": 7e5", "\"gap_ns\": {\"n\": 1, \"quantiles\": [0, 0]}", "noise[1]: gap_ns"},
        {"[298, 300, 305]", "[298, 300, 305], \"probabilities\": [0, 0.4]",
         "quantiles has 3 values, probabilities has 2"},
        {"[298, 300, 305]", "[298, 300, 305], \"probabilities\": []",
         "quantiles has 3 values, probabilities has 0"},
        {"[298, 300, 305]", "[298, 300, 305], \"probabilities\": [0, 0.4, 0.5, 1]",
         "quantiles has 3 values, probabilities has 4"},
        {"[298, 300, 305]", "[298, 300, 305], \"probabilities\": [0, 0.4, 0.99]",
         "probabilities do not begin with 0"},
        {"[298, 300, 305]", "[298, 300, 305], \"probabilities\": [0.1, 0.4, 1]",
         "probabilities do not begin with 0"},
        {"[298, 300, 305]", "[298, 300, 305], \"probabilities\": [0, -0.4, 1]",
         "probabilities[1] is -0.4"},
        {"[298, 300, 305]", "[298, 300, 305], \"probabilities\": [0, 1.4, 1]",
         "probabilities[2] is 1, below"},
        {"[298, 300, 305]", "[298, 300, 305], \"probabilities\": [0, 0, 1]",
         "probabilities[1] is 0 again"},
        {"[298, 300, 305]", "[298, 300, 305], \"probabilities\": [0, 1, 1]",
         "probabilities[2] is 1 again"},
        {"[298, 300, 305]", "[298, 300, 305], \"probabilities\": [0, null, 1]",
         "probabilities[1] is not a number"},
        {"[298, 300, 305]", "[298, 300, 305], \"probabilities\": [0, \"0.5\", 1]",
         "probabilities[1] is not a number"},
        {"[298, 300, 305]", "[298, 300, 305], \"probabilities\": 7",
         "probabilities is not an array"},
        {"[298, 300, 305]", "[298, 299, 300, 301, 305], \"probabilities\": [0, 0.5, 0.5, 0.5, 1]",
         "probabilities[3] is 0.5 again"},
        {"[298, 300, 305]", "[298, 300, 305], \"probabilities\": [0, NaN, 1]", "NaN"},
        {"[298, 300, 305]", "[298, 300, 299], \"probabilities\": [0, 0.5, 1]", "quantiles[2]"},
        {"\"n\": 9", "\"n\": 0", "network: latency[0]: one_way_ns: n is 0"},
        {"\"n\": 9", "\"n\": 1.5", "network: latency[0]: one_way_ns: n"},
        {"\"n\": 9,", "", "network: latency[0]: one_way_ns: n is missing"},
        {"\"mean\": 300.1,", "", "network: latency[0]: one_way_ns: mean is missing"},
        {"300.1", "3000", "network: latency[0]: one_way_ns: mean"},
        {"\"sd\": 1.5", "\"sd\": -1.5", "network: latency[0]: one_way_ns: sd"},
        {"\"lag1\": 0.25", "\"lag1\": 2.5", "network: latency[0]: one_way_ns: lag1"},
        {"\"size_bytes\": 64", "\"size_bytes\": 0", "network: node: latency[1]: size_bytes"},
        {"\"size_bytes\": 64", "\"size_bytes\": 64.5", "network: latency[1]: size_bytes"},
        {"\"one_way_ns\"", "\"time_ns\"", "network: latency[0]: one_way_ns is missing"},
        {"[6990", "[-1", "network: node: bandwidth[0]: transfer_ns: quantiles[0]"},
        {"4096", "-2", "network: eager_limit_bytes"},
        {"4096", "\"4096\"", "network: eager_limit_bytes"},
        {"4096", "99999999999999999999", "line 10"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mpg_error err = {"accepted"};
        char *text = edit(cases[i].from, cases[i].to);
        struct mpg_signature *sig = load(text, &err);
        ok(!sig && strncmp(err.text, path, strlen(path)) == 0 && strstr(err.text, cases[i].says) &&
               !strchr(err.text, '\n'),
           "rejected: %s", err.text + (sig ? 0 : strlen(path) + 2));
        mpg_signature_free(sig);
        free(text);
    }
}

static void test_unreadable(void)
{
    struct mpg_error err;
    ok(!mpg_signature_load("no-such-file.sig", &err) && strstr(err.text, "no-such-file.sig: No"),
       "no file: %s", err.text);
    ok(!mpg_signature_load(".", &err) && strstr(err.text, ".: a folder, not a signature"), "a folder: %s",
       err.text);
    ok(!load("", &err), "empty: it says so");
    ok(!load("[]", &err) && strstr(err.text, "format"), "no object");
    ok(!load("{\"format\": \"\xff\"}", &err) && strstr(err.text, "decode"), "not UTF-8: %s", err.text);
}

/* Arrays with one element above the limit are refused. */
static void test_caps(void)
{
    struct mpg_error err;
    enum { MANY = MPG_SIGNATURE_MAX_DETOURS + 1 };
    char *zeros = malloc(2 * MANY + 16), *text;
    if (!zeros)
        return;
    for (int i = 0; i < MANY; i++)
        memcpy(zeros + 2 * i, "0,", 2);
    strcpy(zeros + 2 * MANY, "10,");
    zeros[0] = '[';
    zeros[1] = ' ';
    text = edit("[10,", zeros);
    ok(!load(text, &err) && strstr(err.text, "more than 1000000"),
       "too many detours are rejected");
    free(text);
    zeros[2 * (MPG_DISTRIBUTION_MAX_KNOTS + 1)] = '\0';
    strcat(zeros, "0,");
    text = edit("[0,", zeros);
    ok(!load(text, &err) && strstr(err.text, "more than 65537"),
       "too many knots are rejected");
    free(text);
    free(zeros);
}

static void test_damage(void)
{
    ok(cut_silently(path, base, 1) == 0, "cut off at every byte: rejected with one line");
    ok(damaged_silently(path, base, 4000) == 0, "4000 damaged files: rejected, or right");
}

/* Truncated detour records must be packed. If packing fails, the error gives the reason. */
static void test_unpackable(void)
{
    struct mpg_error err = {.text = ""};
    static double start[] = {10, 1e3 / 3}, duration[] = {5, 50}, part_start[] = {10},
                  part_duration[] = {5};
    static struct mpg_noise_block block[] = {{.from_ns = 0, .to_ns = 15, .detours = 1}};
    struct mpg_noise_core core = {
        .core = 0, .threshold_ns = 1, .span_ns = 1e6, .detours = 1, .start_ns = start + 1,
        .duration_ns = duration + 1, .fraction_lost = 1e-4,
        .blocks = {.recorded = 9, .min_ns = 50, .n = 1, .block = block, .detours = 1,
                   .start_ns = part_start, .duration_ns = part_duration}};
    struct mpg_signature sig = {.cores = 1, .core = &core};
    FILE *nowhere = fopen(path, "w");
    if (!nowhere)
        bail("cannot write", path);
    ok(mpg_signature_write(&sig, nowhere, &err) < 0 &&
           strstr(err.text, "noise[0]: detours: times of a record in part are no whole"),
       "not written: %s", err.text);
    start[1] = 333;
    ok(mpg_signature_write(&sig, nowhere, &err) == 0, "the same in whole ns is written");
    core.span_ns = 1e18;
    start[1] = 1e16;
    ok(mpg_signature_write(&sig, nowhere, &err) < 0 && strstr(err.text, "below 2^53"),
       "not written: %s", err.text);
    fclose(nowhere);
}

int main(void)
{
    test_content();
    test_header_of_path();
    test_round_trip();
    test_accepted();
    test_rejected();
    test_unreadable();
    test_caps();
    test_unpackable();
    test_damage();
    unlink(path);
    return done();
}
