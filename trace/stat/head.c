/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head of mpgtrace stat: facts of the whole trace, and warnings about the recording. */
#include "config.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/units.h"
#include "trace/cores.h"
#include "trace/excerpt/excerpt.h"
#include "trace/stat/stat.h"

enum { MAX_DEATHS = 8, MAX_HOSTS = 8 }; /* maximum numbers of lines: in the list of killed ranks, in the list of hosts */

/* Prints BEFORE, then TEXT with unprintable characters escaped, since TEXT comes from a file. */
static void print_text(const char *before, const char *text)
{
    fputs(before, stdout);
    mpg_printable_put(stdout, text);
}

static void print_excerpt(const struct mpg_trace *t)
{
    if (!mpg_trace_is_excerpt(t))
        return;
    print_text("excerpt     ", mpg_trace_find_fact(t, 0, "excerpt"));
    putchar('\n');
}

/* Prints the number of ranks that stopped recording early, and the first rank's reason. */
static void print_incomplete(const struct mpg_trace *t)
{
    int32_t ranks = 0, first = 0;
    for (int32_t r = mpg_trace_ranks(t) - 1; r >= 0; r--)
        if (mpg_trace_find_fact(t, r, "incomplete")) {
            ranks++;
            first = r;
        }
    if (ranks == 1)
        printf("incomplete  rank %d: ", first);
    else if (ranks > 1)
        printf("incomplete  %d ranks, the first of them rank %d: ", ranks, first);
    if (ranks) {
        print_text("", mpg_trace_find_fact(t, first, "incomplete"));
        putchar('\n');
    }
}

/* Prints the other tool that recorded an imported trace, and each assumption of the importer. */
static void print_imported(const struct mpg_trace *t)
{
    const char *key, *value;
    for (size_t i = 0; mpg_trace_fact(t, 0, i, &key, &value); i++)
        if (strcmp(key, "untimed") == 0) {
            print_text("untimed     ", value);
            puts(": calls take no time; all other times are computation");
        } else if (strcmp(key, "imported") == 0 || strcmp(key, "assumed") == 0) {
            print_text(*key == 'i' ? "imported    " : "assumed     ", value);
            putchar('\n');
        }
}

static void print_death(const struct stat_summary *s, int32_t rank, uint32_t thread,
                        enum mpg_call call, int64_t enter_ns)
{
    const struct stat_rank *r = &s->ranks[rank];
    int64_t when_ns = call == MPG_CALL_COUNT ? r->end_ns : enter_ns;
    char time[32], who[32] = "";
    if (thread)
        snprintf(who, sizeof who, ", thread %u,", thread);
    printf("died        rank %d%s ", rank, who);
    if (call == MPG_CALL_COUNT)
        printf("outside of MPI");
    else
        printf("inside %s%s", mpg_call_prefix(call), mpg_call_name(call));
    if (r->started && when_ns >= r->start_ns)
        printf(", %s %s after MPI_Init",
               call == MPG_CALL_COUNT ? "its last call" : "called",
               mpg_units_format_time(time, sizeof time, (double)(when_ns - r->start_ns)));
    putchar('\n');
}

static void print_deaths(const struct stat_summary *s)
{
    int number = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(s->trace); r++)
        for (uint32_t i = 0; i < mpg_trace_threads(s->trace, r); i++) {
            const uint32_t thread = mpg_trace_thread(s->trace, r, i);
            enum mpg_call call;
            int64_t enter_ns;
            if (mpg_trace_died(s->trace, r, thread, &call, &enter_ns) && number++ < MAX_DEATHS)
                print_death(s, r, thread, call, enter_ns);
        }
    if (number > MAX_DEATHS)
        printf("died        and %d more\n", number - MAX_DEATHS);
}

/* Prints the number of ranks killed inside MPI_Finalize, as launchers do when another rank exits with an error. */
static void print_killed(const struct stat_summary *s)
{
    int32_t number = 0, first = 0;
    for (int32_t r = mpg_trace_ranks(s->trace) - 1; r >= 0; r--)
        if (s->ranks[r].killed) {
            number++;
            first = r;
        }
    if (number == 1)
        printf("killed      rank %d, inside MPI_Finalize: only the end of this call is missing\n", first);
    else if (number > 1)
        printf("killed      %d ranks, the first of them rank %d, inside MPI_Finalize: only the ends "
               "of these calls are missing\n", number, first);
}

