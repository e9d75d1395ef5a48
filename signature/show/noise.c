/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigshow's tables of noise, a row for each core. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/units.h"
#include "signature/causes.h"
#include "signature/show/show.h"

enum {
    MAX_LAGS = 6,      /* number of lags shown */
    EVENTS_WIDTH = 96, /* maximum number of bytes of a core's line of events */
};

typedef bool has_function(const struct mpg_noise_core *);

static bool has_record(const struct mpg_noise_core *c)
{
    return c->span_ns > 0;
}

static bool has_quanta(const struct mpg_noise_core *c)
{
    return c->ftq.lost_ns || c->fwq.lost_ns;
}

static bool has_spectrum(const struct mpg_noise_core *c)
{
    return c->spectrum.n > 0 || c->lines > 0;
}

static bool has_lags(const struct mpg_noise_core *c)
{
    return c->lags > 0 && c->ftq.lost_ns;
}

static bool has_events(const struct mpg_noise_core *c)
{
    return c->events > 0;
}

static size_t count(const struct mpg_signature *sig, has_function *has)
{
    size_t n = 0;
    for (size_t i = 0; i < sig->cores; i++)
        n += has(&sig->core[i]);
    return n;
}

static void show_name(const struct mpg_noise_core *c)
{
    char text[SHOW_TEXT];
    printf("%4s", show_core_name(text, c->host, c->core));
}

static void show_record(const struct mpg_noise_core *c, bool all)
{
    (void)all;
    show_name(c);
    show_time(c->threshold_ns);
    show_time(c->span_ns);
    printf(" %9.4f", 100 * c->fraction_lost);
    if (c->off_known)
        printf(" %9.4f", 100 * c->fraction_off);
    else
        printf(" %9s", "-");
    printf(" %9.1f", (double)mpg_noise_core_recorded(c) / (c->span_ns * 1e-9));
    show_quantiles(c->length_ns);
    show_best_fit(c->length_ns);
}

static bool is_part(const struct mpg_noise_core *c)
{
    return c->blocks.recorded > 0;
}

static void show_part(const struct mpg_noise_core *c, bool all)
{
    const struct mpg_noise_blocks *b = &c->blocks;
    double time_ns = 0;
    (void)all;
    for (size_t i = 0; i < b->n; i++)
        time_ns += b->block[i].to_ns - b->block[i].from_ns;
    show_name(c);
    printf(" %9zu %9zu", b->recorded, c->detours);
    show_time(c->detours > 0 ? b->min_ns : 0);
    printf(" %9zu %9zu", b->n, b->detours);
    show_time(time_ns);
    putchar('\n');
}

/* Prints a row for quanta Q of core C. WORK: Q is FWQ: the quantum is the minimum time of the work, and lost time lengthens a
 * sample. */
static void show_kind(const struct mpg_noise_core *c, bool work, const struct mpg_noise_quanta *q)
{
    const struct mpg_distribution *d = q->lost_ns;
    if (!d)
        return;
    double mean_length_ns = q->quantum_ns + (work ? d->mean : 0);
    show_name(c);
    printf("  %-4s", work ? "FWQ" : "FTQ");
    show_time(q->quantum_ns);
    printf(" %9zu %9.4f", d->n, mean_length_ns > 0 ? 100 * d->mean / mean_length_ns : 0.0);
    show_quantiles(d);
    show_best_fit(d);
}

static void show_quanta(const struct mpg_noise_core *c, bool all)
{
    (void)all;
    show_kind(c, false, &c->ftq);
    show_kind(c, true, &c->fwq);
}

/* Prints the autocorrelation at the lags where it is outside the 95 % bound of white noise (Bartlett 1946). */
static void show_lags(const struct mpg_noise_core *c, bool all)
{
    double bound = 1.96 / sqrt((double)c->ftq.lost_ns->n);
    size_t n = 0, max = all ? c->lags : MAX_LAGS;
    show_name(c);
    printf("  ");
    for (size_t i = 0; i < c->lags; i++)
        if (fabs(c->autocorrelation[i]) > bound && ++n <= max)
            printf(" %zu: %+.3f ", i + 1, c->autocorrelation[i]);
    if (n > max)
        printf(" and %zu more", n - max);
    if (n == 0)
        printf(" none");
    printf("  (bound %.3f, %zu lags)\n", bound, c->lags);
}

/* Prints C's events on one line. Unless ALL, events of count 0 are left out and the line is truncated. */
static void show_events(const struct mpg_noise_core *c, bool all)
{
    size_t length = 0;
    show_name(c);
    printf("  ");
    for (size_t i = 0; i < c->events && (all || length < EVENTS_WIDTH); i++) {
        const struct mpg_fact *e = &c->event[i];
        if (!all && strcmp(e->value, "0") == 0)
            continue;
        size_t room = all ? SIZE_MAX : EVENTS_WIDTH - length, used = strlen(e->value);
        used = used < room ? used : room;
        while (e->value[used] && ((unsigned char)e->value[used] & 0xc0) == 0x80)
            used--; /* the text must not end within a multibyte character */
        printf("%s %s %.*s%s", length > 0 ? ";" : "", e->key, (int)used, e->value,
               e->value[used] ? "..." : "");
        length += used + strlen(e->key) + 2;
    }
    puts(length == 0 ? " none" : !all && length >= EVENTS_WIDTH ? " (--all)" : "");
}

