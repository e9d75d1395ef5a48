/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks a signature for all invariants that signature.h states. */
#include <math.h>
#include <string.h>

#include "signature/signature.h"

/* ---- values ---- */

static int check_text(const char *text, const char *key, struct mpg_error *err)
{
    if (!text || !*text)
        return mpg_error_set(err, "%s is missing", key);
    if (strlen(text) > MPG_LINE_MAX_BYTES)
        return mpg_error_set(err, "%s is longer than %d bytes", key, (int)MPG_LINE_MAX_BYTES);
    if (!mpg_text_is_line(text))
        return mpg_error_set(err, "%s is not one line of text", key);
    return 0;
}

static int check_facts(const struct mpg_fact *fact, size_t n, size_t max, const char *what,
                       struct mpg_error *err)
{
    if (n > max)
        return mpg_error_set(err, "%s has %zu entries, more than %zu", what, n, max);
    for (size_t i = 0; i < n; i++) {
        if (strlen(fact[i].key) > MPG_LINE_MAX_BYTES ||
            strlen(fact[i].value) > MPG_LINE_MAX_BYTES)
            return mpg_error_set(err, "%s: %.80s is longer than %d bytes", what, fact[i].key,
                                 (int)MPG_LINE_MAX_BYTES);
        if (!mpg_text_is_line(fact[i].key) || !mpg_text_is_line(fact[i].value))
            return mpg_error_set(err, "%s: entry %zu is not one line of text", what, i);
    }
    return 0;
}

static int check_count(size_t n, size_t max, const char *key, struct mpg_error *err)
{
    return n <= max ? 0 : mpg_error_set(err, "%s has %zu elements, more than %zu", key, n, max);
}

/* Checks that D, a distribution of times or rates, has no negative values. */
static int check_times(const struct mpg_distribution *d, const char *key, struct mpg_error *err)
{
    if (!d)
        return mpg_error_set(err, "%s is missing", key);
    if (mpg_distribution_check(d, err) < 0)
        return mpg_error_prefix(err, "%s", key);
    if (d->quantiles[0] < 0)
        return mpg_error_set(err, "%s: quantiles[0] is %g, negative", key, d->quantiles[0]);
    return 0;
}

/* Checks that VALUE is not negative. */
static int check_time(double value, const char *key, struct mpg_error *err)
{
    if (!(value >= 0 && value <= MPG_DISTRIBUTION_LIMIT))
        return mpg_error_set(err, "%s is %g, not within 0 to %g", key, value,
                             MPG_DISTRIBUTION_LIMIT);
    return 0;
}

static int check_finite(double value, const char *key, struct mpg_error *err)
{
    if (!(fabs(value) <= MPG_DISTRIBUTION_LIMIT))
        return mpg_error_set(err, "%s is %g, out of range", key, value);
    return 0;
}

static int check_probability(double value, const char *key, struct mpg_error *err)
{
    if (!(value >= 0 && value <= 1))
        return mpg_error_set(err, "%s is %g, not within 0 to 1", key, value);
    return 0;
}

static int check_bytes(int64_t bytes, const char *key, struct mpg_error *err)
{
    if (bytes < 0)
        return mpg_error_set(err, "%s is %lld, negative", key, (long long)bytes);
    return 0;
}

/* Checks a host and a core of the host. */
static int check_place(const char *host, int core, int cores_at_once, struct mpg_error *err)
{
    if (host && check_text(host, "host", err) < 0)
        return -1;
    if (core < 0)
        return mpg_error_set(err, "core is %d, negative", core);
    if (cores_at_once < 0)
        return mpg_error_set(err, "cores_at_once is %d, negative", cores_at_once);
    return 0;
}

static int compare_hosts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

/* ---- noise ---- */

