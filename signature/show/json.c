/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigshow --json: the contents of --all's tables, for programs. sigshow(1) has the schema. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/table/escape.h"
#include "signature/causes.h"
#include "signature/show/show.h"

/* ---- members of a JSON object: each function writes the comma or brace before the member, too ---- */

static void put_key(const char *before, const char *key)
{
    printf("%s\"%s\": ", before, key);
}

static void put_number(const char *before, const char *key, double value)
{
    put_key(before, key);
    mpg_json_write_number(stdout, value);
}

static void put_text(const char *before, const char *key, const char *text)
{
    put_key(before, key);
    mpg_json_write_string(stdout, text);
}

static void put_count(const char *before, const char *key, int64_t count)
{
    put_key(before, key);
    printf("%" PRId64, count);
}

static void put_facts(const char *before, const char *key, const char *name, const char *value, const struct mpg_fact *fact,
                      size_t n)
{
    put_key(before, key);
    putchar('[');
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? ",\n  {" : "\n  {", stdout);
        put_text("", name, fact[i].key);
        put_text(", ", value, fact[i].value);
        putchar('}');
    }
    putchar(']');
}

/* ---- distributions ---- */

static void put_fits(const struct mpg_distribution *d)
{
    fputs(", \"fits\": [", stdout);
    for (size_t i = 0; i < d->fits; i++) {
        const struct mpg_distribution_fit *f = &d->fit[i];
        put_text(i > 0 ? ", {" : "{", "family", f->family);
        put_number(", ", "ks_distance", f->distance);
        put_number(", ", "location", f->location);
        put_number(", ", "tail_fraction", f->tail_fraction);
        fputs(", \"parameters\": [", stdout);
        for (int k = 0; k < f->parameters; k++) {
            put_text(k > 0 ? ", {" : "{", "name", f->name[k]);
            put_number(", ", "value", f->value[k]);
            put_number(", ", "low", f->low[k]);
            put_number(", ", "high", f->high[k]);
            putchar('}');
        }
        fputs("]}", stdout);
    }
    putchar(']');
}

/* Puts the quantiles and intervals of D that the tables show, and D's fits. */
static void put_members(const char *before, const struct mpg_distribution *d)
{
    put_count(before, "samples", (int64_t)d->n);
    put_number(", ", "p1", mpg_distribution_quantile(d, 0.01));
    put_number(", ", "p50", mpg_distribution_quantile(d, 0.5));
    put_number(", ", "p99", mpg_distribution_quantile(d, 0.99));
    put_number(", ", "max", mpg_distribution_quantile(d, 1));
    put_number(", ", "mean", d->mean);
    put_number(", ", "sd", d->sd);
    put_number(", ", "lag1_autocorrelation", d->lag1);
    put_number(", ", "lag1_rank_autocorrelation", d->rank_lag1);
    fputs(", \"intervals\": [", stdout);
    for (size_t i = 0; i < d->intervals; i++) {
        put_number(i > 0 ? ", {" : "{", "p", d->interval[i].p);
        put_number(", ", "low", d->interval[i].low);
        put_number(", ", "high", d->interval[i].high);
        putchar('}');
    }
    putchar(']');
    put_fits(d);
}

static void put_distribution(const char *before, const char *key, const struct mpg_distribution *d)
{
    put_key(before, key);
    put_members("{", d);
    putchar('}');
}

/* ---- noise ---- */

static void put_quanta(const char *key, const struct mpg_noise_quanta *q)
{
    if (!q->lost_ns)
        return;
    put_key(",\n   ", key);
    put_number("{", "quantum_ns", q->quantum_ns);
    put_distribution(", ", "lost_ns", q->lost_ns);
    putchar('}');
}

static void put_lines(const struct mpg_noise_core *c)
{
    fputs(",\n   \"spectral_lines\": [", stdout);
    for (size_t i = 0; i < c->lines; i++) {
        put_number(i > 0 ? ", {" : "{", "frequency_hz", c->line[i].frequency_hz);
        put_number(", ", "amplitude_ns", c->line[i].amplitude_ns);
        put_number(", ", "harmonic_of_hz", c->line[i].harmonic_of_hz);
        put_number(", ", "false_alarm_probability", c->line[i].false_alarm);
        putchar('}');
    }
    fputs("],\n   \"autocorrelation\": [", stdout);
    for (size_t i = 0; i < c->lags; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        mpg_json_write_number(stdout, c->autocorrelation[i]);
    }
    putchar(']');
}

