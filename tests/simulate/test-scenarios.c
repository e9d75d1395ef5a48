/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several scenarios that are simulated together (TAP): how often the trace is read, and each scenario's results and
 * end. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "simulate/evaluate/driver/simulation.h"
#include "tests/tap.h"

enum { MOST = 2000 };

/* each scenario has this much more constant noise than the previous one */
static const double STEP_NS = 2.385;

struct one {
    struct mpg_perturbation p;
    struct mpg_simulation_options options;
    struct mpg_simulation_options predict;
    struct mpg_result result;
    char text[40];
    double run_ns;
    uint32_t waiting; /* number of other scenarios that had results at that time */
};

static struct one one[MOST];
static size_t scenarios;

/* Writes a trace of two ranks: each computes 1000 ns, then rank 1 waits for a message. */
static void write_trace(const char *path)
{
    FILE *f = fopen(path, "w");
    fputs("#mpgtext 1\n#ranks 2\n#comm 0 = 0 1\n#clocks shared\n0 0 1000 Init\n1 0 1000 Init\n"
          "0 2000 2010 Send comm=0 to=1 tag=1 bytes=8\n1 2000 4000 Recv comm=0 from=0 tag=1 bytes=8\n"
          "0 2010 2020 Finalize\n1 5000 5010 Finalize\n", f);
    if (fclose(f) != 0)
        exit(1);
}

static int take(void *context, struct mpg_error *err)
{
    struct one *x = context;
    (void)err;
    x->run_ns = x->result.run_ns[0];
    for (size_t i = 0; i < scenarios; i++)
        x->waiting += &one[i] != x && one[i].result.run_ns;
    mpg_result_clear(&x->result);
    return 0;
}

static void set(size_t n, enum mpg_absorb absorb)
{
    struct mpg_error err;
    scenarios = n;
    for (size_t i = 0; i < n; i++) {
        struct one *x = &one[i];
        mpg_perturbation_clear(&x->p);
        *x = (struct one){.p = {.seed = 1, .compute_ratio = 1},
                          .options = {.absorb_given = true,
                                      .absorb = absorb,
                                      .replicas = 1,
                                      .threads = 1,
                                      .graph = {.eager_limit_bytes = INT64_MAX}}};
        snprintf(x->text, sizeof x->text, "const:%.17gns", STEP_NS * (double)i);
        if (mpg_specs_add(&x->p.noise, x->text, &err) < 0)
            exit(1);
    }
}

static uint32_t simulate(struct mpg_trace *trace)
{
    static struct mpg_scenario scenario[MOST];
    struct mpg_error err;
    uint32_t passes = 0;
    for (size_t i = 0; i < scenarios; i++)
        scenario[i] = (struct mpg_scenario){.p = &one[i].p, .options = &one[i].options,
                                            .result = &one[i].result, .done = take, .context = &one[i]};
    if (mpg_simulate(trace, scenario, scenarios, &passes, &err) == 0)
        return passes;
    printf("# %s\n", err.text);
    return UINT32_MAX;
}

static uint32_t predict(struct mpg_trace *trace)
{
    static struct mpg_scenario prediction[MOST];
    struct mpg_error err;
    uint32_t passes = 0;
    for (size_t i = 0; i < scenarios; i++) {
        struct one *x = &one[i];
        if (mpg_specs_add(&x->p.latency, "const:700ns", &err) < 0)
            exit(1);
        x->predict = (struct mpg_simulation_options){
            .predicts = true, .graph = x->options.graph, .replicas = 1, .threads = 1, .times = x->predict.times};
        prediction[i] = (struct mpg_scenario){
            .p = &x->p, .options = &x->predict, .result = &x->result, .done = take, .context = x};
    }
    if (mpg_simulate(trace, prediction, scenarios, &passes, &err) == 0)
        return passes;
    printf("# %s\n", err.text);
    return UINT32_MAX;
}

/* Returns whether each run ends A + B times the scenario's noise after MPI_Init. */
static bool are(double a, double b)
{
    for (size_t i = 0; i < scenarios; i++)
        if (!(fabs(one[i].run_ns - (a + b * STEP_NS * (double)i)) < 1e-6)) {
            printf("# scenario %zu: %.9g\n", i, one[i].run_ns);
            return false;
        }
    return true;
}

int main(void)
{
    struct mpg_error err;
    char path[] = "/tmp/mpg-scenarios-XXXXXX";
    const int fd = mkstemp(path);
    if (fd < 0 || close(fd) < 0)
        return 1;
    write_trace(path);
    struct mpg_trace *trace = mpg_trace_open(path, &err);
    if (!trace)
        return 1;
    set(10, MPG_ABSORB_NONE);
    ok(simulate(trace) == 1, "ten scenarios of one graph: one pass");
    ok(are(4000, 2), "... each by itself");
    set(10, MPG_ABSORB_CLOCK);
    ok(simulate(trace) == 2, "with floors: one more for all");
    set(10, MPG_ABSORB_CLOCK);
    one[3].options.absorb = MPG_ABSORB_WAIT;
    ok(simulate(trace) == 2, "of two ways to absorb: the same passes");
    set(10, MPG_ABSORB_NONE);
    for (int i = 5; i < 10; i++)
        one[i].options.graph.eager_limit_bytes = -1;
    ok(simulate(trace) == 2, "of two eager limits: a pass each");
    set(MOST, MPG_ABSORB_NONE);
    ok(simulate(trace) == 2, "what no pass has told the size of: no more than 1024 lanes at first");
    ok(are(4000, 2), "... each by itself");
    ok(one[0].waiting == 1023 && one[MOST - 1].waiting == 0,
           "results are there while their pass is, and no longer");
    set(10, MPG_ABSORB_NONE);
    ok(predict(trace) == 2, "predicted: one pass after that which finds floors");
    for (size_t i = 0; i < MOST; i++)
        mpg_perturbation_clear(&one[i].p);
    mpg_trace_close(trace);
    (void)unlink(path);
    return done();
}