/* Checks that N detours are within FROM_NS..TO_NS, ascending, without overlap. */
static int check_run(const double *start_ns, const double *duration_ns, size_t n, double from_ns,
                     double to_ns, struct mpg_error *err)
{
    double end_ns = from_ns;
    for (size_t i = 0; i < n; i++) {
        double start = start_ns[i], duration = duration_ns[i];
        if (!(start >= 0 && start < to_ns))
            return mpg_error_set(err, "start_ns[%zu] is %.17g, not within 0 to span_ns", i, start);
        if (!(duration >= 0))
            return mpg_error_set(err, "duration_ns[%zu] is %.17g, not a time", i, duration);
        if (start < end_ns)
            return mpg_error_set(err, "start_ns[%zu] is %.17g, before the previous detour ends"
                                      " at %.17g", i, start, end_ns);
        end_ns = start + duration;
        if (!(end_ns <= to_ns))
            return mpg_error_set(err, "duration_ns[%zu] is %.17g: the detour ends after span_ns",
                                 i, duration);
    }
    return 0;
}

int mpg_noise_detours_check(const struct mpg_noise_core *c, struct mpg_error *err)
{
    return check_run(c->start_ns, c->duration_ns, c->detours, 0, c->span_ns, err);
}

static int check_blocks(const struct mpg_noise_core *c, struct mpg_error *err)
{
    const struct mpg_noise_blocks *b = &c->blocks;
    double end_ns = 0;
    size_t detours = 0;
    if (b->recorded == 0)
        return b->n == 0 && b->detours == 0 ? 0 : mpg_error_set(err, "recorded is missing");
    if (b->n < 1 || check_count(b->n, MPG_SIGNATURE_MAX_BLOCKS, "n", err) < 0 ||
        check_count(b->detours, MPG_SIGNATURE_MAX_DETOURS, "detours", err) < 0 ||
        check_time(b->min_ns, "least_ns", err) < 0)
        return b->n < 1 ? mpg_error_set(err, "there are none") : -1;
    if (c->detours > 0 && !(b->min_ns > 0))
        return mpg_error_set(err, "least_ns is missing");
    for (size_t i = 0; i < c->detours; i++)
        if (c->duration_ns[i] < b->min_ns)
            return mpg_error_set(err, "detour %zu lasts %g ns, less than least_ns, which is %g", i,
                                 c->duration_ns[i], b->min_ns);
    for (size_t i = 0; i < b->n; i++) {
        const struct mpg_noise_block *block = &b->block[i];
        if (!(block->from_ns >= end_ns && block->to_ns > block->from_ns &&
              block->to_ns <= c->span_ns))
            return mpg_error_set(err, "block %zu is from %.17g to %.17g", i, block->from_ns,
                                 block->to_ns);
        if (block->first != detours || block->detours < 1 || block->detours > b->detours - detours)
            return mpg_error_set(err, "block %zu has %zu detours", i, block->detours);
        if (check_run(b->start_ns + detours, b->duration_ns + detours, block->detours,
                      block->from_ns, block->to_ns, err) < 0)
            return mpg_error_prefix(err, "block %zu", i);
        detours += block->detours;
        end_ns = block->to_ns;
    }
    if (detours != b->detours || b->recorded < b->detours || b->recorded < c->detours)
        return mpg_error_set(err, "recorded is %zu, blocks hold %zu detours, of %zu", b->recorded,
                             detours, b->detours);
    return 0;
}

/* Checks that off-CPU flags exist either for all detours, also detours of the blocks, or for no detour. */
static int check_off(const struct mpg_noise_core *c, struct mpg_error *err)
{
    if (c->off_known != (c->mark != NULL) ||
        (c->off_known && c->blocks.recorded > 0) != (c->blocks.mark != NULL))
        return mpg_error_set(err, "off_cpu is there of some detours only");
    return 0;
}