static void put_causes(const struct mpg_noise_core *c)
{
    struct mpg_cause_sums s;
    bool first = true;
    mpg_cause_sums_of(c, &s);
    put_key(",\n   ", "causes");
    putchar('[');
    for (size_t i = 0; i < c->causes; i++) {
        if (s.detours[i] == 0)
            continue;
        put_text(first ? "\n    {" : ",\n    {", "cause", c->cause[i]);
        put_number(", ", "lost_share", s.lost_ns[i] / c->span_ns);
        put_number(", ", "detours_per_second", s.detours[i] / (c->span_ns * 1e-9));
        put_number(", ", "longest_ns", s.longest_ns[i]);
        putchar('}');
        first = false;
    }
    putchar(']');
}

static void put_record(const struct mpg_noise_core *c)
{
    const size_t recorded = mpg_noise_core_recorded(c);
    put_number(",\n   ", "span_ns", c->span_ns);
    put_number(", ", "threshold_ns", c->threshold_ns);
    put_number(", ", "lost_share", c->fraction_lost);
    if (c->off_known)
        put_number(", ", "off_cpu_share", c->fraction_off);
    put_count(", ", "detours", (int64_t)recorded);
    put_number(", ", "detours_per_second", (double)recorded / (c->span_ns * 1e-9));
    if (c->length_ns)
        put_distribution(",\n   ", "duration_ns", c->length_ns);
    if (c->blocks.recorded > 0) {
        put_count(",\n   ", "kept_longest_detours", (int64_t)c->detours);
        put_count(", ", "kept_blocks", (int64_t)c->blocks.n);
        put_count(", ", "kept_block_detours", (int64_t)c->blocks.detours);
    }
    if (c->together)
        put_number(",\n   ", "start_offset_ns", c->offset_ns);
    if (c->together && c->alone_lost >= 0)
        put_number(", ", "lost_share_alone", c->alone_lost);
    if (c->causes > 0)
        put_causes(c);
}

static void put_core(const struct mpg_noise_core *c)
{
    put_count("{", "core", c->core);
    if (c->host)
        put_text(", ", "host", c->host);
    if (c->span_ns > 0)
        put_record(c);
    put_quanta("ftq", &c->ftq);
    put_quanta("fwq", &c->fwq);
    put_lines(c);
    put_facts(",\n   ", "events", "event", "value", c->event, c->events);
    putchar('}');
}

/* ---- network ---- */

static void put_sizes(const char *key, const struct mpg_network_sizes *sizes)
{
    put_key(",\n   ", key);
    putchar('[');
    for (size_t i = 0; i < sizes->n; i++) {
        const struct mpg_network_size *s = &sizes->size[i];
        put_count(i > 0 ? ",\n    {" : "\n    {", "size_bytes", s->size_bytes);
        put_members(", ", s->time_ns);
        put_count(", ", "launches", (int64_t)s->launches.n);
        put_count(", ", "rows", (int64_t)s->rows.blocks);
        put_count(", ", "row_length", (int64_t)s->rows.length);
        putchar('}');
    }
    putchar(']');
}

static void put_one_sided(const struct mpg_network_path *p)
{
    bool begun = false;
    for (int o = 0; o < MPG_ONE_SIDED_OPERATIONS; o++) {
        if (p->one_sided[o].call.n == 0)
            continue;
        put_text(begun ? ",\n   {" : ",\n   \"one_sided\": [{", "operation", mpg_one_sided_name((enum mpg_one_sided)o));
        put_sizes("call_ns", &p->one_sided[o].call);
        put_sizes("complete_ns", &p->one_sided[o].complete);
        putchar('}');
        begun = true;
    }
    if (begun)
        putchar(']');
}

