/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A signature with every member: round trips without any change, every limit of signature.h, and no crash by damage. */
#include <math.h>
#include <unistd.h>

#include "tests/signature/signature_file.h"
#include "tests/tap.h"

static const char path[] = "test-signature-full.tmp";

/* ---- the signature ---- */

/* fractions that have no short decimal form */
static double q_short[] = {1 / 3.0, 2.385, 1e3 / 7}, p_short[] = {0, 0.5, 1};
static double q_long[] = {0, 12.5, 13, 1e5 / 3, 7e9}, p_long[] = {0, 0.25, 0.5, 0.5, 1};
static struct mpg_distribution_fit fits[] = {
    {.family = "lognormal", .location = 310.5, .parameters = 2, .name = {"mu", "sigma"},
     .value = {-5.25, 1 / 9.0}, .low = {-5.5, 0.1}, .high = {-5, 0.125}, .distance = 1 / 77.0,
     .tail_fraction = 1},
    {.family = "pareto tail", .parameters = 1, .name = {"shape"}, .value = {1.7}, .low = {1.5},
     .high = {2}, .distance = 0.25, .tail_fraction = 0.05},
};
static struct mpg_distribution small = {
    .n = 3, .mean = 50.1, .sd = 80, .lag1 = -0.125, .knots = 3,
    .probabilities = p_short, .quantiles = q_short};
static struct mpg_distribution fitted = {.n = 70001, .mean = 2e6, .sd = 1e8 / 3, .lag1 = 1 / 6.0,
                                         .knots = 5, .probabilities = p_long,
                                         .quantiles = q_long, .fits = 2, .fit = fits};

static double starts[] = {0, 1e3 / 3, 9e5}, durations[] = {0.1, 7 / 3.0, 400};
static uint8_t off[] = {2 * 2, 1, 0}, off_longest[] = {1}, off_blocks[] = {2 * 1, 1, 2 * 1 + 1}, all_off[] = {1, 1, 1};
static char unseen[] = "unseen", tick[] = "timer tick", task[] = "task sh\u00e9";
static char *causes[] = {unseen, tick, task};
static double long_start[] = {5e5}, long_duration[] = {3e5};
static double block_starts[] = {1e5, 5e5, 8.5e5}, block_durations[] = {100, 3e5, 200};
static struct mpg_noise_block blocks[] = {{5e4, 100100, 0, 1}, {4e5, 850200, 1, 2}};
static double series_mean[] = {0, 1 / 7.0, 3}, series_max[] = {0, 5, 3};
static double power[] = {1 / 11.0, 20, 0}, max_power[] = {1, 20.5, 0};
static double correlations[] = {0.5, -1 / 3.0, 1, -1};
static struct mpg_noise_line lines[] = {
    {.frequency_hz = 250.1, .amplitude_ns = 812 / 3.0, .false_alarm = 1e-12},
    {.frequency_hz = 500.2, .amplitude_ns = 100, .harmonic_of_hz = 250.1, .false_alarm = 0.004},
};
static struct mpg_fact events[] = {{"interrupts", "LOC 1502, RES 12"}, {"context_switches", "7"}};
static struct mpg_noise_core cores[] = {
    {.core = 7, .threshold_ns = 99.5, .alone_lost = -1, .fwq = {1e6 / 3, &fitted}},
    {.host = "a", .core = 3, .cores_at_once = 4, .together = true, .offset_ns = 1e4 / 3,
     .alone_lost = 1 / 81.0, .threshold_ns = 1e2 / 3, .span_ns = 1e6,
     .detours = 3, .start_ns = starts, .duration_ns = durations, .off_known = true, .mark = off, .causes = 3, .cause = causes,
     .fraction_lost = (0.1 + 7 / 3.0 + 400) / 1e6, .fraction_off = 7 / 3.1e6, .gap_ns = &small,
     .length_ns = &fitted, .ftq = {1000.5, &small}, .fwq = {2000.25, &fitted},
     .series = {5e4 / 3, 3, series_mean, series_max}, .spectrum = {1 / 0.3, 3, power, max_power},
     .false_alarm = 0.01, .lines = 2, .line = lines, .lags = 4, .autocorrelation = correlations,
     .events = 2, .event = events},
    {.host = "a", .core = 4, .cores_at_once = 4},
    {.host = "b\u00e9", .core = 0, .cores_at_once = 1, .span_ns = 1e6, .detours = 1,
     .start_ns = long_start, .duration_ns = long_duration, .off_known = true, .mark = off_longest, .causes = 2, .cause = causes,
     .fraction_lost = 0.4, .fraction_off = 0.4 / 3,
     .blocks = {.recorded = 9, .min_ns = 3e5, .n = 2, .block = blocks, .detours = 3,
                .start_ns = block_starts, .duration_ns = block_durations, .mark = off_blocks}},
    {.host = "c", .core = 1, .cores_at_once = 1, .span_ns = 1e6, .detours = 1,
     .start_ns = long_start, .duration_ns = long_duration, .off_known = true, .mark = off_longest,
     .fraction_lost = 0.4, .fraction_off = 0.4 / 3,
     .blocks = {.recorded = 9, .min_ns = 3e5, .n = 2, .block = blocks, .detours = 3,
                .start_ns = block_starts, .duration_ns = block_durations, .mark = all_off}},
};

static struct mpg_distribution *both[] = {&small, &fitted}, *again[] = {&small, &small, &small};
static char classes[] = "AAz/AA+kBAAA";
static double ranks[24]; /* class ranks; each block of 3 occurs twice */
static struct mpg_network_size
    latency[] = {{0, &small, {2, both}, {4, 3, classes, ranks}}, {64, &fitted, {3, again}, {0}}},
    round_trip[] = {{1, &fitted, {0}, {0}}},
    bandwidth[] = {{4096, &small, {0}, {0}}, {INT64_C(1) << 40, &small, {0}, {0}}},
    sender[] = {{4097, &small, {0}, {0}}}, streaming[] = {{4098, &fitted, {0}, {0}}},
    send_overhead[] = {{17, &fitted, {0}, {0}}}, receive_overhead[] = {{18, &small, {2, both}, {0}}};
