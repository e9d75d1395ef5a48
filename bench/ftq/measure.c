/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measuring threads, results files and summary lines. */
#include "bench/harness/cores.h"
#include "config.h"

#include "bench/ftq/measure.h"

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/ftq/causes.h"
#include "bench/ftq/detour.h"
#include "bench/ftq/fixed_work.h"
#include "bench/ftq/quanta.h"
#include "bench/ftq/conditions.h"
#include "bench/harness/machine.h"
#include "bench/harness/results_file.h"
#include "common/reserve.h"
#include "common/units.h"
#include "statistics/order.h"

enum { REDRAW_NS = 200000000 };

const char *const mpg_noise_names[MPG_NOISE_MODES] = {"ftq", "fwq", "detour"};

/* Measuring threads wait here until all threads are created, or a creation fails. */
struct gate {
    pthread_mutex_t mutex;
    bool abandoned;
    struct mpg_start_gate together;
};

/* The measurement of a core by a thread. */
struct job {
    const struct mpg_noise_plan *plan;
    enum mpg_noise_mode mode;
    pthread_t thread;
    struct gate *gate;
    struct mpg_causes *causes; /* of all jobs; NULL: not recorded */
    int index;                 /* index of the job, and of the job's core in CAUSES */
    double lost_ns[MPG_CAUSES_MAX]; /* by cause */
    struct mpg_core_conditions conditions;
    union {
        struct mpg_ftq_quanta quanta;
        struct mpg_fixed_work work;
        struct mpg_detours detours;
    } found;
    int status;
    struct mpg_error err;
};

/* ---- measuring ---- */

static int measure(struct job *job)
{
    const struct mpg_noise_plan *plan = job->plan;
    switch (job->mode) {
    case MPG_NOISE_FTQ:
        return mpg_quanta_measure(plan->timer, plan->quantum_ns,
                                  (size_t)(plan->duration_ns / plan->quantum_ns), &job->conditions,
                                  &job->found.quanta, &job->err);
    case MPG_NOISE_FWQ:
        return mpg_fixed_work_measure(plan->timer, plan->quantum_ns, plan->duration_ns,
                                      &job->conditions, &job->found.work, &job->err);
    default:
        return mpg_detours_measure(plan->timer, plan->duration_ns, plan->threshold_ns,
                                   plan->max_detours, &job->conditions, &job->found.detours,
                                   &job->err);
    }
}

static void *run(void *argument)
{
    struct job *job = argument;
    pthread_mutex_lock(&job->gate->mutex);
    bool abandoned = job->gate->abandoned;
    pthread_mutex_unlock(&job->gate->mutex);
    job->status = -1;
    if (abandoned)
        return NULL;
    if (job->causes)
        mpg_causes_measured_by_me(job->causes, job->index);
    if (mpg_cores_pin(job->conditions.core, &job->err) == 0)
        job->status = measure(job);
    mpg_conditions_skip(&job->conditions);
    return NULL;
}

static void clear(struct job *job)
{
    if (job->status == 0 && job->mode == MPG_NOISE_FTQ)
        mpg_quanta_clear(&job->found.quanta);
    else if (job->status == 0 && job->mode == MPG_NOISE_FWQ)
        mpg_fixed_work_clear(&job->found.work);
    else if (job->status == 0)
        mpg_detours_clear(&job->found.detours);
    mpg_conditions_clear(&job->conditions);
}

/* Returns a core that this process may use and is not measuring; -1: none. */
static int find_idle_core(const struct mpg_noise_plan *plan, const struct job *job, int n)
{
    for (int i = 0; !plan->division->memory && i < plan->division->n; i++) {
        bool busy = false;
        for (int j = 0; j < n; j++)
            busy |= job[j].conditions.core == plan->division->core[i];
        if (!busy)
            return plan->division->core[i];
    }
    return -1;
}

/* Waits for the threads' ends. Redrawing the progress bar would disturb a measured core: the bar is redrawn only if another core
 * is free. */
