/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing the paths, collectives and compute rates of a signature. */
#include "signature/file/json.h"

static void write_launches(struct mpg_json *out, const struct mpg_launches *launches)
{
    if (launches->n == 0)
        return;
    mpg_json_break(out);
    mpg_json_array(out, "launches");
    for (size_t i = 0; i < launches->n; i++) {
        mpg_json_break(out);
        mpg_json_put_distribution(out, NULL, launches->ns[i]);
    }
    mpg_json_close(out);
}

static void write_rows(struct mpg_json *out, const struct mpg_rows *rows)
{
    if (rows->blocks == 0)
        return;
    mpg_json_break(out);
    mpg_json_object(out, "rows");
    mpg_json_integer(out, "length", (int64_t)rows->length);
    mpg_json_bytes(out, "classes", rows->classes, rows->blocks * rows->length);
    mpg_json_close(out);
}

static void write_sizes(struct mpg_json *out, const char *key, const char *times_key,
                        const struct mpg_network_sizes *sizes)
{
    if (sizes->n == 0)
        return;
    mpg_json_break(out);
    mpg_json_array(out, key);
    for (size_t i = 0; i < sizes->n; i++) {
        mpg_json_break(out);
        mpg_json_object(out, NULL);
        mpg_json_integer(out, "size_bytes", sizes->size[i].size_bytes);
        mpg_json_put_distribution(out, times_key, sizes->size[i].time_ns);
        write_launches(out, &sizes->size[i].launches);
        write_rows(out, &sizes->size[i].rows);
        mpg_json_close(out);
    }
    mpg_json_close(out);
}

/* Writes the times of P's one-sided operations: an object for each measured operation. */
static void write_one_sided(struct mpg_json *out, const struct mpg_network_path *p)
{
    bool begun = false;
    for (int o = 0; o < MPG_ONE_SIDED_OPERATIONS; o++) {
        if (p->one_sided[o].call.n == 0)
            continue;
        if (!begun) {
            mpg_json_break(out);
            mpg_json_object(out, "one_sided");
        }
        begun = true;
        mpg_json_break(out);
        mpg_json_object(out, mpg_one_sided_name((enum mpg_one_sided)o));
        write_sizes(out, "call", "call_ns", &p->one_sided[o].call);
        write_sizes(out, "complete", "complete_ns", &p->one_sided[o].complete);
        mpg_json_close(out);
    }
    if (begun)
        mpg_json_close(out);
}

/* Writes the overlaps of P: an object for each measured side. */
static void write_overlap(struct mpg_json *out, const struct mpg_network_path *p)
{
    bool begun = false;
    for (int side = 0; side < MPG_OVERLAP_SIDES; side++) {
        if (p->overlap[side].share.n == 0)
            continue;
        if (!begun) {
            mpg_json_break(out);
            mpg_json_object(out, "overlap");
        }
        begun = true;
        mpg_json_break(out);
        mpg_json_object(out, mpg_overlap_name((enum mpg_overlap_side)side));
        write_sizes(out, "alone", "alone_ns", &p->overlap[side].alone);
        write_sizes(out, "share", "share", &p->overlap[side].share);
        mpg_json_close(out);
    }
    if (begun)
        mpg_json_close(out);
}

static void write_segment(struct mpg_json *out, const struct mpg_loggp_segment *s)
{
    mpg_json_break(out);
    mpg_json_object(out, NULL);
    mpg_json_integer(out, "from_bytes", s->from_bytes);
    mpg_json_integer(out, "to_bytes", s->to_bytes);
    mpg_json_number(out, "latency_ns", s->latency_ns);
    mpg_json_number(out, "latency_error_ns", s->latency_error_ns);
    mpg_json_number(out, "gap_per_byte_ns", s->gap_per_byte_ns);
    mpg_json_number(out, "gap_per_byte_error_ns", s->gap_per_byte_error_ns);
    mpg_json_number(out, "residual_sd_ns", s->residual_sd_ns);
    mpg_json_number(out, "worst_relative", s->worst_relative);
    mpg_json_close(out);
}

static void write_loggp(struct mpg_json *out, const struct mpg_loggp *loggp)
{
    if (loggp->segments == 0 && !(loggp->overhead_ns > 0) && !(loggp->gap_ns > 0))
        return;
    mpg_json_break(out);
    mpg_json_object(out, "loggp");
    if (loggp->overhead_ns > 0)
        mpg_json_number(out, "overhead_ns", loggp->overhead_ns);
    if (loggp->gap_ns > 0)
        mpg_json_number(out, "gap_ns", loggp->gap_ns);
    mpg_json_array(out, "segments");
    for (size_t i = 0; i < loggp->segments; i++)
        write_segment(out, &loggp->segment[i]);
    mpg_json_close(out);
    mpg_json_close(out);
}

static void write_groups(struct mpg_json *out, const char *key,
                         const struct mpg_network_group *group, size_t n)
{
    if (n == 0)
        return;
    mpg_json_break(out);
    mpg_json_array(out, key);
    for (size_t i = 0; i < n; i++) {
        mpg_json_break(out);
        mpg_json_object(out, NULL);
        mpg_json_text(out, "name", group[i].name);
        mpg_json_integer(out, "n", (int64_t)group[i].n);
        mpg_json_integer(out, "size_bytes", group[i].size_bytes);
        mpg_json_number(out, "median_ns", group[i].median_ns);
        mpg_json_number(out, "score", group[i].score);
        mpg_json_integer(out, "outlier", group[i].outlier);
        mpg_json_close(out);
    }
    mpg_json_close(out);
}