/* Checks that each detour's cause has a name, and that names are texts of one line. */
static int check_causes(const struct mpg_noise_core *c, struct mpg_error *err)
{
    const size_t n = c->causes > 0 ? c->causes : 1;
    if (c->causes > MPG_SIGNATURE_MAX_CAUSES || (c->causes > 0 && !c->off_known))
        return mpg_error_set(err, "cause_names has %zu, of at most %d, with off_cpu", c->causes, (int)MPG_SIGNATURE_MAX_CAUSES);
    for (size_t i = 0; i < c->causes; i++)
        if (check_text(c->cause[i], "cause_names", err) < 0)
            return -1;
    for (size_t i = 0; c->mark && i < c->detours; i++)
        if (c->mark[i] / 2 >= n)
            return mpg_error_set(err, "cause %d of detour %zu has no name", c->mark[i] / 2, i);
    for (size_t i = 0; c->blocks.mark && i < c->blocks.detours; i++)
        if (c->blocks.mark[i] / 2 >= n)
            return mpg_error_set(err, "cause %d of detour %zu of blocks has no name", c->blocks.mark[i] / 2, i);
    return 0;
}

static int check_detours(const struct mpg_noise_core *c, struct mpg_error *err)
{
    if (check_count(c->detours, MPG_SIGNATURE_MAX_DETOURS, "start_ns", err) < 0 ||
        mpg_noise_detours_check(c, err) < 0 || check_off(c, err) < 0 || check_causes(c, err) < 0)
        return -1;
    return check_blocks(c, err) < 0 ? mpg_error_prefix(err, "blocks") : 0;
}

static int check_quanta(const struct mpg_noise_quanta *q, const char *key, struct mpg_error *err)
{
    int status = check_time(q->quantum_ns, "quantum_ns", err);
    if (status == 0 && !q->lost_ns != !(q->quantum_ns > 0))
        status = mpg_error_set(err, "quantum_ns and lost_ns belong together");
    if (status == 0 && q->lost_ns)
        status = check_times(q->lost_ns, "lost_ns", err);
    return status < 0 ? mpg_error_prefix(err, "%s", key) : 0;
}

static int check_series(const struct mpg_noise_series *s, const char *key, struct mpg_error *err)
{
    if (check_count(s->n, MPG_SIGNATURE_MAX_LIST, key, err) < 0)
        return -1;
    if (s->n > 0 && !(s->step > 0 && s->step <= MPG_DISTRIBUTION_LIMIT))
        return mpg_error_set(err, "%s: step is %g, not positive", key, s->step);
    for (size_t i = 0; i < s->n; i++) { /* rounding in the file may lift a mean above the maximum */
        if (!(s->mean[i] >= 0 && s->mean[i] <= s->max[i] * (1 + 1e-9) &&
              s->max[i] <= MPG_DISTRIBUTION_LIMIT))
            return mpg_error_set(err, "%s: value %zu has mean %g and most %g", key, i, s->mean[i],
                                 s->max[i]);
    }
    return 0;
}

static int check_lines(const struct mpg_noise_core *c, struct mpg_error *err)
{
    if (check_count(c->lines, MPG_SIGNATURE_MAX_LIST, "lines", err) < 0)
        return -1;
    for (size_t i = 0; i < c->lines; i++) {
        const struct mpg_noise_line *line = &c->line[i];
        int status = check_time(line->frequency_hz, "frequency_hz", err);
        if (status == 0 && !(line->frequency_hz > 0))
            status = mpg_error_set(err, "frequency_hz is 0");
        if (status == 0)
            status = check_time(line->amplitude_ns, "amplitude_ns", err);
        if (status == 0 && i > 0 && line->amplitude_ns > line[-1].amplitude_ns)
            status = mpg_error_set(err, "amplitude_ns is %g, not descending", line->amplitude_ns);
        if (status == 0)
            status = check_time(line->harmonic_of_hz, "harmonic_of_hz", err);
        if (status == 0)
            status = check_probability(line->false_alarm, "false_alarm", err);
        if (status < 0)
            return mpg_error_prefix(err, "lines[%zu]", i);
    }
    return 0;
}

static int check_autocorrelation(const struct mpg_noise_core *c, struct mpg_error *err)
{
    if (check_count(c->lags, MPG_SIGNATURE_MAX_LIST, "autocorrelation", err) < 0)
        return -1;
    for (size_t i = 0; i < c->lags; i++)
        if (!(fabs(c->autocorrelation[i]) <= 1))
            return mpg_error_set(err, "autocorrelation[%zu] is %g, not within -1 to 1", i,
                                 c->autocorrelation[i]);
    return 0;
}