static void print_running(const struct mpg_trace *t)
{
    int32_t ranks = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(t); r++)
        ranks += mpg_trace_runs(t, r);
    if (ranks)
        printf("running     %d of %d ranks are still running\n", ranks, mpg_trace_ranks(t));
}

static void print_lost(const struct stat_summary *s)
{
    int32_t ranks = 0, first = 0;
    for (int32_t r = mpg_trace_ranks(s->trace) - 1; r >= 0; r--)
        if (!s->ranks[r].ended && mpg_trace_lost_segment(s->trace, r)) {
            ranks++;
            first = r;
        }
    if (ranks == 1)
        printf("no segment  rank %d: ", first);
    else if (ranks > 1)
        printf("no segment  %d ranks, the first of them rank %d: ", ranks, first);
    if (ranks)
        printf("no MPI_Finalize, and the segment (rank-%d.window.mpgt) that would hold the last "
               "calls is missing\n", first);
}

static void print_threads(const struct mpg_trace *t)
{
    uint32_t min = UINT32_MAX, max = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(t); r++) {
        uint32_t n = mpg_trace_threads(t, r);
        min = n < min ? n : min;
        max = n > max ? n : max;
    }
    if (max > 1 && min == max)
        printf("threads     %u on each rank made calls\n", max);
    else if (max > 1)
        printf("threads     %u to %u on a rank made calls\n", min, max);
}

/* Prints the traces of spawned processes: each spawned MPI_COMM_WORLD has a trace in a subfolder. */
static void print_spawned(const struct mpg_trace *t)
{
    struct dirent **entries;
    int n = scandir(mpg_trace_path(t), &entries, NULL, versionsort);
    for (int i = 0; i < n; i++) {
        if (strncmp(entries[i]->d_name, "spawned-", 8) == 0) {
            print_text("spawned     ", mpg_trace_path(t));
            print_text("/", entries[i]->d_name);
            putchar('\n');
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

/* Prints CPU, kernel, MPI library, cores and ranks of each host, and the stored signature. */
static void print_machine(const struct mpg_trace *t)
{
    static const char *const facts[][2] = {
        {"cpu", "cpu         "}, {"kernel", "kernel      "}, {"mpi", "mpi         "},
        {"mpi_settings", "settings    "}};
    struct mpg_host_cores *hosts;
    struct mpg_stored_signature stored;
    size_t n;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const char *value = mpg_trace_find_fact(t, 0, facts[i][0]);
        if (!value || strcmp(value, "none") == 0)
            continue;
        print_text(facts[i][1], value);
        putchar('\n');
    }
    if (mpg_trace_cores(t, &hosts, &n, NULL) == 0) {
        for (size_t i = 0, known = 0; i < n && known < MAX_HOSTS; i++)
            if (hosts[i].cores > 0 && ++known) {
                printf("cores       %d for %" PRId32 " rank%s", hosts[i].cores, hosts[i].ranks,
                       hosts[i].ranks == 1 ? "" : "s");
                if (hosts[i].limit > 0)
                    printf(", by a quota worth %.3g", hosts[i].limit);
                print_text(n > 1 ? " of " : "", n > 1 && hosts[i].name ? hosts[i].name : "");
                putchar('\n');
            }
        free(hosts);
    }
    if (!mpg_trace_find_signature(t, &stored))
        return;
    print_text("signature   ", stored.damaged ? "damaged: mpgsim refuses it" : stored.name);
    if (!stored.damaged)
        printf(", %zu bytes, crc32 %08x: mpgsim's source", stored.bytes, (unsigned)stored.crc32);
    putchar('\n');
}

/* Returns the mean of the fact KEY, a time in ns, over the ranks with this fact; negative: no rank has the fact. */
static double mean_fact(const struct mpg_trace *t, const char *key)
{
    double sum_ns = 0;
    int32_t known = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(t); r++) {
        const char *value = mpg_trace_find_fact(t, r, key);
        const double ns = mpg_units_parse_fact(value, -1);
        if (ns >= 0) {
            sum_ns += ns;
            known++;
        }
    }
    return known ? sum_ns / known : -1;
}

/* Returns the time, ns, that mpgsim deducts for a recorded call: the median of the calls measured in the run, or else as measured
 * in MPI_Init; -1: unknown. */
static double deducted_call(const struct stat_summary *s)
{
    const double median_ns = mean_fact(s->trace, "overhead_call_median_ns");
    return median_ns >= 0 ? median_ns : mean_fact(s->trace, "overhead_call_ns");
}

/* Returns the tracer's time for a recorded call, ns: the mean over the run if in the facts of all ranks; otherwise, as of an
 * excerpt, which has no sums over the run, the time that mpgsim deducts; -1: unknown. */
static double cost_of_call(const struct stat_summary *s, uint64_t recorded)
{
    double sum_ns = 0;
    for (int32_t i = 0; i < mpg_trace_ranks(s->trace); i++) {
        const double ns = mpg_units_parse_fact(mpg_trace_find_fact(s->trace, i, "overhead_calls_ns"), -1);
        if (ns < 0)
            return deducted_call(s);
        sum_ns += ns;
    }
    return recorded > 0 ? sum_ns / (double)recorded : 0;
}

/* Returns the share of all ranks' run time that mpgsim deducts as the tracer's time; 0: unknown. */
static double deducted_share(const struct stat_summary *s)
{
    const double call_ns = deducted_call(s), known_ns = mean_fact(s->trace, "overhead_sum_ns");
    const double sum_ns = known_ns < 0 ? call_ns : known_ns;
    const uint64_t recorded = s->call_number - s->aggregated_number;
    return call_ns < 0 || s->run_ns <= 0
               ? 0
               : ((double)recorded * call_ns + (double)s->aggregated_number * sum_ns + s->flush_ns) / s->run_ns;
}

/* Prints the share of the run that mpgsim deducts, if mpgsim's time for a call differs from the overhead printed before. */
static void print_deducted(const struct stat_summary *s, uint64_t recorded)
{
    const double call_ns = deducted_call(s);
    char text[32];
    if (call_ns < 0 || cost_of_call(s, recorded) == call_ns)
        return;
    printf("            mpgsim deducts %.2f %%: for each call %s, %s\n", 100 * deducted_share(s),
           mean_fact(s->trace, "overhead_call_median_ns") >= 0 ? "the median overhead in this run"
                                                               : "the overhead measured in MPI_Init",
           mpg_units_format_time(text, sizeof text, call_ns));
}

/* Returns fact KEY in ns, summed over the ranks with this fact. The tracer writes no fact of 0 ns. */
static double sum_of_fact(const struct mpg_trace *trace, const char *key)
{
    double sum_ns = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(trace); r++) {
        const double ns = mpg_units_parse_fact(mpg_trace_find_fact(trace, r, key), 0);
        sum_ns += ns > 0 ? ns : 0;
    }
    return sum_ns;
}