static void write_path(struct mpg_json *out, const struct mpg_network_path *p)
{
    mpg_json_object(out, NULL);
    mpg_json_text(out, "path", mpg_path_name(p->path));
    if (p->eager_limit_bytes != MPG_EAGER_LIMIT_UNKNOWN)
        mpg_json_integer(out, "eager_limit_bytes", p->eager_limit_bytes);
    mpg_json_text(out, "one_way", p->one_way);
    if (p->one_way_error_ns > 0)
        mpg_json_number(out, "one_way_error_ns", p->one_way_error_ns);
    if (p->one_way_misfit > 0)
        mpg_json_number(out, "one_way_misfit", p->one_way_misfit);
    if (p->window > 0)
        mpg_json_integer(out, "window_messages", p->window);
    write_sizes(out, "latency", "one_way_ns", &p->latency);
    write_sizes(out, "round_trip", "round_trip_ns", &p->round_trip);
    write_sizes(out, "bandwidth", "transfer_ns", &p->bandwidth);
    write_sizes(out, "sender", "send_ns", &p->sender);
    write_sizes(out, "send_overhead", "send_ns", &p->send_overhead);
    write_sizes(out, "receive_overhead", "receive_ns", &p->receive_overhead);
    write_sizes(out, "streaming", "message_ns", &p->streaming);
    write_one_sided(out, p);
    write_overlap(out, p);
    write_loggp(out, &p->loggp);
    write_groups(out, "launches", p->launch, p->launches);
    write_groups(out, "pairs", p->pair, p->pairs);
    mpg_json_close(out);
}

static void write_paths(struct mpg_json *out, const char *key, const struct mpg_network_path *paths, size_t n)
{
    mpg_json_break(out);
    mpg_json_array(out, key);
    for (size_t i = 0; i < n; i++) {
        mpg_json_break(out);
        write_path(out, &paths[i]);
    }
    mpg_json_close(out);
}

void mpg_write_network(struct mpg_json *out, const struct mpg_signature *sig)
{
    write_paths(out, "network", sig->network, sig->paths);
    if (sig->device_paths > 0)
        write_paths(out, "device", sig->device, sig->device_paths);
}

/* Writes list KEY with N times, unless N is 0. */
static void write_times(struct mpg_json *out, const char *key,
                        const struct mpg_collective_time *times, size_t n)
{
    if (n == 0)
        return;
    mpg_json_break(out);
    mpg_json_array(out, key);
    for (size_t i = 0; i < n; i++) {
        const struct mpg_collective_time *c = &times[i];
        mpg_json_break(out);
        mpg_json_object(out, NULL);
        mpg_json_text(out, "operation", c->operation);
        mpg_json_integer(out, "processes", c->processes);
        mpg_json_integer(out, "size_bytes", c->size_bytes);
        mpg_json_put_distribution(out, "time_ns", c->time_ns);
        write_launches(out, &c->launches);
        mpg_json_close(out);
    }
    mpg_json_close(out);
}

void mpg_write_collectives(struct mpg_json *out, const struct mpg_signature *sig)
{
    write_times(out, "collectives", sig->collective, sig->collectives);
    write_times(out, "reductions", sig->reduction, sig->reductions);
}

static void write_points(struct mpg_json *out, const char *key, bool directed, const char *value,
                         const struct mpg_sharing_point *points, size_t n)
{
    if (n == 0)
        return;
    mpg_json_break(out);
    mpg_json_array(out, key);
    for (size_t i = 0; i < n; i++) {
        const struct mpg_sharing_point *p = &points[i];
        mpg_json_break(out);
        mpg_json_object(out, NULL);
        mpg_json_text(out, "placement", mpg_path_name(p->path));
        if (directed)
            mpg_json_text(out, "direction", p->both ? "both" : "one");
        mpg_json_integer(out, "bytes", p->size_bytes);
        mpg_json_integer(out, "pairs", p->pairs);
        mpg_json_put_distribution(out, value, p->value);
        mpg_json_close(out);
    }
    mpg_json_close(out);
}

void mpg_write_sharing(struct mpg_json *out, const struct mpg_signature *sig)
{
    write_points(out, "sharing", true, "bandwidth", sig->sharing, sig->sharings);
    write_points(out, "opposite", false, "bandwidth", sig->opposite, sig->opposites);
    write_points(out, "leads", false, "lead_ns", sig->lead, sig->leads);
}

void mpg_write_compute(struct mpg_json *out, const struct mpg_signature *sig)
{
    if (sig->rates == 0)
        return;
    mpg_json_break(out);
    mpg_json_array(out, "compute");
    for (size_t i = 0; i < sig->rates; i++) {
        const struct mpg_compute_rate *r = &sig->rate[i];
        mpg_json_break(out);
        mpg_json_object(out, NULL);
        mpg_json_text(out, "kernel", r->kernel);
        mpg_json_text(out, "unit", r->unit);
        mpg_json_text(out, "host", r->host);
        mpg_json_integer(out, "core", r->core);
        mpg_json_integer(out, "cores_at_once", r->cores_at_once);
        mpg_json_put_distribution(out, "rate_per_s", r->rate);
        if (r->launches > 0)
            mpg_json_numbers(out, "launch_means_per_s", r->launch_mean, r->launches);
        mpg_json_close(out);
    }
    mpg_json_close(out);
}