int mpg_noise_core_check(const struct mpg_noise_core *c, struct mpg_error *err)
{
    if (check_place(c->host, c->core, c->cores_at_once, err) < 0 ||
        check_time(c->threshold_ns, "threshold_ns", err) < 0 ||
        check_time(c->span_ns, "span_ns", err) < 0 ||
        check_time(c->offset_ns, "offset_ns", err) < 0 ||
        (c->alone_lost != -1 && check_probability(c->alone_lost, "alone_lost", err) < 0) ||
        check_quanta(&c->ftq, "ftq", err) < 0 || check_quanta(&c->fwq, "fwq", err) < 0)
        return -1;
    if (check_detours(c, err) < 0)
        return mpg_error_prefix(err, "detours");
    if (check_probability(c->fraction_lost, "fraction_lost", err) < 0 ||
        check_probability(c->fraction_off, "fraction_off_cpu", err) < 0)
        return -1;
    if (c->fraction_off > 0 && !c->off_known)
        return mpg_error_set(err, "fraction_off_cpu is %g without off_cpu", c->fraction_off);
    if ((c->gap_ns || c->length_ns) && mpg_noise_core_recorded(c) < 2)
        return mpg_error_set(err, "gap_ns or duration_ns without two detours");
    if ((c->gap_ns && check_times(c->gap_ns, "gap_ns", err) < 0) ||
        (c->length_ns && check_times(c->length_ns, "duration_ns", err) < 0) ||
        check_series(&c->series, "series", err) < 0 ||
        check_series(&c->spectrum, "spectrum", err) < 0 ||
        check_probability(c->false_alarm, "false_alarm", err) < 0 || check_lines(c, err) < 0 ||
        check_autocorrelation(c, err) < 0)
        return -1;
    return check_facts(c->event, c->events, MPG_SIGNATURE_MAX_FACTS, "events", err);
}

static int check_noise(const struct mpg_signature *sig, struct mpg_error *err)
{
    if (check_count(sig->cores, MPG_SIGNATURE_MAX_CORES, "noise", err) < 0)
        return -1;
    for (size_t i = 0; i < sig->cores; i++) {
        const struct mpg_noise_core *c = &sig->core[i];
        if (mpg_noise_core_check(c, err) < 0)
            return mpg_error_prefix(err, "noise[%zu]", i);
        if (!(c->fraction_off <= c->fraction_lost + 1e-6))
            return mpg_error_set(err, "noise[%zu]: fraction_off_cpu is %g, more than"
                                      " fraction_lost, %g", i, c->fraction_off, c->fraction_lost);
        int order = i > 0 ? compare_hosts(c[-1].host, c->host) : -1;
        if (order > 0)
            return mpg_error_set(err, "noise[%zu]: host is %.80s, not ascending", i,
                                 c->host ? c->host : "not said");
        if (order == 0 && c->core <= c[-1].core)
            return mpg_error_set(err, "noise[%zu]: core is %d, not ascending", i, c->core);
    }
    return 0;
}

/* ---- network ---- */

static int check_launches(const struct mpg_launches *launches, const char *key,
                          struct mpg_error *err)
{
    if (check_count(launches->n, MPG_SIGNATURE_MAX_LAUNCHES, "launches", err) < 0)
        return -1;
    if (launches->n == 1)
        return mpg_error_set(err, "launches has one element, which is the whole");
    for (size_t i = 0; i < launches->n; i++)
        if (check_times(launches->ns[i], key, err) < 0)
            return mpg_error_prefix(err, "launches[%zu]", i);
    return 0;
}