static void await(const struct mpg_noise_plan *plan, struct job *job, int n,
                  struct mpg_progress *progress, int done)
{
    const uint64_t start_ns = mpg_clock_ns();
    int spare = progress->enabled ? find_idle_core(plan, job, n) : -1;
    bool draws = spare >= 0 && mpg_cores_pin(spare, NULL) == 0;
    for (int i = 0; i < n; i++) {
        int ended = !draws;
        while (!ended) {
            struct timespec next;
            clock_gettime(CLOCK_REALTIME, &next);
            next.tv_nsec += REDRAW_NS;
            next.tv_sec += next.tv_nsec / 1000000000;
            next.tv_nsec %= 1000000000;
            ended = pthread_timedjoin_np(job[i].thread, NULL, &next) == 0;
            double part = (double)(mpg_clock_ns() - start_ns) / plan->duration_ns;
            mpg_progress_update(progress, done + n * (part < 1 ? part : 1));
        }
        if (!draws)
            pthread_join(job[i].thread, NULL);
    }
}

/* ---- results files ---- */

/* Makes the file's name: "MODE-coreN.samples", with the host's name under a launcher with several ranks;
 * "MODE-together-coreN.samples" for cores measured at once. */
static void file_name(const struct job *job, char *name, size_t size)
{
    char host[256] = "";
    if (job->plan->division->launch.ranks != 1) {
        if (gethostname(host, sizeof host - 2) < 0)
            snprintf(host, sizeof host, "unknown");
        host[sizeof host - 2] = '\0';
        for (char *p = host; *p; p++)
            *p = isalnum((unsigned char)*p) || *p == '.' ? *p : '-';
        strcat(host, "-");
    }
    snprintf(name, size, "%s-%s%score%d.samples", mpg_noise_names[job->mode],
             job->plan->together ? "together-" : "", host, job->conditions.core);
}

static int describe(const struct job *job, struct mpg_header *header, struct mpg_error *err)
{
    const struct mpg_noise_plan *plan = job->plan;
    const struct mpg_launch *launch = &plan->division->launch;
    if (mpg_header_add(header, err, "benchmark", "%s", mpg_noise_names[job->mode]) < 0 ||
        mpg_machine_describe(header, plan->timer, plan->argc, plan->argv, err) < 0 ||
        mpg_header_add(header, err, "cores_at_once", "%d", plan->cores_at_once) < 0 ||
        (plan->together && mpg_header_add(header, err, "together", "yes") < 0) ||
        mpg_conditions_describe(&job->conditions, header, err) < 0)
        return -1;
    if (launch->ranks == 1)
        return 0;
    return mpg_header_add(header, err, "rank", "%d", launch->rank);
}

static int describe_speed(const struct mpg_speed *speed, double threshold_ns,
                          struct mpg_header *header, struct mpg_error *err)
{
    return mpg_header_add(header, err, "threshold_ns", "%.1f", threshold_ns) < 0 ||
                   mpg_header_add(header, err, "speed_range", "%.4f", speed->range) < 0 ||
                   mpg_header_add(header, err, "speed_below_best", "%.4f", speed->lost) < 0
               ? -1
               : 0;
}

static int write_quanta(const struct job *job, const char *name, struct mpg_header *header,
                        struct mpg_error *err)
{
    const struct mpg_ftq_quanta *q = &job->found.quanta;
    struct mpg_bench_samples samples = {"start_ns work_units lost_ns", 3, {1, 0, 1}, q->n, q->sample};
    if (mpg_header_add(header, err, "quantum_ns", "%.17g", q->quantum_ns) < 0 ||
        mpg_header_add(header, err, "unit_ns", "%.4f", q->unit_ns) < 0 ||
        describe_speed(&q->speed, q->threshold_ns, header, err) < 0)
        return -1;
    return mpg_results_file_write(job->plan->dir, name, header, &samples, err);
}

