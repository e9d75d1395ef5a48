/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "common/units.h"
#include "signature/simulators/private.h"

enum { SMALL_BYTES = 8 };

static double median_ns(const struct mpg_network_size *size)
{
    return mpg_distribution_quantile(size->time_ns, 0.5);
}

/* Returns the median time at the size nearest to SMALL_BYTES; 0 if SIZES is empty. */
static double small_median_ns(const struct mpg_network_sizes *sizes)
{
    const struct mpg_network_size *found = NULL;
    for (size_t i = 0; i < sizes->n; i++)
        if (!found || llabs(sizes->size[i].size_bytes - SMALL_BYTES) < llabs(found->size_bytes - SMALL_BYTES))
            found = &sizes->size[i];
    return found ? median_ns(found) : 0;
}

/* Returns LINE without a negative latency or time per byte, which a fit can yield: the negative number becomes 0, and the other
 * number is changed to keep the time at LINE's largest size. */
static struct wire_line without_negatives(struct wire_line line)
{
    const double to = (double)line.to_bytes, time_ns = fmax(line.latency_ns + to * line.ns_per_byte, 0);
    if (line.ns_per_byte < 0) {
        line.ns_per_byte = 0;
        line.latency_ns = time_ns;
    } else if (line.latency_ns < 0 && to > 0) {
        line.latency_ns = 0;
        line.ns_per_byte = time_ns / to;
    }
    return line;
}

static struct wire_terms constant_and_bytes(const void *context, double bytes)
{
    (void)context;
    return (struct wire_terms){.x = 1, .y = bytes};
}

static void take_lines(const struct mpg_network_path *path, struct wire *w)
{
    const struct mpg_loggp *fit = &path->loggp;
    const int64_t largest = path->latency.size[path->latency.n - 1].size_bytes;
    if (fit->segments == 0) {
        struct wire_line *line = &w->line[w->lines++];
        line->to_bytes = largest;
        mpg_wire_fit(path, constant_and_bytes, NULL, &line->latency_ns, &line->ns_per_byte);
    }
    for (size_t i = 0; i < fit->segments; i++) {
        const struct mpg_loggp_segment *s = &fit->segment[i];
        const bool last = i + 1 == fit->segments;
        w->line[w->lines++] = without_negatives((struct wire_line){
            .from_bytes = i > 0 ? s->from_bytes : 0, .to_bytes = last ? s->to_bytes : fit->segment[i + 1].from_bytes - 1,
            .latency_ns = s->latency_ns, .ns_per_byte = s->gap_per_byte_ns});
    }
}

/* Divides the line that contains the eager limit into two lines, one for each protocol. */
static void cut_at_limit(struct wire *w)
{
    size_t i = 0;
    while (i < w->lines && !(w->line[i].from_bytes <= w->eager_bytes && w->eager_bytes < w->line[i].to_bytes))
        i++;
    if (i == w->lines)
        return;
    for (size_t k = w->lines++; k > i; k--)
        w->line[k] = w->line[k - 1];
    w->line[i].to_bytes = w->eager_bytes;
    w->line[i + 1].from_bytes = w->eager_bytes + 1;
}

void mpg_wire_of(const struct mpg_network_path *path, struct wire *w)
{
    *w = (struct wire){.path = path, .eager_bytes = path->eager_limit_bytes == MPG_EAGER_LIMIT_UNKNOWN ? INT64_MAX
                                                                                                    : path->eager_limit_bytes};
    take_lines(path, w);
    cut_at_limit(w);
    w->has_overheads = path->send_overhead.n > 0 && path->receive_overhead.n > 0;
    w->send_ns = path->send_overhead.n > 0 ? small_median_ns(&path->send_overhead) : fmax(path->loggp.overhead_ns, 0);
    w->receive_ns = path->receive_overhead.n > 0 ? small_median_ns(&path->receive_overhead) : fmax(path->loggp.overhead_ns, 0);
    const double sum_ns = w->send_ns + w->receive_ns, max_ns = w->line[0].latency_ns;
    if (sum_ns > max_ns) {
        w->send_ns *= max_ns / sum_ns;
        w->receive_ns *= max_ns / sum_ns;
    }
}

void mpg_wire_fit(const struct mpg_network_path *path, struct wire_terms (*terms)(const void *context, double bytes),
                  const void *context, double *a, double *b)
{
    double xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
    for (size_t i = 0; i < path->latency.n; i++) {
        const double time_ns = median_ns(&path->latency.size[i]);
        const struct wire_terms t = terms(context, (double)path->latency.size[i].size_bytes);
        if (!(time_ns > 0))
            continue;
        const double x = t.x / time_ns, y = t.y / time_ns, rest = (time_ns - t.fixed) / time_ns;
        xx += x * x;
        xy += x * y;
        yy += y * y;
        xt += x * rest;
        yt += y * rest;
    }
    const double determinant = xx * yy - xy * xy;
    const bool both = determinant > 1e-12 * xx * yy;
    *a = both ? (xt * yy - yt * xy) / determinant : xx > 0 ? xt / xx : 0;
    *b = both ? (yt * xx - xt * xy) / determinant : 0;
    if (*b < 0) {
        *b = 0;
        *a = xx > 0 ? xt / xx : 0;
    } else if (*a < 0) {
        *a = 0;
        *b = yy > 0 ? yt / yy : 0;
    }
    *a = fmax(*a, 0);
    *b = fmax(*b, 0);
}

void mpg_note_deviation(struct notes *notes, const struct mpg_network_path *path,
                        double (*model)(const void *context, double bytes), const void *context)
{
    double worst = 0;
    int64_t at = 0;
    for (size_t i = 0; i < path->latency.n; i++) {
        const double time_ns = median_ns(&path->latency.size[i]);
        const double exported_ns = model(context, (double)path->latency.size[i].size_bytes);
        const double relative = time_ns > 1e-9 ? exported_ns / time_ns - 1 : 0;
        if (fabs(relative) > fabs(worst)) {
            worst = relative;
            at = path->latency.size[i].size_bytes;
        }
    }
    char size[32];
    mpg_note(notes, "path %s: exported times are up to %.*f %% %s than the measured medians, at %s", mpg_path_name(path->path),
             fabs(worst) < 0.1, 100 * fabs(worst), worst < 0 ? "shorter" : "longer",
             mpg_units_format_size(size, sizeof size, at));
}