/* Prints the tracer's overhead. */
static void print_overhead(const struct stat_summary *s)
{
    const uint64_t recorded = s->call_number - s->aggregated_number;
    const double call_ns = cost_of_call(s, recorded);
    double sum_ns = mean_fact(s->trace, "overhead_sum_ns");
    /* The time for new stacks is a part of the flushes, except in traces of older versions. */
    const double flushed_ns = sum_of_fact(s->trace, "flushed_stacks_ns"),
                 beside_ns = sum_of_fact(s->trace, "overhead_stacks_ns"), stacks_ns = flushed_ns + beside_ns;
    char text[32];
    if (call_ns < 0 || s->run_ns <= 0)
        return;
    if (sum_ns < 0)
        sum_ns = call_ns;
    printf("overhead    recording took %.2f %% of the run: %" PRIu64 " %s x %s",
           100 * ((double)recorded * call_ns + (double)s->aggregated_number * sum_ns + beside_ns + s->flush_ns) /
               s->run_ns,
           recorded, mpg_units_word(recorded, "call", "calls"), mpg_units_format_time(text, sizeof text, call_ns));
    if (s->aggregated_number)
        printf(", %" PRIu64 " aggregated x %s", s->aggregated_number,
               mpg_units_format_time(text, sizeof text, sum_ns));
    if (stacks_ns > 0)
        printf(", new call stacks %s", mpg_units_format_time(text, sizeof text, stacks_ns));
    const double writing_ns = s->flush_ns > flushed_ns ? s->flush_ns - flushed_ns : 0;
    printf(", writing %s\n", mpg_units_format_time(text, sizeof text, writing_ns));
    print_deducted(s, recorded);
}