static struct mpg_loggp_segment segments[] = {
    {0, 4096, 512.5, 1 / 3.0, 0.05 / 3, 1e-4, 12.25, 0.03},
    {4096, 1 << 20, -1e3 / 7, 2, 0.025, 1e-5 / 3, 100, 0.125},
};
static struct mpg_network_group launches[] = {{"launch 0", 50, 8, 312.5, -1 / 3.0, 0},
                                              {"launch 1", 51, 8, 812.5, 9.5, 1}};
static struct mpg_network_group pairs[] = {
    {"ranks 0 and 3; hosts a and b\u00e9; cores 0 and 1", 1, 0, 0, 0, 0}};
static struct mpg_network_path paths[] = {
    {.path = MPG_PATH_COMPLEX,
     .one_way = "half the round trip",
     .latency = {.n = 2, .size = latency},
     .eager_limit_bytes = MPG_EAGER_LIMIT_UNKNOWN,
     .loggp = {.overhead_ns = 88.25, .gap_ns = -1}},
    {.path = MPG_PATH_NODE, .eager_limit_bytes = -1, .loggp = {.overhead_ns = -1, .gap_ns = -1}},
    {.path = MPG_PATH_BETWEEN,
     .one_way = "synchronised clocks",
     .one_way_error_ns = 25 / 3.0,
     .one_way_misfit = 0.07 / 3.0,
     .latency = {.n = 2, .size = latency},
     .round_trip = {.n = 1, .size = round_trip},
     .bandwidth = {.n = 2, .size = bandwidth},
     .sender = {.n = 1, .size = sender},
     .send_overhead = {.n = 1, .size = send_overhead},
     .receive_overhead = {.n = 1, .size = receive_overhead},
     .streaming = {.n = 1, .size = streaming},
     .window = 64,
     .eager_limit_bytes = 65536,
     .loggp = {2, segments, 101.5, 33 / 7.0},
     .launches = 2,
     .pairs = 1,
     .launch = launches,
     .pair = pairs},
};

static struct mpg_collective_time collectives[] = {
    {"allreduce", 4, 8, &small, {0}}, {"allreduce", 4, 64, &fitted, {2, both}},
    {"allreduce", 16, 8, &small, {0}}, {"barrier", 2, 0, &small, {0}}};
static struct mpg_collective_time reductions[] = {
    {"reduce_local", 2, 8, &small, {0}}, {"reduce_local", 16, 8, &fitted, {2, both}},
    {"reduce_local", 16, 64, &small, {0}}, {"reduce_sent", 2, 8, &small, {0}}};
static struct mpg_sharing_point sharing[] = {
    {MPG_PATH_NODE, false, 4096, 1, &fitted}, {MPG_PATH_BETWEEN, false, 4096, 1, &small},
    {MPG_PATH_BETWEEN, false, 65536, 2, &fitted}, {MPG_PATH_BETWEEN, true, 4096, 16, &fitted}};
static struct mpg_sharing_point opposite[] = {
    {MPG_PATH_NODE, false, 65536, 1, &small}, {MPG_PATH_BETWEEN, false, 65536, 2, &fitted}};
static struct mpg_sharing_point leads[] = {
    {MPG_PATH_NODE, false, 65536, 2, &small}, {MPG_PATH_BETWEEN, false, 65536, 2, &fitted}};
static double launch_means[] = {1 / 3.0, 0.25, 1e12};
static struct mpg_compute_rate rates[] = {
    {"floating_point", "flop/s", NULL, 3, 1, &small, 0, NULL},
    {"floating_point", "flop/s", "a", 0, 1, &fitted, 3, launch_means},
    {"floating_point", "flop/s", "a", 0, 2, &small, 0, NULL},
    {"memory_latency", "access/s", "a", 0, 1, &small, 0, NULL}};

static struct mpg_fact header[] = {{"host", "a; b\u00e9"}, {"cpu", "\"9\"\t\\"}};
static struct mpg_fact sources[] = {{"ftq-a-core3.samples", "crc32 0badcafe"}};
static struct mpg_signature_failure failures[] = {
    {MPG_PART_NOISE | MPG_PART_RATES, 1 / 3.0, "a check", "it was found", "do better"},
    {MPG_PART_ALL, -1, "b", "c", "d"}};
static struct mpg_signature full = {.facts = 2, .fact = header,
                                    .checks = 24, .failures = 2, .failure = failures,
                                    .sources = 1, .source = sources,
                                    .cores = 5, .core = cores, .paths = 3, .network = paths,
                                    .collectives = 4, .collective = collectives, .reductions = 4, .reduction = reductions,
                                    .sharings = 4, .sharing = sharing,
                                    .opposites = 2, .opposite = opposite, .leads = 2, .lead = leads,
                                    .rates = 4, .rate = rates};