static int check_rows(const struct mpg_rows *rows, struct mpg_error *err)
{
    if (rows->blocks == 0)
        return rows->length == 0 ? 0 : mpg_error_set(err, "rows: length without blocks");
    if (rows->length == 0 || rows->length > MPG_SIGNATURE_MAX_ROWS / rows->blocks)
        return mpg_error_set(err, "rows: %zu blocks of %zu, not 1 to %d in all", rows->blocks,
                             rows->length, (int)MPG_SIGNATURE_MAX_ROWS);
    for (size_t i = 0; i < rows->blocks * rows->length; i++)
        if (mpg_rows_class(rows->classes[i]) < 0)
            return mpg_error_set(err, "rows: classes[%zu] is not base64", i);
    return 0;
}

static int check_sizes(const struct mpg_network_sizes *sizes, const char *what, const char *key,
                       struct mpg_error *err)
{
    const struct mpg_network_size *size = sizes->size;
    if (check_count(sizes->n, MPG_SIGNATURE_MAX_SIZES, what, err) < 0)
        return -1;
    for (size_t i = 0; i < sizes->n; i++) {
        if (size[i].size_bytes < 0 || (i > 0 && size[i].size_bytes <= size[i - 1].size_bytes))
            return mpg_error_set(err, "%s[%zu]: size_bytes is %lld, not ascending from 0", what,
                                 i, (long long)size[i].size_bytes);
        if (check_times(size[i].time_ns, key, err) < 0 ||
            check_launches(&size[i].launches, key, err) < 0 || check_rows(&size[i].rows, err) < 0)
            return mpg_error_prefix(err, "%s[%zu]", what, i);
    }
    return 0;
}

static int check_segment(const struct mpg_loggp_segment *s, struct mpg_error *err)
{
    if (s->from_bytes < 0 || s->to_bytes < s->from_bytes)
        return mpg_error_set(err, "from_bytes %lld to_bytes %lld is no range of sizes",
                             (long long)s->from_bytes, (long long)s->to_bytes);
    if (check_finite(s->latency_ns, "latency_ns", err) < 0 ||
        check_time(s->latency_error_ns, "latency_error_ns", err) < 0 ||
        check_finite(s->gap_per_byte_ns, "gap_per_byte_ns", err) < 0 ||
        check_time(s->gap_per_byte_error_ns, "gap_per_byte_error_ns", err) < 0 ||
        check_time(s->residual_sd_ns, "residual_sd_ns", err) < 0)
        return -1;
    return check_time(s->worst_relative, "worst_relative", err);
}

static int check_loggp(const struct mpg_loggp *loggp, struct mpg_error *err)
{
    if (check_finite(loggp->overhead_ns, "overhead_ns", err) < 0 ||
        check_finite(loggp->gap_ns, "gap_ns", err) < 0 ||
        check_count(loggp->segments, MPG_SIGNATURE_MAX_SIZES, "segments", err) < 0)
        return -1;
    for (size_t i = 0; i < loggp->segments; i++) {
        const struct mpg_loggp_segment *s = &loggp->segment[i];
        if (check_segment(s, err) < 0)
            return mpg_error_prefix(err, "segments[%zu]", i);
        if (i > 0 && s->from_bytes < s[-1].to_bytes)
            return mpg_error_set(err, "segments[%zu]: from_bytes is %lld, not ascending", i,
                                 (long long)s->from_bytes);
    }
    return 0;
}

