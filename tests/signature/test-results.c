/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of results files, their collection into a signature, and the check, with damaged files: each is either
 * refused with a message of one line that names the file, or read correctly, and never causes a crash. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "signature/make/check.h"
#include "signature/make/collect.h"
#include "signature/make/results.h"
#include "tests/tap.h"

static const char path[] = "test-results.tmp";

#define HEADER "# host: vm\n# cpu: A CPU\n"
static const char *const bases[] = {
    [MPG_BENCHMARK_FTQ] =
        "#mpgresults 1\n# benchmark: ftq\n" HEADER "# core: 3\n# quantum_ns: 1000\n"
        "# columns: start_ns work lost_ns\n0 100 0.5\n1000 99 7.25\n2000 100 0\n# end 3\n",
    [MPG_BENCHMARK_FWQ] =
        "#mpgresults 1\n# benchmark: fwq\n" HEADER "# core: 3\n# work_ns: 990.5\n"
        "# steal_ns: 12\n# columns: start_ns duration_ns lost_ns\n0 1000 9.5\n1000 990.5 0\n# end 2\n",
    [MPG_BENCHMARK_DETOUR] =
        "#mpgresults 1\n# benchmark: detour\n" HEADER "# core: 3\n# threshold_ns: 150\n"
        "# span_ns: 5000\n# columns: start_ns duration_ns\n10 200\n1000.5 300.25\n4800 200\n"
        "# end 3\n",
    [MPG_BENCHMARK_PINGPONG] =
        "#mpgresults 1\n# benchmark: pingpong\n" HEADER "# launch: 0\n# path: node\n"
        "# eager_limit_bytes: 4096\n# pair 0: ranks 0 and 1\n# pair 1: ranks 2 and 3\n"
        "# clocks: synchronised\n# one_way_error_ns: 3\n"
        "# columns: pair size_bytes rtt_ns forward_ns backward_ns\n0 8 1000.5 600 400.5\n"
        "0 64 1100 1200 -100\n1 8 1010 500 510\n# end 3\n",
    [MPG_BENCHMARK_BANDWIDTH] =
        "#mpgresults 1\n# benchmark: bandwidth\n" HEADER "# launch: 0\n# path: node\n"
        "# columns: size_bytes window time_ns send_ns\n65536 1 9000 800\n0 1 900 100\n"
        "65536 16 30000.5 5000\n# end 3\n",
    [MPG_BENCHMARK_OVERHEAD] =
        "#mpgresults 1\n# benchmark: overhead\n" HEADER "# launch: 0\n# path: node\n"
        "# eager_limit_bytes: 4096\n# pair 0: ranks 0 and 1\n"
        "# columns: pair size_bytes send_ns receive_ns wait_ns\n0 8 30.5 200 195\n"
        "0 65536 70 6000.5 5990\n0 8 20 210 190\n# end 3\n",
    [MPG_BENCHMARK_COLLECTIVE] =
        "#mpgresults 1\n# benchmark: collective\n" HEADER "# launch: 0\n"
        "# operations: barrier bcast\n# columns: operation processes size_bytes time_ns\n"
        "0 2 0 900\n1 4 64 1300\n1 4 64 1200.5\n# end 3\n",
    [MPG_BENCHMARK_COMPUTE] =
        "#mpgresults 1\n# benchmark: compute\n" HEADER "# core: 3\n# kernels: integer memory\n"
        "# kernel_units: operation/s B/s\n# columns: kernel cores rate\n0 1 2e9\n1 2 1.5e10\n"
        "# end 2\n",
    [MPG_BENCHMARK_SHARING] =
        "#mpgresults 2\n# benchmark: sharing\n" HEADER "# launch: 0\n# path: node\n"
        "# columns: pairs_at_once directions size_bytes messages messages_in_flight time_ns off_cpu_ns\n"
        "1 1 64 1024 64 90000.5 0\n2 2 64 1024 64 120000 2000\n# end 2\n",
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

/* Returns whether ERR is one line that begins with the file name. */
static bool names_file(const struct mpg_error *err)
{
    return strncmp(err->text, path, strlen(path)) == 0 && !strchr(err->text, '\n');
}

/* Checks R, and stores the findings in SIG. Returns false if the check fails, SIG becomes invalid, or no failure is found. */
static bool check(const struct mpg_results *r, struct mpg_signature *sig)
{
    struct mpg_error err;
    struct mpg_check *c = mpg_check_new(&err);
    bool good = c && mpg_check_add(c, r, &err) == 0 && mpg_check_finish(c, sig, &err) == 0 &&
                mpg_signature_check(sig, &err) == 0;
    mpg_check_free(c);
    return good && sig->failures > 0; /* some measurement is always missing */
}

/* Returns the signature of R alone, or NULL if R is refused. *GOOD: false if the message or the signature is wrong. */
static struct mpg_signature *collect(const struct mpg_results *r, bool *good)
{
    struct mpg_error err = {""};
    struct mpg_signature *sig = NULL;
    struct mpg_collect *c = mpg_collect_new(&err);
    if (c && mpg_collect_add(c, r, &err) == 0)
        sig = mpg_collect_finish(c, &err);
    mpg_collect_free(c);
    *good = sig ? mpg_signature_check(sig, &err) == 0 && check(r, sig) : names_file(&err);
    return sig;
}

static void test_content(void)
{
    struct mpg_error err;
    bool good = false;
    const char *base = bases[MPG_BENCHMARK_DETOUR];
    struct mpg_results *r = read_text(base, strlen(base), &err);
    if (!ok(r != NULL, "detours: read"))
        return;
    ok(r->benchmark == MPG_BENCHMARK_DETOUR && r->samples == 3 &&
           r->column[MPG_COLUMN_START_NS][1] == 1000.5 &&
           r->column[MPG_COLUMN_DURATION_NS][1] == 300.25 && !r->column[MPG_COLUMN_WORK],
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
    mpg_check_free(NULL);
}

static void test_overhead(void)
{
    struct mpg_error err;
    bool good = false;
    const char *base = bases[MPG_BENCHMARK_OVERHEAD];
    struct mpg_results *r = read_text(base, strlen(base), &err);
    struct mpg_signature *sig = r ? collect(r, &good) : NULL;
    if (ok(sig && good && sig->paths == 1 && sig->network[0].latency.n == 0, "overhead: signature")) {
        const struct mpg_network_sizes *send = &sig->network[0].send_overhead;
        const struct mpg_network_sizes *receive = &sig->network[0].receive_overhead;
        ok(send->n == 2 && send->size[0].size_bytes == 8 && send->size[0].time_ns->mean == 25.25 &&
               send->size[1].size_bytes == 65536 && send->size[1].time_ns->mean == 70,
           "overhead: of sends");
        ok(receive->n == 2 && receive->size[0].time_ns->n == 2 &&
               receive->size[0].time_ns->mean == 205 && receive->size[1].time_ns->mean == 6000.5,
           "overhead: of receives");
    }
    mpg_signature_free(sig);
    mpg_results_free(r);
}

/* Adds a record of CORE, begun at EPOCH_NS, with a span of 5000 ns, of which LOST_NS were lost. */
static void add_record(struct mpg_collect *c, int core, int lost_ns, const char *epoch_ns,
                       bool together)
{
    struct mpg_error err = {""};
    char text[512];
    snprintf(text, sizeof text, "#mpgresults 1\n# benchmark: detour\n" HEADER "# core: %d\n"
             "# epoch_ns: %s\n%s# threshold_ns: 150\n# span_ns: 5000\n# cores_at_once: %d\n"
             "# columns: start_ns duration_ns\n10 200\n1000.5 %d\n# end 2\n", core, epoch_ns,
             together ? "# together: yes\n" : "", together ? 2 : 1, lost_ns - 200);
    struct mpg_results *r = read_text(text, strlen(text), &err);
    ok(r && mpg_collect_add(c, r, &err) == 0, "core %d %s is taken: %s", core,
       together ? "together" : "alone", err.text);
    mpg_results_free(r);
}

/* If cores were measured alone and together, the signature has the records measured together. */
static void test_together(void)
{
    struct mpg_error err;
    struct mpg_collect *c = mpg_collect_new(&err);
    if (!ok(c != NULL, "a collection"))
        return;
    add_record(c, 3, 450, "1000", false);
    add_record(c, 3, 650, "15084570784163", true);
    add_record(c, 5, 700, "15084570782365", true);
    add_record(c, 5, 400, "9000", false);
    add_record(c, 7, 500, "3000", false);
    struct mpg_signature *sig = mpg_collect_finish(c, &err);
    mpg_collect_free(c);
    if (!ok(sig && sig->cores == 3, "both ways: signature"))
        return;
    const struct mpg_noise_core *core = sig->core;
    ok(core[0].together && core[0].fraction_lost == 0.13 && core[0].alone_lost == 0.09 &&
           core[0].offset_ns == 1798 && core[0].cores_at_once == 2,
       "alone first: the record is that taken together, and began 1.798 us late");
    ok(core[1].together && core[1].fraction_lost == 0.14 && core[1].alone_lost == 0.08 &&
           core[1].offset_ns == 0 && core[1].detours == 2 && core[1].duration_ns[1] == 500,
       "together first: it stays");
    ok(!core[2].together && core[2].alone_lost < 0 && core[2].fraction_lost == 0.1,
       "alone only: as before");
    mpg_signature_free(sig);
}

/* Returns the error for a file of BENCHMARK with LINES from the columns on; "": accepted. */
static const char *refused(const char *benchmark, const char *lines)
{
    static struct mpg_error err;
    char text[512];
    snprintf(text, sizeof text, "#mpgresults 1\n# benchmark: %s\n# columns: %s\n", benchmark,
             lines);
    struct mpg_results *r = read_text(text, strlen(text), &err);
    mpg_results_free(r);
    return r ? "" : names_file(&err) ? err.text + strlen(path) + 2 : "no name";
}

static void test_columns(void)
{
    static const char text[] =
        "#mpgresults 1\n# benchmark: pingpong\n# columns: rtt_ns shade backward_ns size_bytes\n"
        "7.5 blue -2.25 16\n8.5 red 0.5 0\n# end 2\n";
    struct mpg_error err;
    struct mpg_results *r = read_text(text, strlen(text), &err);
    ok(r && r->samples == 2 && r->column[MPG_COLUMN_RTT_NS][1] == 8.5 &&
           r->column[MPG_COLUMN_BACKWARD_NS][0] == -2.25 &&
           r->column[MPG_COLUMN_SIZE_BYTES][0] == 16 && !r->column[MPG_COLUMN_FORWARD_NS] &&
           !r->column[MPG_COLUMN_PAIR],
       "columns in another order, some optional, one unknown");
    mpg_results_free(r);
    static const char *const wrong[][3] = {
        {"pingpong", "size_bytes pair\n1 1\n# end 1",
         "line 4: header line '# columns:' is 'size_bytes pair', without 'rtt_ns'"},
        {"compute", "kernel cores\n# end 0",
         "line 4: header line '# columns:' is 'kernel cores', without 'rate'"},
        {"fwq", "start_ns duration_ns start_ns\n# end 0",
         "line 4: header line '# columns:': 'start_ns' appears twice"},
        {"fwq", "start_ns duration_ns\n1\n# end 1", "line 4: column 2: nothing there"},
        {"fwq", "start_ns duration_ns colour\n1 2\n# end 1", "line 4: column 3: nothing there"},
        {"fwq", "start_ns duration_ns\n1 2 3\n# end 1", "line 4: more than 2 columns"},
        {"fwq", "start_ns duration_ns\n1 -2\n# end 1", "line 4: column 2: -2 is out of range"},
        {"collective", "operation processes size_bytes time_ns\n0.5 1 1 1\n# end 1",
         "line 4: column 1: 0.5 is not a whole number"},
        {"pingpong", "size_bytes rtt_ns forward_ns\n1 2 x\n# end 1",
         "line 4: column 3: 'x' is not a number"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char lines[256];
        snprintf(lines, sizeof lines, "%s", wrong[i][1]);
        const char *why = refused(wrong[i][0], lines);
        ok(strcmp(why, wrong[i][2]) == 0, "%s: %s", wrong[i][0], why);
    }
    char many[512] = "start_ns duration_ns";
    for (int i = 0; i < 63; i++)
        strcat(many, " x");
    strcat(many, "\n# end 0");
    ok(strstr(refused("fwq", many), "more than 64 columns") != NULL, "too many columns");
}

/* Files of versions 1 and 2 with the same content give the same signature. */
static void test_versions(void)
{
    static const char *const both[][2] = {
        {"#mpgresults 1\n# benchmark: ftq\n# epoch_ns: 7\n# speed_lost: 0.25\n# machine_before: idle: 2.385\n"
         "# columns: start_ns work lost_ns\n0 100 0.5\n1000 99 7.25\n# end 2\n",
         "#mpgresults 2\n# benchmark: ftq\n# start_monotonic_ns: 7\n# speed_below_best: 0.25\n# load_before: idle: 2.385\n"
         "# columns: start_ns work_units lost_ns\n0 100 0.5\n1000 99 7.25\n# end 2\n"},
        {"#mpgresults 1\n# benchmark: detour\n# loop_ns: 10\n# filled: after 1\n"
         "# columns: start_ns duration_ns\n3 4\n# end 1\n",
         "#mpgresults 2\n# benchmark: detour\n# shortest_loop_ns: 10\n# ended_early: after 1\n"
         "# columns: start_ns duration_ns\n3 4\n# end 1\n"},
        {"#mpgresults 1\n# benchmark: bandwidth\n# warmup: 200\n# window: 64\n"
         "# columns: size_bytes window time_ns\n8 64 2.385\n# end 1\n",
         "#mpgresults 2\n# benchmark: bandwidth\n# warmup_repetitions: 200\n# messages_in_flight: 64\n"
         "# columns: size_bytes messages_in_flight time_ns\n8 64 2.385\n# end 1\n"},
        {"#mpgresults 1\n# benchmark: overhead\n# dropped: 3 exchanges\n# sent_by: MPI_Send\n"
         "# columns: size_bytes send_ns receive_ns\n8 1.5 2.5\n# end 1\n",
         "#mpgresults 2\n# benchmark: overhead\n# dropped_exchanges: 3 exchanges\n# send_call: MPI_Send\n"
         "# columns: size_bytes send_ns receive_ns\n8 1.5 2.5\n# end 1\n"},
        {"#mpgresults 1\n# benchmark: collective\n# invalid: 4\n# late_ns: 200.0\n"
         "# columns: operation processes size_bytes time_ns\n0 2 0 900\n# end 1\n",
         "#mpgresults 2\n# benchmark: collective\n# late_repetitions: 4\n# late_limit_ns: 200.0\n"
         "# columns: operation processes size_bytes time_ns\n0 2 0 900\n# end 1\n"},
        {"#mpgresults 1\n# benchmark: compute\n# columns: kernel cores rate\n1 2 1.5e10\n# end 1\n",
         "#mpgresults 2\n# benchmark: compute\n# columns: kernel cores_at_once rate\n1 2 1.5e10\n# end 1\n"},
    };
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        struct mpg_error err;
        struct mpg_results *a = read_text(both[i][0], strlen(both[i][0]), &err);
        struct mpg_results *b = read_text(both[i][1], strlen(both[i][1]), &err);
        bool same = a && b && a->facts == b->facts && a->samples == b->samples;
        for (size_t f = 0; same && f < a->facts; f++)
            same = strcmp(a->fact[f].key, "columns") == 0 || (strcmp(a->fact[f].key, b->fact[f].key) == 0 &&
                                                             strcmp(a->fact[f].value, b->fact[f].value) == 0);
        for (int c = 0; same && c < MPG_COLUMNS; c++)
            same = !a->column[c] == !b->column[c] &&
                   (!a->column[c] || memcmp(a->column[c], b->column[c], a->samples * sizeof *a->column[c]) == 0);
        ok(same, "versions 1 and 2 of a file of %s", b ? mpg_benchmark_name(b->benchmark) : err.text);
        mpg_results_free(a);
        mpg_results_free(b);
    }
    struct mpg_error err;
    static const char later[] = "#mpgresults 3\n# benchmark: fwq\n# columns: start_ns duration_ns\n# end 0\n";
    ok(!read_text(later, strlen(later), &err) && strstr(err.text, "results version '3'; this mpgkit reads versions 1 to 2"),
       "a later version: %s", err.text);
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
    test_overhead();
    test_together();
    test_columns();
    test_versions();
    for (int b = 0; b < BASES; b++) {
        const char *name = mpg_benchmark_name((enum mpg_benchmark)b);
        test_cut(bases[b], name);
        test_damaged(bases[b], name, 88172645463325252u + (uint64_t)b);
    }
    unlink(path);
    return done();
}