/* ---- bit-exact comparison ---- */

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_numbers(const double *a, const double *b, size_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static bool same_facts(const struct mpg_fact *a, size_t n, const struct mpg_fact *b, size_t m)
{
    bool same = n == m;
    for (size_t i = 0; same && i < n; i++)
        same = same_text(a[i].key, b[i].key) && same_text(a[i].value, b[i].value);
    return same;
}

static bool same_distribution(const struct mpg_distribution *a, const struct mpg_distribution *b)
{
    if (!a || !b)
        return a == b;
    bool same = a->n == b->n && a->mean == b->mean && a->sd == b->sd && a->lag1 == b->lag1 &&
                a->knots == b->knots &&
                same_numbers(a->probabilities, b->probabilities, a->knots) &&
                same_numbers(a->quantiles, b->quantiles, a->knots) &&
                a->fits == b->fits;
    for (size_t i = 0; same && i < a->fits; i++) {
        const struct mpg_distribution_fit *f = &a->fit[i], *g = &b->fit[i];
        size_t n = (size_t)f->parameters;
        same = same_text(f->family, g->family) && f->location == g->location &&
               f->parameters == g->parameters && same_text(f->name[0], g->name[0]) &&
               same_text(f->name[1], g->name[1]) && same_numbers(f->value, g->value, n) &&
               same_numbers(f->low, g->low, n) && same_numbers(f->high, g->high, n) &&
               f->distance == g->distance && f->tail_fraction == g->tail_fraction;
    }
    return same;
}

static bool same_series(const struct mpg_noise_series *a, const struct mpg_noise_series *b)
{
    return a->n == b->n && a->step == b->step && same_numbers(a->mean, b->mean, a->n) &&
           same_numbers(a->max, b->max, a->n);
}

static bool same_marks(const uint8_t *a, const uint8_t *b, size_t n)
{
    return a && b ? memcmp(a, b, n) == 0 : a == b;
}

static bool same_blocks(const struct mpg_noise_blocks *a, const struct mpg_noise_blocks *b)
{
    bool same = a->recorded == b->recorded && a->min_ns == b->min_ns && a->n == b->n &&
                a->detours == b->detours && same_numbers(a->start_ns, b->start_ns, a->detours) &&
                same_numbers(a->duration_ns, b->duration_ns, a->detours) &&
                same_marks(a->mark, b->mark, a->detours);
    for (size_t i = 0; same && i < a->n; i++)
        same = a->block[i].from_ns == b->block[i].from_ns &&
               a->block[i].to_ns == b->block[i].to_ns && a->block[i].first == b->block[i].first &&
               a->block[i].detours == b->block[i].detours;
    return same;
}

static bool same_causes(const struct mpg_noise_core *a, const struct mpg_noise_core *b)
{
    bool same = true;
    for (size_t i = 0; same && i < a->causes; i++)
        same = same_text(a->cause[i], b->cause[i]);
    return same;
}

static bool same_core(const struct mpg_noise_core *a, const struct mpg_noise_core *b)
{
    bool same = same_text(a->host, b->host) && a->core == b->core &&
                a->fraction_lost == b->fraction_lost &&
                a->cores_at_once == b->cores_at_once && a->threshold_ns == b->threshold_ns &&
                a->span_ns == b->span_ns && a->offset_ns == b->offset_ns &&
                a->together == b->together && a->alone_lost == b->alone_lost &&
                a->detours == b->detours && a->off_known == b->off_known &&
                a->fraction_off == b->fraction_off && a->causes == b->causes && same_marks(a->mark, b->mark, a->detours) &&
                same_blocks(&a->blocks, &b->blocks) && same_causes(a, b) &&
                same_numbers(a->start_ns, b->start_ns, a->detours) &&
                same_numbers(a->duration_ns, b->duration_ns, a->detours) &&
                same_distribution(a->gap_ns, b->gap_ns) &&
                same_distribution(a->length_ns, b->length_ns) &&
                a->ftq.quantum_ns == b->ftq.quantum_ns &&
                same_distribution(a->ftq.lost_ns, b->ftq.lost_ns) &&
                a->fwq.quantum_ns == b->fwq.quantum_ns &&
                same_distribution(a->fwq.lost_ns, b->fwq.lost_ns) &&
                same_series(&a->series, &b->series) && same_series(&a->spectrum, &b->spectrum) &&
                a->false_alarm == b->false_alarm && a->lines == b->lines && a->lags == b->lags &&
                same_numbers(a->autocorrelation, b->autocorrelation, a->lags) &&
                same_facts(a->event, a->events, b->event, b->events);
    for (size_t i = 0; same && i < a->lines; i++)
        same = a->line[i].frequency_hz == b->line[i].frequency_hz &&
               a->line[i].amplitude_ns == b->line[i].amplitude_ns &&
               a->line[i].harmonic_of_hz == b->line[i].harmonic_of_hz &&
               a->line[i].false_alarm == b->line[i].false_alarm;
    return same;
}

static bool same_launches(const struct mpg_launches *a, const struct mpg_launches *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = same_distribution(a->ns[i], b->ns[i]);
    return same;
}

static bool same_rows(const struct mpg_rows *a, const struct mpg_rows *b)
{
    size_t n = a->blocks * a->length;
    return a->blocks == b->blocks && a->length == b->length &&
           (n == 0 || memcmp(a->classes, b->classes, n) == 0) && same_numbers(a->u, b->u, 2 * n);
}

static bool same_sizes(const struct mpg_network_sizes *a, const struct mpg_network_sizes *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = a->size[i].size_bytes == b->size[i].size_bytes &&
               same_distribution(a->size[i].time_ns, b->size[i].time_ns) &&
               same_launches(&a->size[i].launches, &b->size[i].launches) &&
               same_rows(&a->size[i].rows, &b->size[i].rows);
    return same;
}

static bool same_groups(const struct mpg_network_group *a, size_t n,
                        const struct mpg_network_group *b, size_t m)
{
    bool same = n == m;
    for (size_t i = 0; same && i < n; i++)
        same = same_text(a[i].name, b[i].name) && a[i].n == b[i].n &&
               a[i].size_bytes == b[i].size_bytes && a[i].median_ns == b[i].median_ns &&
               a[i].score == b[i].score && a[i].outlier == b[i].outlier;
    return same;
}

static bool same_path(const struct mpg_network_path *a, const struct mpg_network_path *b)
{
    bool same = a->path == b->path && same_text(a->one_way, b->one_way) &&
                a->one_way_error_ns == b->one_way_error_ns &&
                a->one_way_misfit == b->one_way_misfit &&
                same_sizes(&a->latency, &b->latency) && same_sizes(&a->round_trip, &b->round_trip) &&
                same_sizes(&a->bandwidth, &b->bandwidth) && same_sizes(&a->sender, &b->sender) &&
                same_sizes(&a->send_overhead, &b->send_overhead) &&
                same_sizes(&a->receive_overhead, &b->receive_overhead) &&
                same_sizes(&a->streaming, &b->streaming) && a->window == b->window &&
                a->eager_limit_bytes == b->eager_limit_bytes &&
                a->loggp.segments == b->loggp.segments &&
                a->loggp.overhead_ns == b->loggp.overhead_ns &&
                a->loggp.gap_ns == b->loggp.gap_ns &&
                same_groups(a->launch, a->launches, b->launch, b->launches) &&
                same_groups(a->pair, a->pairs, b->pair, b->pairs);
    for (size_t i = 0; same && i < a->loggp.segments; i++) {
        const struct mpg_loggp_segment *s = &a->loggp.segment[i], *t = &b->loggp.segment[i];
        same = s->from_bytes == t->from_bytes && s->to_bytes == t->to_bytes &&
               s->latency_ns == t->latency_ns && s->latency_error_ns == t->latency_error_ns &&
               s->gap_per_byte_ns == t->gap_per_byte_ns &&
               s->gap_per_byte_error_ns == t->gap_per_byte_error_ns &&
               s->residual_sd_ns == t->residual_sd_ns && s->worst_relative == t->worst_relative;
    }
    return same;
}

static bool same_point(const struct mpg_sharing_point *p, const struct mpg_sharing_point *q)
{
    return p->path == q->path && p->both == q->both && p->size_bytes == q->size_bytes && p->pairs == q->pairs &&
           same_distribution(p->value, q->value);
}

static void test_points(const struct mpg_sharing_point *a, const struct mpg_sharing_point *b, size_t n, const char *of)
{
    for (size_t i = 0; i < n; i++)
        ok(same_point(&a[i], &b[i]), "point %zu of %s, every bit", i, of);
}

static bool same_collective(const struct mpg_collective_time *a,
                            const struct mpg_collective_time *b)
{
    return same_text(a->operation, b->operation) && a->processes == b->processes &&
           a->size_bytes == b->size_bytes && same_distribution(a->time_ns, b->time_ns) &&
           same_launches(&a->launches, &b->launches);
}

static void is_text(const char *got, const char *expected)
{
    ok(strcmp(got, expected) == 0, "says '%s'", got);
}

/* Sets the ranks, computed by hand: 'A' (7 of 12, at 0 1 4 5 9 10 11) has stride 5 from 2 on; 'B' is 7th; '+' and '/'
 * are the last; 'k' and 'z' are in between. */
static void fill_ranks(void)
{
    static const int rank[] = {2, 0, 9, 11, 5, 3, 10, 8, 7, 1, 6, 4};
    for (int i = 0; i < 12; i++)
        ranks[i + i / 3 * 3] = ranks[i + i / 3 * 3 + 3] = (rank[i] + 0.5) / 12;
}

static void test_round_trip(void)
{
    struct mpg_error err = {""};
    char *once = write_text(&full);
    struct mpg_signature *sig = load_bytes(path, once, strlen(once), &err);
    if (!ok(sig != NULL, "what is written loads %s", err.text)) {
        free(once);
        return;
    }
    ok(same_facts(sig->fact, sig->facts, full.fact, full.facts), "header");
    ok(same_facts(sig->source, sig->sources, full.source, full.sources), "results");
    ok(sig->checks == 24 && sig->failures == 2, "checks");
    for (size_t i = 0; i < 2; i++)
        ok(sig->failure[i].parts == failures[i].parts && sig->failure[i].moves == failures[i].moves &&
               same_text(sig->failure[i].check, failures[i].check) &&
               same_text(sig->failure[i].found, failures[i].found) &&
               same_text(sig->failure[i].remedy, failures[i].remedy),
           "check %zu that failed, every bit", i);
    char effect[100];
    is_text(mpg_signature_effect(&failures[0], effect, sizeof effect), "can change computation and rates by 33 %");
    is_text(mpg_signature_effect(&failures[1], effect, sizeof effect), "");
    ok(sig->cores == full.cores && sig->paths == full.paths && sig->collectives == full.collectives &&
           sig->reductions == full.reductions && sig->sharings == full.sharings && sig->opposites == full.opposites &&
           sig->leads == full.leads && sig->rates == full.rates, "as many of all");
    for (size_t i = 0; i < full.cores; i++)
        ok(same_core(&sig->core[i], &cores[i]), "core %zu, every bit", i);
    for (size_t i = 0; i < full.paths; i++)
        ok(same_path(&sig->network[i], &paths[i]), "%s, every bit", mpg_path_name(paths[i].path));
    for (size_t i = 0; i < full.collectives; i++)
        ok(same_collective(&sig->collective[i], &collectives[i]), "collective %zu, every bit", i);
    for (size_t i = 0; i < full.reductions; i++)
        ok(same_collective(&sig->reduction[i], &reductions[i]), "reduction %zu, every bit", i);
    test_points(sig->sharing, sharing, full.sharings, "sharing curves");
    test_points(sig->opposite, opposite, full.opposites, "opposite messages");
    test_points(sig->lead, leads, full.leads, "leads");
    for (size_t i = 0; i < full.rates; i++) {
        const struct mpg_compute_rate *r = &sig->rate[i], *s = &rates[i];
        ok(same_text(r->kernel, s->kernel) && same_text(r->unit, s->unit) &&
               same_text(r->host, s->host) && r->core == s->core &&
               r->cores_at_once == s->cores_at_once && same_distribution(r->rate, s->rate) &&
               r->launches == s->launches &&
               (r->launches == 0 || memcmp(r->launch_mean, s->launch_mean, r->launches * sizeof *r->launch_mean) == 0),
           "rate %zu, every bit", i);
    }
    char *twice = write_text(sig);
    ok(strcmp(once, twice) == 0, "write, load, write gives the same bytes");
    free(twice);
    free(once);
    mpg_signature_free(sig);
}

static void test_rejected(void)
{
    static const struct {
        const char *from, *to, *says;
    } cases[] = {
        {"[4, 8]", "[1, 9]", "network is not an object"},
        {"\"moves\": ", "\"moves\": -", "checks: failed[0]: moves is -0.33"},
        {"\"moves\": ", "\"moves\": [], \"x\": ", "checks: failed[0]: moves is not a number"},
        {"\"parts\": [", "\"parts\": 7, \"x\": [", "checks: failed[0]: parts is not an array"},
        {"\"made\": 24", "\"made\": 1", "checks: made is 1, and 2 failed"},
        {"\"fraction_off_cpu\": ", "\"fraction_off_cpu\": -", "noise[1]: fraction_off_cpu is -2.2"},
        {"\"fraction_off_cpu\": ", "\"fraction_off_cpu\": 0.5, \"x\": ",
         "noise[1]: fraction_off_cpu is 0.5, more than fraction_lost"},
        {"\"off_cpu\": {", "\"off_cpu\": 7, \"x\": {", "noise[1]: detours: off_cpu is not an object"},
        {"\"off_cpu\": {", "\"off\": {", "noise[1]: detours: causes: there are 1 without off_cpu"},
        {"\"off_cpu\": {\"n\": 2", "\"off\": {\"n\": 2", "noise[3]: detours: blocks: causes: there are 2 without off_cpu"},
        {"\"off_cpu\": {\"n\": 1", "\"off_cpu\": {\"n\": 4", "off_cpu: n is 4, of 3 detours"},
        {"\"off_cpu\": {\"n\": 1", "\"off_cpu\": {\"m\": 1", "off_cpu: n is missing"},
        {"\"off_cpu\": {\"n\": 1", "\"off_cpu\": {\"n\": 0", "off_cpu: 1 bytes cannot be 0"},
        {"\"off_cpu\": {\"n\": 1, \"packed\"", "\"off_cpu\": {\"n\": 1, \"p\"", "off_cpu: packed is missing"},
        {"\"causes\": {\"n\": 1", "\"causes\": {\"n\": 4", "causes: n is 4, of 3 detours"},
        {"\"causes\": {\"n\": 1", "\"causes\": {\"m\": 1", "causes: n is missing"},
        {"\"causes\": {\"n\": 1, \"packed\"", "\"causes\": {\"n\": 1, \"p\"", "causes: packed is missing"},
        {"\"causes\": {\"n\": 1", "\"causes\": 7, \"x\": {\"n\": 1", "causes is not an object"},
        {"\"timer tick\", \"task", "7, \"task", "cause_names[1] is no text"},
        {"\"timer tick\", \"task", "\"two\\nlines\", \"task", "cause_names is not one line of text"},
        {"\"cause_names\": [\"unseen\", \"timer tick\", ", "\"cause_names\": [", "cause 2 of detour 0 has no name"},
        {"\"cause_names\": [\"unseen\", \"timer tick\"]", "\"cause_names\": [\"unseen\"]",
         "cause 1 of detour 0 of blocks has no name"},
        {"\"off_cpu\": {\"n\": 3", "\"off\": {\"n\": 3", "noise[4]: detours: off_cpu is there of some"},
        {"\"lines\": [", "\"lines\": [7, ", "noise[1]: lines[0] is not an object"},
        {"\"host\": \"a\"", "\"host\": 7", "noise[1]: host is not a string"},
        {"\"host\": \"a\"", "\"host\": \"\"", "noise[1]: host is missing"},
        {"\"host\": \"a\"", "\"host\": \"\\u001b\"", "noise[1]: host is not one line"},
        {"\"host\": \"a\"", "\"host\": \"c\"", "noise[2]: host is a, not ascending"},
        {"\"core\": 4", "\"core\": 3", "noise[2]: core is 3, not ascending"},
        {"\"cores_at_once\": 4", "\"cores_at_once\": 0", "noise[1]: cores_at_once is 0"},
        {"\"fwq\": {\"quantum_ns\"", "\"fwq\": {\"q\"", "noise[0]: fwq: quantum_ns and lost_ns"},
        {"\"fwq\": {", "\"fwq\": [], \"x\": {", "noise[0]: fwq is not an object"},
        {"\"step_ns\":", "\"step\":", "noise[1]: series: step_ns is missing"},
        {"\"step_ns\": ", "\"step_ns\": -", "noise[1]: series: step is -"},
        {"\"mean_ns\": [0,", "\"mean_ns\": [", "noise[1]: series: mean_ns has 2 values, most_ns"},
        {"\"mean_ns\": [0,", "\"mean_ns\": [1,", "noise[1]: series: value 0 has mean 1 and most 0"},
        {"\"mean_ns\": [0,", "\"mean_ns\": [-1,", "noise[1]: series: value 0 has mean -1"},
        {"\"most_ns2_per_hz\": [1,", "\"most_ns2_per_hz\": [\"1\",",
         "noise[1]: spectrum: most_ns2_per_hz[0] is not a number"},
        {"\"false_alarm\": 0.01", "\"false_alarm\": 1.01", "noise[1]: false_alarm is 1.01"},
        {"\"frequency_hz\": 250.1,", "", "noise[1]: lines[0]: frequency_hz is missing"},
        {"\"frequency_hz\": 250.1,", "\"frequency_hz\": 0,", "noise[1]: lines[0]: frequency_hz is 0"},
        {"\"amplitude_ns\": 100", "\"amplitude_ns\": 1000",
         "noise[1]: lines[1]: amplitude_ns is 1000, not descending"},
        {"\"harmonic_of_hz\": 250.1", "\"harmonic_of_hz\": -1", "noise[1]: lines[1]: harmonic_of_hz"},
        {"\"false_alarm\": 0.004", "\"false_alarm\": -0.004", "noise[1]: lines[1]: false_alarm"},
        {"\"autocorrelation\": [0.5", "\"autocorrelation\": [1.5", "noise[1]: autocorrelation[0]"},
        {"\"events\": {", "\"events\": {\"a\": 7, ", "noise[1]: events: a is not a string"},
        {"\"family\": \"lognormal\",", "", "noise[0]: fwq: lost_ns: fits[0]: family is missing"},
        {"\"lognormal\"", "\"a\\nb\"", "noise[0]: fwq: lost_ns: fits[0]: family is not one"},
        {"\"location\": 310.5", "\"location\": 1e151", "fits[0]: location is 1e+151"},
        {"\"parameters\": [", "\"parameters\": [], \"x\": [", "fits[0]: parameters has 0 elements"},
        {"\"parameters\": [", "\"parameters\": [{}, ", "fits[0]: parameters has 3 elements"},
        {"\"name\": \"mu\"", "\"name\": \"\"", "fits[0]: parameters[0]: name is missing"},
        {"\"value\": -5.25,", "", "fits[0]: parameters[0]: value is missing"},
        {"\"low\": -5.5", "\"low\": -4.5", "fits[0]: parameters[0]: -5.25, -4.5 to -5, is no"},
        {"\"distance\": ", "\"distance\": 2", "fits[0]: distance is 2"},
        {"\"tail_fraction\": 1", "\"tail_fraction\": 0", "fits[0]: tail_fraction is 0"},
        {"\"path\": \"node\"", "\"path\": \"rack\"", "network[1]: path is 'rack', not a path class"},
        {"\"path\": \"node\"", "\"path\": 7", "network[1]: path is missing"},
        {"\"path\": \"node\"", "\"path\": \"core complex\"", "network[1]: path is class 0"},
        {"\"eager_limit_bytes\": 65536", "\"eager_limit_bytes\": -2",
         "network: between nodes: eager_limit_bytes is -2"},
        {"\"one_way\": \"half the round trip\"", "\"one_way\": []",
         "network: core complex: one_way is not a string"},
        {"\"path\": \"node\"", "\"path\": \"node\", \"one_way\": \"x\"",
         "network: node: one_way without latency"},
        {"\"one_way_error_ns\": ", "\"one_way_error_ns\": -", "one_way_error_ns is -8.3"},
        {"\"window_messages\": 64", "\"window_messages\": 0", "window_messages is 0, and streaming"},
        {"\"window_messages\": 64", "\"window_messages\": \"64\"", "window_messages is not a whole"},
        {"\"round_trip_ns\"", "\"x\"", "between nodes: round_trip[0]: round_trip_ns is missing"},
        {"\"send_ns\"", "\"x\"", "between nodes: sender[0]: send_ns is missing"},
        {"\"message_ns\"", "\"x\"", "between nodes: streaming[0]: message_ns is missing"},
        {"\"size_bytes\": 4097", "\"size_bytes\": -1", "between nodes: sender[0]: size_bytes is -1"},
        {"\"overhead_ns\": 88.25", "\"overhead_ns\": []", "core complex: loggp: overhead_ns"},
        {"\"to_bytes\": 4096", "\"to_bytes\": 4097", "loggp: segments[1]: from_bytes is 4096, not"},
        {"\"to_bytes\": 4096", "\"to_bytes\": -1", "loggp: segments[0]: from_bytes 0 to_bytes -1"},
        {"\"latency_ns\": 512.5,", "", "loggp: segments[0]: latency_ns is missing"},
        {"\"latency_ns\": 512.5", "\"latency_ns\": 1e200", "loggp: segments[0]: latency_ns is 1e+200"},
        {"\"latency_error_ns\": 2", "\"latency_error_ns\": -2", "segments[1]: latency_error_ns is -2"},
        {"\"gap_per_byte_ns\": 0.025,", "", "segments[1]: gap_per_byte_ns is missing"},
        {"\"gap_per_byte_error_ns\": ", "\"gap_per_byte_error_ns\": -", "gap_per_byte_error_ns is -"},
        {"\"residual_sd_ns\": 12", "\"residual_sd_ns\": -12", "segments[0]: residual_sd_ns is -12"},
        {"\"worst_relative\": 0.0", "\"worst_relative\": -0.0", "segments[0]: worst_relative is -0.0"},
        {"\"name\": \"launch 1\",", "", "between nodes: launches[1]: name is missing"},
        {"\"n\": 51,", "\"n\": 0,", "between nodes: launches[1]: n is not at least 1"},
        {"\"n\": 51,", "\"n\": 5.1,", "between nodes: launches[1]: n is not a whole number"},
        {"\"median_ns\": 812.5,", "", "between nodes: launches[1]: median_ns is missing"},
        {"\"median_ns\": 812.5,", "\"median_ns\": -1,", "launches[1]: median_ns is -1"},
        {"\"score\": 9.5", "\"score\": 1e200", "launches[1]: score is 1e+200"},
        {"\"outlier\": 1", "\"outlier\": 2", "between nodes: launches[1]: outlier is 2, not 0 or 1"},
        {"\"pairs\": [", "\"pairs\": 7, \"x\": [", "between nodes: pairs is not an array"},
        {"\"probabilities\": [0,0.25", "\"probabilities\": [0.1,0.25", "do not begin with 0"},
        {"\"probabilities\": [0,0.25", "\"probabilities\": [0,0.75", "probabilities[2] is 0.5, below"},
        {"\"send_overhead\": [", "\"send_overhead\": [7, ", "send_overhead[0] is not an object"},
        {"\"receive_ns\"", "\"x\"", "receive_overhead[0]: receive_ns is missing"},
        {"\"offset_ns\": ", "\"offset_ns\": -", "noise[1]: offset_ns is -3333"},
        {"\"together\": true", "\"together\": 1", "noise[1]: together is neither true nor false"},
        {"\"alone_lost\": ", "\"alone_lost\": -", "noise[1]: alone_lost is -0.01"},
        {"\"alone_lost\": ", "\"alone_lost\": 1", "noise[1]: alone_lost is 10"},
        {"\"length\": 3", "\"length\": 5", "rows: classes has 12 letters, not a multiple of 5"},
        {"\"length\": 3", "\"length\": 0", "rows: length is 0"},
        {"\"length\": 3", "\"length\": -3", "rows: length is -3"},
        {"\"length\": 3", "\"size\": 3", "rows: length is missing"},
        {"\"classes\": \"AAz/", "\"classes\": \"AA=/", "latency[0]: rows: classes[2] is not base64"},
        {"\"classes\": \"AAz/", "\"classes\": \"AA\\u00e9/", "rows: classes has 13"},
        {"\"classes\": \"", "\"classes\": \"\", \"x\": \"", "rows: classes has 0 letters"},
        {"\"classes\": \"", "\"classes\": 7, \"x\": \"", "rows: classes is not a string"},
        {"\"rows\": {", "\"rows\": 7, \"x\": {", "latency[0]: rows is not an object"},
        {"\"operation\": \"allreduce\"", "\"operation\": \"\"", "collectives[0]: operation is missing"},
        {"\"processes\": 16", "\"processes\": 0", "collectives[2]: processes is 0"},
        {"\"processes\": 16", "\"processes\": 4", "collectives[2]: operation, processes, size"},
        {"\"operation\": \"barrier\"", "\"operation\": \"a\"", "collectives[3]: operation, processes"},
        {"\"time_ns\"", "\"times_ns\"", "collectives[0]: time_ns is missing"},
        {"\"reductions\": [", "\"reductions\": 7, \"x\": [", "reductions is not an array"},
        {"\"reductions\": [", "\"reductions\": [7, ", "reductions[0] is not an object"},
        {"\"operation\": \"reduce_local\"", "\"operation\": \"\"", "reductions[0]: operation is missing"},
        {"\"operation\": \"reduce_local\"", "\"operation\": \"x\"", "reductions[1]: operation, processes, size"},
        {"\"operation\": \"reduce_local\", \"processes\": 2", "\"operation\": \"reduce_local\"",
         "reductions[0]: processes is missing"},
        {"\"reduce_local\", \"processes\": 2, \"size_bytes\": 8", "\"reduce_local\", \"processes\": 2, \"size_bytes\": -8",
         "reductions[0]: size_bytes is -8"},
        {"\"sharing\": [", "\"sharing\": 7, \"x\": [", "sharing is not an array"},
        {"\"placement\": \"between nodes\"", "\"placement\": \"near\"", "sharing[1]: placement is 'near', not a path class"},
        {"\"placement\": \"between nodes\"", "\"placement\": 7", "sharing[1]: placement is not a string"},
        {"\"direction\": \"both\"", "\"direction\": \"two\"", "sharing[3]: direction is 'two', not 'one' or 'both'"},
        {"\"direction\": \"both\"", "\"direction\": \"one\"", "sharing[3]: placement, direction, bytes, pairs do not ascend"},
        {"\"bytes\": 65536,", "\"bytes\": -1,", "sharing[2]: bytes is -1"},
        {"\"pairs\": 16,", "\"pairs\": 0,", "sharing[3]: pairs is 0"},
        {"\"bandwidth\": {", "\"x\": {", "sharing[0]: bandwidth is missing"},
        {"\"opposite\": [", "\"opposite\": 7, \"x\": [", "opposite is not an array"},
        {"\"leads\": [", "\"leads\": 7, \"x\": [", "leads is not an array"},
        {"\"lead_ns\": {", "\"x\": {", "leads[0]: lead_ns is missing"},
        {"\"kernel\": \"floating_point\",", "", "compute[0]: kernel is missing"},
        {"\"unit\": \"flop/s\",", "", "compute[0]: unit is missing"},
        {"\"kernel\": \"memory_latency\"", "\"kernel\": \"b\"", "compute[3]: kernel, cores_at_once"},
        {"\"core\": 0, \"cores_at_once\": 2", "\"core\": 0, \"cores_at_once\": 1",
         "compute[2]: kernel, cores_at_once, host, core do not ascend"},
        {"\"rate_per_s\"", "\"rate\"", "compute[0]: rate_per_s is missing"},
        {"\"launch_means_per_s\": [", "\"launch_means_per_s\": [-1, ", "compute[1]: a value of launch_means_per_s is -1"},
        {"\"launch_means_per_s\": [", "\"launch_means_per_s\": [1], \"x\": [", "compute[1]: launch_means_per_s has one value"},
        {"\"launch_means_per_s\": [", "\"launch_means_per_s\": 1, \"x\": [", "compute[1]: launch_means_per_s is not an array"},
    };
    char *base = write_text(&full);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mpg_error err = {"accepted"};
        char *text = edit_text(base, cases[i].from, cases[i].to);
        struct mpg_signature *sig = load_bytes(path, text, strlen(text), &err);
        ok(!sig && strncmp(err.text, path, strlen(path)) == 0 && strstr(err.text, cases[i].says) &&
               !strchr(err.text, '\n'),
           "rejected: %s", err.text + (sig ? 0 : strlen(path) + 2));
        mpg_signature_free(sig);
        free(text);
    }
    free(base);
}