static int check_groups(const struct mpg_network_group *group, size_t n, const char *key,
                        struct mpg_error *err)
{
    if (check_count(n, MPG_SIGNATURE_MAX_LIST, key, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct mpg_network_group *g = &group[i];
        int status = check_text(g->name, "name", err);
        if (status == 0 && g->n == 0)
            status = mpg_error_set(err, "n is not at least 1");
        if (status == 0)
            status = check_bytes(g->size_bytes, "size_bytes", err);
        if (status == 0)
            status = check_time(g->median_ns, "median_ns", err);
        if (status == 0)
            status = check_finite(g->score, "score", err);
        if (status == 0 && g->outlier != 0 && g->outlier != 1)
            status = mpg_error_set(err, "outlier is %d, not 0 or 1", g->outlier);
        if (status < 0)
            return mpg_error_prefix(err, "%s[%zu]", key, i);
    }
    return 0;
}

/* Checks the times of P's one-sided operations: those of the call and of its completion have the same sizes. */
static int check_one_sided(const struct mpg_network_path *p, struct mpg_error *err)
{
    for (int o = 0; o < MPG_ONE_SIDED_OPERATIONS; o++) {
        const struct mpg_one_sided_times *x = &p->one_sided[o];
        const char *name = mpg_one_sided_name((enum mpg_one_sided)o);
        if (check_sizes(&x->call, "call", "call_ns", err) < 0 || check_sizes(&x->complete, "complete", "complete_ns", err) < 0)
            return mpg_error_prefix(err, "one_sided: %s", name);
        bool same = x->call.n == x->complete.n;
        for (size_t i = 0; i < x->call.n && same; i++)
            same = x->call.size[i].size_bytes == x->complete.size[i].size_bytes;
        if (!same)
            return mpg_error_set(err, "one_sided: %s: call and complete have different sizes", name);
    }
    return 0;
}

/* Checks that each quantile of D is a share: at most 1. */
static int check_share(const struct mpg_distribution *d, struct mpg_error *err)
{
    for (size_t i = 0; i < d->knots; i++)
        if (d->quantiles[i] > 1)
            return mpg_error_set(err, "a share of %.15g, more than 1", d->quantiles[i]);
    return 0;
}

/* Checks the overlaps of P: times and shares have the same sizes. */
static int check_overlap(const struct mpg_network_path *p, struct mpg_error *err)
{
    for (int side = 0; side < MPG_OVERLAP_SIDES; side++) {
        const struct mpg_overlap *x = &p->overlap[side];
        const char *name = mpg_overlap_name((enum mpg_overlap_side)side);
        if (check_sizes(&x->alone, "alone", "alone_ns", err) < 0 || check_sizes(&x->share, "share", "share", err) < 0)
            return mpg_error_prefix(err, "overlap: %s", name);
        bool same = x->alone.n == x->share.n;
        for (size_t i = 0; i < x->alone.n && same; i++)
            same = x->alone.size[i].size_bytes == x->share.size[i].size_bytes;
        if (!same)
            return mpg_error_set(err, "overlap: %s: alone and share have different sizes", name);
        for (size_t i = 0; i < x->share.n; i++)
            if (check_share(x->share.size[i].time_ns, err) < 0)
                return mpg_error_prefix(err, "overlap: %s: share[%zu]", name, i);
    }
    return 0;
}

static int check_path(const struct mpg_network_path *p, struct mpg_error *err)
{
    if (check_sizes(&p->latency, "latency", "one_way_ns", err) < 0 ||
        check_sizes(&p->round_trip, "round_trip", "round_trip_ns", err) < 0 ||
        check_sizes(&p->bandwidth, "bandwidth", "transfer_ns", err) < 0 ||
        check_sizes(&p->sender, "sender", "send_ns", err) < 0 ||
        check_sizes(&p->send_overhead, "send_overhead", "send_ns", err) < 0 ||
        check_sizes(&p->receive_overhead, "receive_overhead", "receive_ns", err) < 0 ||
        check_sizes(&p->streaming, "streaming", "message_ns", err) < 0 ||
        check_one_sided(p, err) < 0 || check_overlap(p, err) < 0 ||
        (p->one_way && check_text(p->one_way, "one_way", err) < 0) ||
        check_time(p->one_way_error_ns, "one_way_error_ns", err) < 0 ||
        check_probability(p->one_way_misfit, "one_way_misfit", err) < 0)
        return -1;
    if (p->one_way && p->latency.n == 0)
        return mpg_error_set(err, "one_way without latency");
    if (p->window < 0 || (p->window > 0) != (p->streaming.n > 0))
        return mpg_error_set(err, "window_messages is %lld, and streaming has %zu sizes",
                             (long long)p->window, p->streaming.n);
    if (p->eager_limit_bytes < MPG_EAGER_LIMIT_UNKNOWN)
        return mpg_error_set(err, "eager_limit_bytes is %lld, less than -1",
                             (long long)p->eager_limit_bytes);
    if (check_loggp(&p->loggp, err) < 0)
        return mpg_error_prefix(err, "loggp");
    if (check_groups(p->launch, p->launches, "launches", err) < 0)
        return -1;
    return check_groups(p->pair, p->pairs, "pairs", err);
}

/* Checks the N PATHS of list KEY. */
static int check_paths(const struct mpg_network_path *paths, size_t n, const char *key, struct mpg_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct mpg_network_path *p = &paths[i];
        if ((int)p->path < 0 || p->path >= MPG_PATHS || (i > 0 && p->path <= p[-1].path))
            return mpg_error_set(err, "%s[%zu]: path is class %d, not ascending", key, i, (int)p->path);
        if (check_path(p, err) < 0)
            return mpg_error_prefix(err, "%s: %s", key, mpg_path_name(p->path));
    }
    return 0;
}