static int write_work(const struct job *job, const char *name, struct mpg_header *header,
                      struct mpg_error *err)
{
    const struct mpg_fixed_work *w = &job->found.work;
    struct mpg_bench_samples samples = {"start_ns duration_ns lost_ns", 3, {1, 1, 1}, w->n, w->sample};
    if (mpg_header_add(header, err, "work_units", "%llu", (unsigned long long)w->units) < 0 ||
        mpg_header_add(header, err, "unit_ns", "%.4f", w->unit_ns) < 0 ||
        mpg_header_add(header, err, "work_ns", "%.1f", w->work_ns) < 0 ||
        describe_speed(&w->speed, w->threshold_ns, header, err) < 0)
        return -1;
    return mpg_results_file_write(job->plan->dir, name, header, &samples, err);
}

enum { CAUSE_COLUMNS = MPG_DETOUR_COLUMNS + 1 };

/* Adds the names of the causes to HEADER. */
static int describe_causes(const struct job *job, struct mpg_header *header, struct mpg_error *err)
{
    char text[MPG_CAUSES_MAX * (MPG_CAUSE_BYTES + 2)] = "";
    const char(*name)[MPG_CAUSE_BYTES];
    const int n = mpg_causes_names(job->causes, &name);
    for (int i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? ", " : "", name[i]);
    if (mpg_header_add(header, err, "causes", "%s", text) < 0)
        return -1;
    return mpg_header_add(header, err, "cause_events_lost", "%llu",
                          (unsigned long long)mpg_causes_lost(job->causes, job->index));
}

/* Returns the parts of D's detours, an array of CAUSE_COLUMNS values per part, the last value the cause, which the caller frees;
 * *N: number of parts. Sums lost time by cause. NULL: out of memory. */
static double *divide_by_cause(struct job *job, const struct mpg_detours *d, size_t *n)
{
    const double ns = job->plan->timer->ns_per_tick;
    size_t capacity = d->n + 1;
    double *sample = malloc(capacity * CAUSE_COLUMNS * sizeof *sample);
    *n = 0;
    for (size_t i = 0; sample && i < d->n; i++) {
        const double *from = d->sample + i * MPG_DETOUR_COLUMNS;
        const struct mpg_cause_span *part, span = {.start = d->start + (uint64_t)(from[0] / ns),
                                                   .end = d->start + (uint64_t)((from[0] + from[1]) / ns), .off_ns = from[2]};
        const int parts = mpg_causes_of(job->causes, job->index, &span, &part);
        double end_ns = 0; /* of the parts so far, from the detour's start */
        if (parts < 0) {
            free(sample);
            return NULL;
        }
        for (int k = 0; k < parts; k++) {
            if (mpg_grow(&sample, *n, &capacity, CAUSE_COLUMNS * sizeof *sample, &(struct mpg_error){""}) < 0) {
                free(sample);
                return NULL;
            }
            double *to = sample + (*n)++ * CAUSE_COLUMNS;
            const double next_ns = k + 1 < parts ? fmin((double)(part[k].end - span.start) * ns, from[1]) : from[1];
            to[0] = from[0] + end_ns;
            to[1] = next_ns - end_ns;
            to[2] = fmin(part[k].off_ns, to[1]);
            to[MPG_DETOUR_COLUMNS] = part[k].cause;
            job->lost_ns[part[k].cause] += to[1];
            end_ns = next_ns;
        }
    }
    return sample;
}

static int write_detours(struct job *job, const char *name, struct mpg_header *header,
                         struct mpg_error *err)
{
    const struct mpg_detours *d = &job->found.detours;
    struct mpg_bench_samples samples = {"start_ns duration_ns off_cpu_ns", MPG_DETOUR_COLUMNS, {1, 1, 0, 0},
                                  d->n, d->sample};
    double *with_causes = NULL;
    if (mpg_header_add(header, err, "threshold_ns", "%.1f", d->threshold_ns) < 0 ||
        mpg_header_add(header, err, "shortest_loop_ns", "%.1f", d->loop_ns) < 0 ||
        mpg_header_add(header, err, "span_ns", "%.1f", d->span_ns) < 0)
        return -1;
    if (d->full && mpg_header_add(header, err, "ended_early",
                                  "after %zu detours, --max-detours; the record ends there",
                                  d->n) < 0)
        return -1;
    if (job->causes) {
        if (describe_causes(job, header, err) < 0)
            return -1;
        with_causes = divide_by_cause(job, d, &samples.n);
        if (!with_causes)
            return mpg_error_set(err, "out of memory for %zu detours", d->n);
        samples.columns = "start_ns duration_ns off_cpu_ns cause";
        samples.n_columns = CAUSE_COLUMNS;
        samples.value = with_causes;
    }
    const int status = mpg_results_file_write(job->plan->dir, name, header, &samples, err);
    free(with_causes);
    return status;
}