/* Lists with one element above the limit are refused. */
static void test_caps(void)
{
    static const struct {
        const char *key;
        int max;
        const char *element, *says;
    } cases[] = {
        {"\"mean_ns\": [", MPG_SIGNATURE_MAX_LIST, "0,", "series: mean_ns has 65540 values"},
        {"\"lines\": [", MPG_SIGNATURE_MAX_LIST, "{},", "noise[1]: lines has 65539 elements"},
        {"\"autocorrelation\": [", MPG_SIGNATURE_MAX_LIST, "0,", "autocorrelation has 65541 values"},
        {"\"fits\": [", MPG_DISTRIBUTION_MAX_FITS, "{},", "fits has 19 elements, more than 16"},
        {"\"network\": [", MPG_PATHS, "{},", "network has 7 elements, more than 3"},
        {"\"streaming\": [", MPG_SIGNATURE_MAX_SIZES, "{},", "streaming has 4098 elements"},
        {"\"segments\": [", MPG_SIGNATURE_MAX_SIZES, "{},", "loggp: segments has 4097 elements"},
        {"\"launches\": [", MPG_SIGNATURE_MAX_LIST, "{},", "launches has 65539 elements"},
        {"\"pairs\": [", MPG_SIGNATURE_MAX_LIST, "{},", "pairs has 65538 elements"},
        {"\"collectives\": [", MPG_SIGNATURE_MAX_LIST, "{},", "collectives has 65541 elements"},
        {"\"sharing\": [", MPG_SIGNATURE_MAX_LIST, "{},", "sharing has 65541 elements"},
        {"\"compute\": [", MPG_SIGNATURE_MAX_LIST, "{},", "compute has 65541 elements"},
    };
    char *base = write_text(&full), *many = malloc(3 * MPG_SIGNATURE_MAX_LIST + 64);
    if (!many)
        bail("out of memory", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mpg_error err = {"accepted"};
        char *end = stpcpy(many, cases[i].key);
        /* one element above the limit; for segments the last element is "{}", without a comma */
        for (int k = 0; k <= cases[i].max; k++)
            end = stpcpy(end, k == cases[i].max && strstr(cases[i].key, "segm") ? "{}"
                                                                                : cases[i].element);
        char *text = edit_text(base, cases[i].key, many);
        struct mpg_signature *sig = load_bytes(path, text, strlen(text), &err);
        ok(!sig && strstr(err.text, cases[i].says), "too many: %s", err.text);
        mpg_signature_free(sig);
        free(text);
    }
    free(many);
    free(base);
}