static void put_overlap(const struct mpg_network_path *p)
{
    bool begun = false;
    for (int side = 0; side < MPG_OVERLAP_SIDES; side++) {
        if (p->overlap[side].share.n == 0)
            continue;
        put_text(begun ? ",\n   {" : ",\n   \"overlap\": [{", "computing", mpg_overlap_name((enum mpg_overlap_side)side));
        put_sizes("alone_ns", &p->overlap[side].alone);
        put_sizes("share", &p->overlap[side].share);
        putchar('}');
        begun = true;
    }
    if (begun)
        putchar(']');
}

static void put_loggp(const struct mpg_loggp *loggp)
{
    fputs(",\n   \"loggp\": {\"segments\": [", stdout);
    for (size_t i = 0; i < loggp->segments; i++) {
        const struct mpg_loggp_segment *s = &loggp->segment[i];
        put_count(i > 0 ? ", {" : "{", "from_bytes", s->from_bytes);
        put_count(", ", "to_bytes", s->to_bytes);
        put_number(", ", "latency_ns", s->latency_ns);
        put_number(", ", "latency_error_ns", s->latency_error_ns);
        put_number(", ", "gap_per_byte_ns", s->gap_per_byte_ns);
        put_number(", ", "gap_per_byte_error_ns", s->gap_per_byte_error_ns);
        put_number(", ", "residual_sd_ns", s->residual_sd_ns);
        put_number(", ", "max_relative_residual", s->worst_relative);
        putchar('}');
    }
    putchar(']');
    if (loggp->overhead_ns > 0)
        put_number(", ", "overhead_ns", loggp->overhead_ns);
    if (loggp->gap_ns > 0)
        put_number(", ", "gap_ns", loggp->gap_ns);
    putchar('}');
}

static void put_groups(const char *key, const struct mpg_network_group *group, size_t n)
{
    put_key(",\n   ", key);
    putchar('[');
    for (size_t i = 0; i < n; i++) {
        put_text(i > 0 ? ", {" : "{", "name", group[i].name);
        put_count(", ", "samples", (int64_t)group[i].n);
        put_count(", ", "size_bytes", group[i].size_bytes);
        put_number(", ", "median_ns", group[i].median_ns);
        put_number(", ", "modified_z_score", group[i].score);
        printf(", \"outlier\": %s}", group[i].outlier ? "true" : "false");
    }
    putchar(']');
}

static void put_path(const struct mpg_network_path *p)
{
    put_text("{", "path", mpg_path_name(p->path));
    if (p->one_way)
        put_text(", ", "one_way_method", p->one_way);
    put_number(", ", "one_way_error_ns", p->one_way_error_ns);
    put_sizes("latency_ns", &p->latency);
    put_sizes("round_trip_ns", &p->round_trip);
    put_sizes("transfer_ns", &p->bandwidth);
    put_sizes("time_in_send_ns", &p->sender);
    put_sizes("streaming_ns", &p->streaming);
    put_sizes("send_overhead_ns", &p->send_overhead);
    put_sizes("receive_overhead_ns", &p->receive_overhead);
    put_one_sided(p);
    put_overlap(p);
    if (p->streaming.n > 0)
        put_count(",\n   ", "messages_in_flight", p->window);
    if (p->eager_limit_bytes != MPG_EAGER_LIMIT_UNKNOWN)
        put_count(",\n   ", "eager_limit_bytes", p->eager_limit_bytes);
    put_loggp(&p->loggp);
    put_groups("launches", p->launch, p->launches);
    put_groups("pairs", p->pair, p->pairs);
    putchar('}');
}

/* ---- collectives, compute rates, checks ---- */

static void put_collective(const struct mpg_collective_time *c)
{
    put_text("{", "operation", c->operation);
    put_count(", ", "processes", c->processes);
    put_count(", ", "size_bytes", c->size_bytes);
    put_distribution(", ", "time_ns", c->time_ns);
    putchar('}');
}

static void put_sharing(const struct mpg_sharing_point *p)
{
    put_text("{", "placement", mpg_path_name(p->path));
    put_text(", ", "direction", p->both ? "both" : "one");
    put_count(", ", "size_bytes", p->size_bytes);
    put_count(", ", "pairs_at_once", p->pairs);
    put_distribution(", ", "bandwidth_bytes_per_s", p->value);
    putchar('}');
}