static int write_file(struct job *job, struct mpg_error *err)
{
    char name[320];
    struct mpg_header header = {0, NULL};
    file_name(job, name, sizeof name);
    int status = describe(job, &header, err);
    if (status == 0)
        status = job->mode == MPG_NOISE_FTQ   ? write_quanta(job, name, &header, err)
                 : job->mode == MPG_NOISE_FWQ ? write_work(job, name, &header, err)
                                              : write_detours(job, name, &header, err);
    mpg_header_clear(&header);
    return status;
}

/* ---- summary lines ---- */

static void print_quanta(const struct mpg_ftq_quanta *q, const char *who)
{
    char quantum[32], worst[32];
    printf("%s: ftq: %zu quanta of %s, %.4f %% of the time lost, at most %s in a quantum; core speed: 5 %% to 95 %%"
           " quantile differ by %.1f %%, mean %.1f %% below the 95 %% quantile\n",
           who, q->n, mpg_units_format_time(quantum, sizeof quantum, q->quantum_ns),
           100 * q->lost_ns / ((double)q->n * q->quantum_ns),
           mpg_units_format_time(worst, sizeof worst, q->worst_ns), 100 * q->speed.range,
           100 * q->speed.lost);
}

static void print_work(const struct mpg_fixed_work *w, const char *who)
{
    char work[32], longest[32];
    printf("%s: fwq: %zu quanta of %s of work, %.4f %% of the time lost, longest %s; core speed: 5 %% to 95 %%"
           " quantile differ by %.1f %%, mean %.1f %% below the 95 %% quantile\n",
           who, w->n, mpg_units_format_time(work, sizeof work, w->work_ns),
           100 * w->lost_ns / w->span_ns,
           mpg_units_format_time(longest, sizeof longest, w->longest_ns), 100 * w->speed.range,
           100 * w->speed.lost);
}

/* Computes the summary in place: the samples are already in a file and may be overwritten. */
static void print_detours(struct mpg_detours *d, const char *who)
{
    char threshold[32], span[32], median[32], longest[32];
    for (size_t i = 0; i < d->n; i++)
        d->sample[i] = d->sample[MPG_DETOUR_COLUMNS * i + 1];
    mpg_sort(d->sample, d->n);
    printf("%s: detour: %zu detours longer than %s in %s, %.4f %% of the time lost, %.4f %% off the CPU", who, d->n,
           mpg_units_format_time(threshold, sizeof threshold, d->threshold_ns),
           mpg_units_format_time(span, sizeof span, d->span_ns), 100 * d->lost_ns / d->span_ns,
           100 * d->off_ns / d->span_ns);
    if (d->n > 0)
        printf(", median %s, at most %s",
               mpg_units_format_time(median, sizeof median,
                                     mpg_sorted_quantile(d->sample, d->n, 0.5)),
               mpg_units_format_time(longest, sizeof longest, d->longest_ns));
    printf("%s\n", d->full ? "; record full (--max-detours)" : "");
}