/* Values that no file can express, but that a program could store in a signature, cannot be written. */
static void test_unwritable(void)
{
    struct mpg_error err;
    const struct {
        double *member, wrong;
        const char *says;
    } cases[] = {
        {&series_max[1], NAN, "noise[1]: series: value 1"},
        {&power[1], INFINITY, "noise[1]: spectrum: value 1"},
        {&correlations[1], NAN, "noise[1]: autocorrelation[1]"},
        {&lines[1].amplitude_ns, NAN, "noise[1]: lines[1]: amplitude_ns"},
        {&cores[1].series.step, INFINITY, "noise[1]: series: step"},
        {&fits[1].high[0], INFINITY, "fits[1]: parameters[0]"},
        {&fits[1].value[0], NAN, "fits[1]: parameters[0]"},
        {&fits[1].distance, NAN, "fits[1]: distance"},
        {&paths[2].one_way_error_ns, NAN, "network: between nodes: one_way_error_ns"},
        {&paths[2].one_way_misfit, 1.01, "network: between nodes: one_way_misfit"},
        {&paths[2].loggp.gap_ns, NAN, "network: between nodes: loggp: gap_ns"},
        {&segments[1].gap_per_byte_ns, NAN, "loggp: segments[1]: gap_per_byte_ns"},
        {&launches[1].score, INFINITY, "launches[1]: score"},
    };
    FILE *nowhere = fopen(path, "w");
    if (!nowhere)
        bail("cannot write", path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double right = *cases[i].member;
        *cases[i].member = cases[i].wrong;
        err.text[0] = '\0';
        ok(mpg_signature_write(&full, nowhere, &err) < 0 && strstr(err.text, cases[i].says) &&
               ftell(nowhere) == 0,
           "not written: %s", err.text);
        *cases[i].member = right;
    }
    launches[0].name = "\xff";
    ok(mpg_signature_write(&full, nowhere, &err) < 0 && strstr(err.text, "name is not one line"),
       "not written: %s", err.text);
    launches[0].name = "launch 0";
    fclose(nowhere);
}