bool mpg_stat_recording(const struct stat_summary *s, struct stat_recording *recording)
{
    double off_ns = 0, in_ns = 0;
    *recording = (struct stat_recording){.max_share = -1};
    if (mpg_trace_find_fact(s->trace, 0, "predicted"))
        return false;
    for (int32_t i = 0; i < mpg_trace_ranks(s->trace); i++) {
        const struct stat_rank *r = &s->ranks[i];
        const double share = stat_off_share(r);
        if (!r->off_cpu_known)
            return false;
        off_ns += r->off_between_ns;
        in_ns += r->off_in_ns;
        if (share > recording->max_share) {
            recording->max_share = share;
            recording->max_rank = i;
        }
    }
    recording->overhead_share = deducted_share(s);
    recording->mean_share = s->run_ns > 0 ? off_ns / s->run_ns : 0;
    recording->calls_share = s->run_ns > 0 ? in_ns / s->run_ns : 0;
    recording->is_good = recording->max_share <= MPG_TRACE_GOOD_OFF;
    return s->run_ns > 0;
}

const char *mpg_stat_recording_verdict(const struct stat_recording *recording)
{
    return recording->is_good ? "good" : recording->max_share > MPG_TRACE_FAIR_OFF ? "poor" : "fair";
}

/* Writes SHARE as a percentage of at least two significant digits to TEXT (SIZE bytes); returns TEXT. */
static const char *format_share(char *text, size_t size, double share)
{
    const double percent = 100 * share;
    snprintf(text, size, "%.*f %%", percent >= 9.95 ? 0 : percent >= 0.995 ? 1 : 2, percent);
    return text;
}

/* Prints whether other work on the machine disturbed the run. */
static void print_recording(const struct stat_summary *s)
{
    struct stat_recording r;
    char all[32], max[32];
    if (!mpg_stat_recording(s, &r)) {
        if (mpg_trace_find_fact(s->trace, 0, "mpgkit") && !mpg_trace_find_fact(s->trace, 0, "off_cpu"))
            printf("recording   off-CPU time not recorded (trace of an older version, or of a system that cannot)\n");
        return;
    }
    format_share(all, sizeof all, r.mean_share);
    format_share(max, sizeof max, r.max_share);
    if (r.is_good && r.overhead_share > MPG_TRACE_GOOD_OVERHEAD)
        printf("recording   %s: recording itself took %.0f %% of the run%s; %s of the ranks' time off the CPU\n",
               r.overhead_share > MPG_TRACE_FAIR_OVERHEAD ? "poor" : "fair", 100 * r.overhead_share,
               r.overhead_share > MPG_TRACE_FAIR_OVERHEAD ? " (less with record --callsites=0)" : "", all);
    else if (r.is_good) {
        printf("recording   good: %s of the ranks' time off the CPU (rank %" PRId32 " most: %s)", all, r.max_rank, max);
        if (r.calls_share > MPG_TRACE_CALLS_OFF)
            printf("; in MPI %s, which mpgsim --predict replaces and --perturb keeps",
                   format_share(all, sizeof all, r.calls_share));
        putchar('\n');
    } else
        printf("recording   %s: rank %" PRId32 " was off its CPU for %s of the run (all ranks: %s): record again on an "
               "idle machine\n", mpg_stat_recording_verdict(&r), r.max_rank, max, all);
}

/* Prints the sums of counters recorded between calls. */
static void print_values(const struct stat_summary *s)
{
    for (size_t i = 0; i < s->value_number; i++) {
        char name[256];
        mpg_printable_bytes(name, sizeof name, s->values[i].name, s->values[i].length);
        printf("%s%s %" PRId64, i ? ", " : "counted     ", name, s->values[i].sum);
    }
    if (s->value_number)
        printf(" between calls\n");
}

/* Returns the size of the trace on disk, bytes, without a stored signature. */
static uint64_t bytes_of_calls(const struct mpg_trace *t)
{
    struct mpg_stored_signature stored;
    const char *key, *value;
    uint64_t bytes = mpg_trace_bytes(t);
    if (mpg_trace_find_signature(t, &stored))
        for (size_t i = 0; mpg_trace_fact(t, stored.rank, i, &key, &value); i++)
            if (strcmp(key, "signature_part") == 0)
                bytes -= strlen(key) + strlen(value) + 2;
    return bytes;
}

