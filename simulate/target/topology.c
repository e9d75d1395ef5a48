/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/target/topology.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/input.h"
#include "common/units.h"

#pragma GCC diagnostic error "-Wswitch-enum"

static double links_of(enum mpg_topology topology, double p)
{
    const double side = sqrt(p);
    switch (topology) {
    case MPG_TOPOLOGY_BUS:
        return 1;
    case MPG_TOPOLOGY_RING:
    case MPG_TOPOLOGY_FATTREE:
        return p;
    case MPG_TOPOLOGY_MESH:
        return 2 * side * (side - 1);
    case MPG_TOPOLOGY_TORUS:
        return 2 * p;
    case MPG_TOPOLOGY_HYPERCUBE:
        return p * log2(p) / 2;
    case MPG_TOPOLOGY_LAYOUT: /* excludes contention */
    case MPG_TOPOLOGY_FULL:
        break;
    }
    return p * (p - 1) / 2;
}

/* Reads P's map: one line for each rank, with its processor. */
static int read_map(struct mpg_processors *x, const struct mpg_parameters *p, struct mpg_error *err)
{
    const char *path = p->map;
    FILE *file = mpg_input_open(path);
    char line[256];
    int32_t rank = 0;
    unsigned number = 0;
    int status = 0;
    if (!file) {
        mpg_error_errno(err, errno, "it is block, cyclic, or a file of a processor a line, and there is none: %s", path);
        return mpg_parameters_set_key_error(p, "Map", err);
    }
    while (status == 0 && fgets(line, sizeof line, file)) {
        int64_t place;
        number++;
        if (!strchr(line, '\n') && !feof(file)) {
            status = mpg_error_set(err, "%s:%u: a line of more than %zu bytes", path, number, sizeof line - 2);
            break;
        }
        line[strcspn(line, "#\n")] = '\0';
        char *word = line + strspn(line, " \t\r");
        word[strcspn(word, " \t\r")] = '\0';
        if (!*word)
            continue;
        if (mpg_units_parse_int(word, &place, err) < 0)
            status = mpg_error_prefix(err, "%s:%u", path, number);
        else if (place < 0 || place >= x->number)
            status = mpg_error_set(err, "%s:%u: there is no processor %s: they are 0 to %d", path, number, word,
                                   x->number - 1);
        else if (rank == x->ranks)
            status = mpg_error_set(err, "%s:%u: a processor for more than %d ranks", path, number, x->ranks);
        else
            x->of[rank++] = (int32_t)place;
    }
    if (status == 0 && ferror(file))
        status = mpg_error_errno(err, errno, "%s", path);
    fclose(file);
    if (status == 0 && rank < x->ranks)
        return mpg_error_set(err, "%s:%u: ends without a processor for rank %d of %d", path, number, rank, x->ranks);
    return status;
}

static int place_ranks(struct mpg_processors *x, const struct mpg_parameters *p, struct mpg_error *err)
{
    if (p->map && strcmp(p->map, "block") != 0 && strcmp(p->map, "cyclic") != 0)
        return read_map(x, p, err);
    const bool cyclic = p->map && strcmp(p->map, "cyclic") == 0;
    for (int32_t r = 0; r < x->ranks; r++)
        x->of[r] = cyclic ? r % x->number : (int32_t)((int64_t)r * x->number / x->ranks);
    return 0;
}

int mpg_processors_init(struct mpg_processors *x, const struct mpg_parameters *p, int32_t ranks, struct mpg_error *err)
{
    const int32_t n = p->processors > 0 ? p->processors : ranks;
    *x = (struct mpg_processors){
        .ranks = ranks, .number = n, .topology = p->topology, .layout = p->layout, .cluster = p->cluster};
    if (n > ranks) {
        mpg_error_set(err, "%d of them, and the trace has %d rank%s", n, ranks, ranks == 1 ? "" : "s");
        return mpg_parameters_set_key_error(p, "Processors", err);
    }
    x->of = malloc((size_t)ranks * sizeof *x->of);
    x->host = malloc((size_t)ranks * sizeof *x->host);
    if (!x->of || !x->host)
        return mpg_error_set(err, "out of memory");
    x->width = (int32_t)ceil(sqrt(n));
    x->links = fmax(links_of(p->topology, n), 1);
    if (place_ranks(x, p, err) < 0)
        return -1;
    for (int32_t r = 0; r < ranks; r++)
        x->host[r] = x->of[r] / x->cluster;
    return 0;
}

void mpg_processors_use_nodes(struct mpg_processors *x, const int32_t *node)
{
    memcpy(x->host, node, (size_t)x->ranks * sizeof *node);
}

int mpg_processors_check_hosts(const struct mpg_processors *x, const struct mpg_parameters *p, struct mpg_error *err)
{
    int32_t last = 0;
    for (int32_t r = 0; r < x->ranks; r++)
        last = x->host[r] > last ? x->host[r] : last;
    if (p->topology != MPG_TOPOLOGY_LAYOUT || last < mpg_layout_hosts(&p->layout))
        return 0;
    mpg_error_set(err, "%s has %d host%s, and the ranks are on %d", p->topology_text, mpg_layout_hosts(&p->layout),
                  mpg_layout_hosts(&p->layout) == 1 ? "" : "s", last + 1);
    return mpg_parameters_set_key_error(p, "Topology", err);
}

void mpg_processors_clear(struct mpg_processors *x)
{
    free(x->of);
    free(x->host);
    *x = (struct mpg_processors){0};
}

bool mpg_processors_near(const struct mpg_processors *x, int32_t a, int32_t b)
{
    return x->of[a] / x->cluster == x->of[b] / x->cluster;
}

/* Returns the number of links between I and J on a line of N processors, or on a ring if CLOSED. */
static int32_t along(int32_t i, int32_t j, int32_t n, bool closed)
{
    const int32_t d = abs(i - j);
    return closed && n - d < d ? n - d : d;
}

static int32_t bits(uint32_t x)
{
    int32_t n = 0;
    for (; x; x >>= 1)
        n++;
    return n;
}

int32_t mpg_processors_hops(const struct mpg_processors *x, int32_t a, int32_t b)
{
    const int32_t i = x->of[a], j = x->of[b], w = x->width, rows = (x->number + w - 1) / w;
    const bool closed = x->topology == MPG_TOPOLOGY_TORUS;
    if (mpg_processors_near(x, a, b))
        return 0;
    switch (x->topology) {
    case MPG_TOPOLOGY_RING:
        return along(i, j, x->number, true);
    case MPG_TOPOLOGY_MESH:
    case MPG_TOPOLOGY_TORUS:
        return along(i % w, j % w, w, closed) + along(i / w, j / w, rows, closed);
    case MPG_TOPOLOGY_HYPERCUBE:
        return __builtin_popcount((uint32_t)(i ^ j));
    case MPG_TOPOLOGY_FATTREE:
        return 2 * bits((uint32_t)(i ^ j));
    case MPG_TOPOLOGY_LAYOUT:
        return mpg_layout_hops(&x->layout, x->host[a], x->host[b]);
    case MPG_TOPOLOGY_FULL:
    case MPG_TOPOLOGY_BUS:
        break;
    }
    return 1;
}