/* Replaces each number of the file in turn by an invalid number: loading must fail with a message of one line. */
static void test_every_number(void)
{
    static const char *const wrong[] = {"1e151", "-1e151", "1e999", "NaN", "nan", "-Infinity"};
    enum { WRONG = sizeof wrong / sizeof *wrong, LEAST = 100 };
    struct mpg_error err;
    char *base = write_text(&full), *text = malloc(strlen(base) + 32);
    size_t numbers = 0, bad = 0;
    if (!text)
        bail("out of memory", "");
    for (const char *p = base; *p; p++) {
        size_t length = strspn(p, "-+.0123456789e");
        if (*p == '"') /* skips the string */
            for (p++; *p != '"'; p++)
                p += *p == '\\';
        if (length == 0)
            continue;
        numbers++;
        for (int i = 0; i < WRONG; i++) {
            sprintf(text, "%.*s%s%s", (int)(p - base), base, wrong[i], p + length);
            err.text[0] = '\0';
            struct mpg_signature *sig = load_bytes(path, text, strlen(text), &err);
            if ((sig || !err.text[0] || strchr(err.text, '\n')) && bad++ < 3)
                printf("# %s for %.*s: %.60s: %s\n", wrong[i], (int)length, p,
                       p - base < 60 ? base : p - 60, sig ? "taken" : err.text);
            mpg_signature_free(sig);
        }
        p += length - 1;
    }
    ok(numbers > LEAST && bad == 0, "each of %zu numbers beyond 1e150 or none: rejected", numbers);
    free(text);
    free(base);
}

static void test_damage(void)
{
    char *base = write_text(&full);
    ok(cut_silently(path, base, 3) == 0, "cut off at every third of %zu bytes: rejected",
       strlen(base));
    ok(damaged_silently(path, base, 4000) == 0, "4000 damaged files: rejected, or right");
    free(base);
}

int main(void)
{
    fill_ranks();
    cores[1].fraction_lost = (durations[0] + durations[1] + durations[2]) / cores[1].span_ns;
    test_round_trip();
    test_rejected();
    test_caps();
    test_unwritable();
    test_every_number();
    test_damage();
    unlink(path);
    return done();
}