/* Prints the share of the run spent in MPI. */
static void print_share(const struct stat_summary *s)
{
    int32_t min = 0, max = 0;
    double mpi_ns = 0;
    char time[32];
    if (s->run_ns <= 0)
        return;
    for (int32_t r = 0; r < mpg_trace_ranks(s->trace); r++) {
        const double share = stat_share(&s->ranks[r]);
        mpi_ns += s->ranks[r].sum.time_ns;
        min = share < stat_share(&s->ranks[min]) ? r : min;
        max = share > stat_share(&s->ranks[max]) ? r : max;
    }
    printf("in MPI      %.2f %% of all ranks' time, %s (%.2f %% on rank %d to %.2f %% on rank %d)\n",
           100 * mpi_ns / s->run_ns, mpg_units_format_time(time, sizeof time, mpi_ns),
           100 * stat_share(&s->ranks[min]), min, 100 * stat_share(&s->ranks[max]), max);
}

/* Prints how many bytes were sent from the memory of GPUs, and received into it. */
static void print_device(const struct stat_summary *s)
{
    char sent[32], received[32];
    if (s->device_sent_bytes + s->device_received_bytes > 0)
        printf("GPU memory  %s sent from it, %s received into it\n",
               mpg_units_format_size(sent, sizeof sent, (int64_t)s->device_sent_bytes),
               mpg_units_format_size(received, sizeof received, (int64_t)s->device_received_bytes));
}

void mpg_stat_print_head(const struct stat_summary *s)
{
    static const char *const clocks[] = {"not comparable across ranks", "shared by all ranks",
                                         "offsets measured"};
    const struct mpg_trace *t = s->trace;
    char longest[32], size[32];
    const char *key, *value;
    int32_t incomplete = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(t); r++)
        incomplete += !s->ranks[r].started || !s->ranks[r].ended;
    print_text("trace       ", mpg_trace_path(t));
    printf("\nranks       %d", mpg_trace_ranks(t));
    if (incomplete)
        printf(" (%d without MPI_Init or MPI_Finalize)", incomplete);
    for (size_t i = 0; mpg_trace_fact(t, 0, i, &key, &value); i++)
        if (strcmp(key, "program") == 0 || strcmp(key, "host") == 0 ||
            strcmp(key, "date") == 0 || strcmp(key, "predicted") == 0) {
            printf("\n%-11s ", key);
            print_text("", value);
        }
    printf("\nrun time    %s (longest rank, %s)\n", mpg_units_format_time(longest, sizeof longest, s->longest_ns),
           mpg_trace_is_excerpt(t) ? "within the excerpt" : "MPI_Init to MPI_Finalize");
    print_share(s);
    printf("clocks      %s\n", clocks[mpg_trace_clocks(t)]);
    print_machine(t);
    print_threads(t);
    uint64_t in_segments = mpg_trace_segment_events(t);
    printf("calls       %" PRIu64 ", %s on disk, ", s->call_number,
           mpg_units_format_size(size, sizeof size, (int64_t)mpg_trace_bytes(t)));
    if (in_segments)
        printf("%" PRIu64 " further %s in segments\n", in_segments, mpg_units_word(in_segments, "event", "events"));
    else
        printf("%.2f bytes a call\n",
               s->call_number ? (double)bytes_of_calls(t) / (double)s->call_number : 0);
    if (s->aggregated_number)
        printf("aggregated  %" PRIu64 " of the calls %s local (MPI_Wtime and the like): only sums of them are in the trace\n",
               s->aggregated_number, mpg_units_word(s->aggregated_number, "is", "are"));
    print_excerpt(t);
    if (s->failed_number)
        printf("failed      %" PRIu64 " of the calls returned an error\n", s->failed_number);
    print_device(s);
    print_values(s);
    print_recording(s);
    print_overhead(s);
    print_running(t);
    print_killed(s);
    print_deaths(s);
    print_lost(s);
    print_incomplete(t);
    print_imported(t);
    if (mpg_trace_cut(t)) {
        print_text("cut off     ", mpg_trace_cut(t));
        putchar('\n');
    }
    print_spawned(t);
}