static int check_network(const struct mpg_signature *sig, struct mpg_error *err)
{
    if (check_paths(sig->network, sig->paths, "network", err) < 0)
        return -1;
    return check_paths(sig->device, sig->device_paths, "device", err);
}

/* ---- collectives and compute ---- */

static int compare_collectives(const struct mpg_collective_time *a,
                               const struct mpg_collective_time *b)
{
    int order = strcmp(a->operation, b->operation);
    if (order == 0)
        order = (a->processes > b->processes) - (a->processes < b->processes);
    return order ? order : (a->size_bytes > b->size_bytes) - (a->size_bytes < b->size_bytes);
}

static int check_collectives(const struct mpg_collective_time *times, size_t n, const char *key,
                             struct mpg_error *err)
{
    if (check_count(n, MPG_SIGNATURE_MAX_LIST, key, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct mpg_collective_time *c = &times[i];
        int status = check_text(c->operation, "operation", err);
        if (status == 0 && c->processes < 1)
            status = mpg_error_set(err, "processes is %d, less than 1", c->processes);
        if (status == 0)
            status = check_bytes(c->size_bytes, "size_bytes", err);
        if (status == 0)
            status = check_times(c->time_ns, "time_ns", err);
        if (status == 0)
            status = check_launches(&c->launches, "time_ns", err);
        if (status == 0 && i > 0 && compare_collectives(c - 1, c) >= 0)
            status = mpg_error_set(err, "operation, processes, size_bytes do not ascend");
        if (status < 0)
            return mpg_error_prefix(err, "%s[%zu]", key, i);
    }
    return 0;
}

static int compare_sharing(const struct mpg_sharing_point *a, const struct mpg_sharing_point *b)
{
    if (a->path != b->path || a->both != b->both)
        return a->path != b->path ? (int)a->path - (int)b->path : (int)a->both - (int)b->both;
    const int order = (a->size_bytes > b->size_bytes) - (a->size_bytes < b->size_bytes);
    return order ? order : (a->pairs > b->pairs) - (a->pairs < b->pairs);
}

/* Checks the N POINTS of list KEY, whose order is ORDER in words; their values have the key VALUE, and are above 0 if RATES. */
static int check_points(const struct mpg_sharing_point *points, size_t n, const char *key, const char *order, const char *value,
                        bool rates, struct mpg_error *err)
{
    if (check_count(n, MPG_SIGNATURE_MAX_LIST, key, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct mpg_sharing_point *p = &points[i];
        int status = (int)p->path < 0 || p->path >= MPG_PATHS ? mpg_error_set(err, "placement is class %d", (int)p->path) : 0;
        if (status == 0)
            status = check_bytes(p->size_bytes, "bytes", err);
        if (status == 0 && p->pairs < 1)
            status = mpg_error_set(err, "pairs is %d, less than 1", p->pairs);
        if (status == 0)
            status = check_times(p->value, value, err);
        if (status == 0 && rates && !(mpg_distribution_quantile(p->value, 0.5) > 0))
            status = mpg_error_set(err, "the median of %s is 0", value);
        if (status == 0 && i > 0 && compare_sharing(p - 1, p) >= 0)
            status = mpg_error_set(err, "%s do not ascend", order);
        if (status < 0)
            return mpg_error_prefix(err, "%s[%zu]", key, i);
    }
    return 0;
}

static int check_sharing(const struct mpg_signature *sig, struct mpg_error *err)
{
    static const char undirected[] = "placement, bytes, pairs";
    if (check_points(sig->sharing, sig->sharings, "sharing", "placement, direction, bytes, pairs", "bandwidth", true, err) < 0 ||
        check_points(sig->opposite, sig->opposites, "opposite", undirected, "bandwidth", true, err) < 0)
        return -1;
    return check_points(sig->lead, sig->leads, "leads", undirected, "lead_ns", false, err);
}

static int compare_rates(const struct mpg_compute_rate *a, const struct mpg_compute_rate *b)
{
    int order = strcmp(a->kernel, b->kernel);
    if (order == 0)
        order = (a->cores_at_once > b->cores_at_once) - (a->cores_at_once < b->cores_at_once);
    if (order == 0)
        order = compare_hosts(a->host, b->host);
    return order ? order : (a->core > b->core) - (a->core < b->core);
}

static int check_compute(const struct mpg_signature *sig, struct mpg_error *err)
{
    if (check_count(sig->rates, MPG_SIGNATURE_MAX_LIST, "compute", err) < 0)
        return -1;
    for (size_t i = 0; i < sig->rates; i++) {
        const struct mpg_compute_rate *r = &sig->rate[i];
        int status = check_text(r->kernel, "kernel", err);
        if (status == 0)
            status = check_text(r->unit, "unit", err);
        if (status == 0)
            status = check_place(r->host, r->core, r->cores_at_once, err);
        if (status == 0)
            status = check_times(r->rate, "rate_per_s", err);
        if (status == 0 && r->launches == 1)
            status = mpg_error_set(err, "launch_means_per_s has one value");
        for (size_t k = 0; k < r->launches && status == 0; k++)
            status = check_time(r->launch_mean[k], "a value of launch_means_per_s", err);
        if (status == 0 && i > 0 && compare_rates(r - 1, r) >= 0)
            status = mpg_error_set(err, "kernel, cores_at_once, host, core do not ascend");
        if (status < 0)
            return mpg_error_prefix(err, "compute[%zu]", i);
    }
    return 0;
}

static int check_failures(const struct mpg_signature *sig, struct mpg_error *err)
{
    if (sig->checks < 0 || sig->failures > (size_t)sig->checks ||
        sig->failures > MPG_SIGNATURE_MAX_FAILURES)
        return mpg_error_set(err, "checks: made is %d, and %zu failed", sig->checks,
                             sig->failures);
    for (size_t i = 0; i < sig->failures; i++) {
        const struct mpg_signature_failure *f = &sig->failure[i];
        if ((f->parts & ~MPG_PART_ALL) != 0 || f->parts == 0)
            return mpg_error_set(err, "checks: failed[%zu]: parts are %d", i, f->parts);
        if (f->moves != -1 && check_time(f->moves, "moves", err) < 0)
            return mpg_error_prefix(err, "checks: failed[%zu]", i);
        if (check_text(f->check, "check", err) < 0 || check_text(f->found, "found", err) < 0 ||
            check_text(f->remedy, "remedy", err) < 0)
            return mpg_error_prefix(err, "checks: failed[%zu]", i);
    }
    return 0;
}

int mpg_signature_check(const struct mpg_signature *sig, struct mpg_error *err)
{
    if (check_facts(sig->fact, sig->facts, MPG_SIGNATURE_MAX_FACTS, "header", err) < 0 ||
        check_facts(sig->source, sig->sources, MPG_SIGNATURE_MAX_SOURCES, "results", err) < 0 ||
        check_failures(sig, err) < 0 || check_noise(sig, err) < 0 || check_network(sig, err) < 0 ||
        check_collectives(sig->collective, sig->collectives, "collectives", err) < 0 ||
        check_collectives(sig->reduction, sig->reductions, "reductions", err) < 0 ||
        check_sharing(sig, err) < 0)
        return -1;
    return check_compute(sig, err);
}