/* Prints the causes with most of the lost time, in percent of the record. */
static void print_causes(const struct job *job, const char *who)
{
    enum { MOST = 6 };
    const char(*name)[MPG_CAUSE_BYTES];
    const int n = mpg_causes_names(job->causes, &name);
    const uint64_t lost = mpg_causes_lost(job->causes, job->index);
    bool told[MPG_CAUSES_MAX] = {false};
    printf("%s: detour: by cause:", who);
    for (int k = 0; k < MOST && k < n; k++) {
        int largest = -1;
        for (int i = 0; i < n; i++)
            if (!told[i] && job->lost_ns[i] > 0 && (largest < 0 || job->lost_ns[i] > job->lost_ns[largest]))
                largest = i;
        if (largest < 0)
            break;
        told[largest] = true;
        printf("%s %s %.4f %%", k ? "," : "", name[largest], 100 * job->lost_ns[largest] / job->found.detours.span_ns);
    }
    if (lost > 0)
        printf("; %llu events of the kernel's trace were lost", (unsigned long long)lost);
    putchar('\n');
}

static void print_line(struct job *job)
{
    char host[256] = "", who[300];
    if (job->plan->division->launch.ranks != 1 && gethostname(host, sizeof host - 1) < 0)
        host[0] = '\0';
    snprintf(who, sizeof who, "%s%score %d", host, host[0] ? ": " : "", job->conditions.core);
    if (job->mode == MPG_NOISE_FTQ)
        print_quanta(&job->found.quanta, who);
    else if (job->mode == MPG_NOISE_FWQ)
        print_work(&job->found.work, who);
    else
        print_detours(&job->found.detours, who);
    if (job->causes)
        print_causes(job, who);
    fflush(stdout); /* errors of printf() are detected when stdout is closed */
    mpg_conditions_warn(&job->conditions, who);
}

/* ---- assembly ---- */

static int finish(struct job *job, struct mpg_error *err)
{
    if (job->status < 0) {
        *err = job->err;
    } else if (write_file(job, err) == 0) {
        print_line(job);
        return 0;
    }
    return mpg_error_prefix(err, "core %d", job->conditions.core);
}

/* Starts a thread for each of N jobs and releases the threads if all have started. Returns the number of threads
 * started. */
static int start(struct job *job, int n, struct gate *gate, struct mpg_error *err)
{
    int started = 0, error = 0;
    pthread_mutex_lock(&gate->mutex);
    while (started < n &&
           (error = pthread_create(&job[started].thread, NULL, run, &job[started])) == 0)
        started++;
    if (error)
        mpg_error_errno(err, error, "cannot start a thread for core %d", job[started].conditions.core);
    gate->abandoned = error != 0;
    pthread_mutex_unlock(&gate->mutex);
    return started;
}

int mpg_noise_measure(const struct mpg_noise_plan *plan, enum mpg_noise_mode mode,
                      const int *core, int n, struct mpg_progress *progress, int done,
                      struct mpg_error *err)
{
    struct gate gate = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    struct job *job = calloc((size_t)n, sizeof *job);
    if (!job)
        return mpg_error_set(err, "out of memory for %d cores", n);
    pthread_barrier_init(&gate.together.barrier, NULL, (unsigned)n); /* cannot fail, since n >= 1 */
    for (int i = 0; i < n; i++) {
        job[i] = (struct job){.plan = plan, .mode = mode, .gate = &gate, .index = i};
        job[i].conditions = (struct mpg_core_conditions){.core = core[i], .realtime = plan->realtime,
                                          .together = n > 1 ? &gate.together : NULL,
                                          .division = plan->division, .timer = plan->timer};
    }
    struct mpg_causes *causes = NULL;
    int started = 0, status = 0;
    if (plan->causes && mode == MPG_NOISE_DETOUR) {
        causes = mpg_causes_start(core, n, plan->timer, plan->duration_ns, err);
        status = causes ? 0 : -1;
    }
    for (int i = 0; i < n; i++)
        job[i].causes = causes;
    if (status == 0) {
        started = start(job, n, &gate, err);
        status = started < n ? -1 : 0;
        await(plan, job, started, progress, done);
    }
    if (causes && status == 0)
        status = mpg_causes_stop(causes, err);
    mpg_progress_clear(progress); /* the progress line ends here, since summary lines follow */
    for (int i = 0; i < started; i++) {
        if (status == 0)
            status = finish(&job[i], err);
        clear(&job[i]);
    }
    mpg_causes_free(causes);
    pthread_barrier_destroy(&gate.together.barrier);
    free(job);
    return status;
}