/* Prints the list KEY of N POINTS without a direction, whose values have the key VALUE, after another list. */
static void put_points(const char *key, const char *value, const struct mpg_sharing_point *points, size_t n)
{
    printf("],\n \"%s\": [", key);
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stdout);
        put_text("{", "placement", mpg_path_name(points[i].path));
        put_count(", ", "size_bytes", points[i].size_bytes);
        put_count(", ", "pairs", points[i].pairs);
        put_distribution(", ", value, points[i].value);
        putchar('}');
    }
}

static void put_rate(const struct mpg_compute_rate *r)
{
    put_text("{", "kernel", r->kernel);
    put_text(", ", "unit", r->unit);
    if (r->host)
        put_text(", ", "host", r->host);
    put_count(", ", "core", r->core);
    put_count(", ", "cores_at_once", r->cores_at_once);
    put_distribution(", ", "rate", r->rate);
    if (r->launches > 0)
        put_key(", ", "launch_means_per_s");
    for (size_t i = 0; i < r->launches; i++)
        printf("%s%.9g%s", i > 0 ? ", " : "[", r->launch_mean[i], i + 1 == r->launches ? "]" : "");
    putchar('}');
}

/* Puts the quality checks of SIG; null if none were made. */
static void put_checks(const struct mpg_signature *sig)
{
    put_key(",\n ", "checks");
    if (sig->checks == 0) {
        fputs("null", stdout);
        return;
    }
    put_count("{", "checks", sig->checks);
    fputs(", \"failed\": [", stdout);
    for (size_t i = 0; i < sig->failures; i++) {
        put_text(i > 0 ? ",\n  {" : "\n  {", "check", sig->failure[i].check);
        put_text(", ", "finding", sig->failure[i].found);
        put_key(", ", "affects");
        for (int bit = 0, n = 0; mpg_signature_part_name(bit); bit++)
            if (sig->failure[i].parts >> bit & 1)
                printf("%s\"%s\"", n++ > 0 ? ", " : "[", mpg_signature_part_name(bit));
        putchar(']');
        if (sig->failure[i].moves >= 0)
            put_number(", ", "effect", sig->failure[i].moves);
        put_text(", ", "remedy", sig->failure[i].remedy);
        putchar('}');
    }
    fputs("]}", stdout);
}

void show_json(const struct mpg_signature *sig)
{
    put_text("{\n ", "format", "sigshow");
    put_count(",\n ", "version", 2);
    put_text(",\n ", "signature", sig->path);
    put_facts(",\n ", "header", "key", "value", sig->fact, sig->facts);
    put_facts(",\n ", "results_files", "name", "checksum", sig->source, sig->sources);
    put_checks(sig);
    fputs(",\n \"cores\": [", stdout);
    for (size_t i = 0; i < sig->cores; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stdout);
        put_core(&sig->core[i]);
    }
    fputs("],\n \"paths\": [", stdout);
    for (size_t i = 0; i < sig->paths; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stdout);
        put_path(&sig->network[i]);
    }
    fputs("],\n \"device_paths\": [", stdout);
    for (size_t i = 0; i < sig->device_paths; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stdout);
        put_path(&sig->device[i]);
    }
    fputs("],\n \"collectives\": [", stdout);
    for (size_t i = 0; i < sig->collectives; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stdout);
        put_collective(&sig->collective[i]);
    }
    fputs("],\n \"reductions\": [", stdout);
    for (size_t i = 0; i < sig->reductions; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stdout);
        put_collective(&sig->reduction[i]);
    }
    fputs("],\n \"sharing\": [", stdout);
    for (size_t i = 0; i < sig->sharings; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stdout);
        put_sharing(&sig->sharing[i]);
    }
    put_points("opposite", "bandwidth_bytes_per_s", sig->opposite, sig->opposites);
    put_points("leads", "lead_ns", sig->lead, sig->leads);
    fputs("],\n \"compute\": [", stdout);
    for (size_t i = 0; i < sig->rates; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stdout);
        put_rate(&sig->rate[i]);
    }
    fputs("]\n}\n", stdout);
}