/* Prints the time lost in all records together; if all cores record off-CPU time, divided into interruptions and
 * off-CPU time. */
static void show_share(const struct mpg_signature *sig)
{
    double span_ns = 0, lost_ns = 0, off_ns = 0;
    bool known = true;
    for (size_t i = 0; i < sig->cores; i++) {
        const struct mpg_noise_core *c = &sig->core[i];
        span_ns += c->span_ns;
        lost_ns += c->fraction_lost * c->span_ns;
        off_ns += c->fraction_off * c->span_ns;
        known = known && (c->off_known || c->span_ns <= 0);
    }
    if (!(span_ns > 0))
        return;
    printf("\nNoise %.3g %% of the time", 100 * lost_ns / span_ns);
    if (known)
        printf(": %.3g %% interruptions, %.3g %% off the CPU (preempted or stolen)\n",
               100 * fmax(lost_ns - off_ns, 0) / span_ns, 100 * off_ns / span_ns);
    else
        puts(": interruptions, preemption and stolen time, which the record does not distinguish");
}

/* Prints a table under HEAD with a row of SHOW_ROW for each core that HAS the data; without --all only for the first SHOW_CORES.
 * If no core has the data, WHAT is noted as not measured. */
static void show_cores(const struct mpg_signature *sig, struct show *show, has_function *has,
                       const char *what, const char *head,
                       void (*show_row)(const struct mpg_noise_core *, bool all))
{
    size_t n = 0, cores = count(sig, has), max = show->all ? sig->cores : SHOW_CORES;
    if (cores == 0) {
        show_missing(show, what);
        return;
    }
    printf("\n%s", head);
    for (size_t i = 0; i < sig->cores; i++)
        if (has(&sig->core[i]) && n++ < max)
            show_row(&sig->core[i], show->all);
    show_rest(cores, max, "cores");
}

/* Prints the causes of lost time over all cores with known causes; without --all only the SHOW_CAUSES largest causes. */
static void show_causes(const struct mpg_signature *sig, const struct show *show)
{
    enum { SHOW_CAUSES = 10 };
    struct mpg_cause_total *total;
    struct mpg_error err;
    size_t n;
    if (mpg_signature_causes(sig, &total, &n, &err) < 0) {
        mpg_error_print("sigshow", &err);
        return;
    }
    const size_t max = show->all ? n : SHOW_CAUSES;
    if (n > 0)
        puts("\nNoise: by cause                             time %  a second    longest");
    for (size_t i = 0; i < n && i < max; i++) {
        printf("%-40.40s %9.4f %9.4g", total[i].name, 100 * total[i].fraction, total[i].per_s);
        show_time(total[i].longest_ns);
        putchar('\n');
    }
    if (n > 0)
        show_rest(n, max, "causes");
    free(total);
}

static bool is_together(const struct mpg_noise_core *c)
{
    return c->together;
}

static void show_together(const struct mpg_noise_core *c, bool all)
{
    (void)all;
    show_name(c);
    show_time(c->offset_ns);
    printf(" %9.4f", 100 * c->fraction_lost);
    if (c->alone_lost >= 0)
        printf(" %9.4f\n", 100 * c->alone_lost);
    else
        printf(" %9s\n", "-");
}

void show_noise(const struct mpg_signature *sig, struct show *show)
{
    show_share(sig);
    show_causes(sig, show);
    show_cores(sig, show, has_record, "detours",
               "Noise: detours                     lost   off CPU   detours   duration\n"
               "core  threshold       span         %         %  a second         p1        p50   +-95        p99   +-95"
               "        max  best fit, KS\n",
               show_record);
    if (count(sig, is_part) > 0)
        show_cores(sig, show, is_part, NULL,
                   "Noise: reduced records: the longest detours and the least of them; detours and time of sampled blocks\n"
                   "core  recorded   longest      least    blocks   detours       time\n",
                   show_part);
    if (count(sig, is_together) > 0)
        show_cores(sig, show, is_together, NULL,
                   "Noise: cores measured at the same time: begin, time lost; alone: time lost when measured one by one\n"
                   "core      began    lost %   alone %\n",
                   show_together);
    show_cores(sig, show, has_quanta, "fixed time or work quanta",
               "Noise: fixed time (FTQ), work (FWQ)     lost   time lost in a quantum\n"
               "core  kind    quantum    quanta         %         p1        p50   +-95        p99   +-95"
               "        max  best fit, KS\n",
               show_quanta);
    show_cores(sig, show, has_spectrum, "spectra",
               "Noise: spectral lines of the time lost in FTQ quanta\n"
               "core         line  amplitude  false alarm  harmonics\n",
               show_lines);
    show_cores(sig, show, has_lags, "autocorrelations",
               "Noise: autocorrelation of FTQ at lags (in quanta) where it is beyond the bound"
               " of white noise\ncore\n",
               show_lags);
    show_cores(sig, show, has_events, "events", "Noise: events while measuring\ncore\n",
               show_events);
}
