/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detection of pairs of ranks whose message times are outliers, and the map of pairs (TAP). Of MPI it needs only the
 * header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/harness/outliers.h"
#include "tests/tap.h"

enum { RANKS = 6, PAIRS = RANKS * (RANKS - 1) / 2, SIZES = 3 };
static const int64_t size_bytes[SIZES] = {8, 16, 65536};

/* Makes times of all pairs of RANKS ranks, which differ slightly. */
struct made {
    struct mpg_path_results class[MPG_PATHS];
    struct mpg_rank_pair rank_pair[PAIRS];
    struct mpg_path_cell cell[PAIRS * SIZES];
    struct mpg_rank_location location[RANKS];
};

static void make(struct made *m)
{
    memset(m, 0, sizeof *m);
    int n = 0;
    for (int a = 0; a < RANKS; a++)
        for (int b = a + 1; b < RANKS; b++, n++) {
            m->rank_pair[n] = (struct mpg_rank_pair){a, b, MPG_PATH_NODE};
            for (int s = 0; s < SIZES; s++)
                m->cell[n * SIZES + s] = (struct mpg_path_cell){
                    .pair = n,
                    .size_bytes = size_bytes[s],
                    .window = 1,
                    .median_ns = (400 + (double)size_bytes[s] / 10) * (1 + 0.002 * (n * 7 % 5)),
                };
        }
    m->class[MPG_PATH_NODE] = (struct mpg_path_results){.path = MPG_PATH_NODE,
                                                 .pairs = PAIRS,
                                                 .rank_pair = m->rank_pair,
                                                 .cells = PAIRS * SIZES,
                                                 .cell = m->cell,
                                                 .eager_limit_bytes = 4096};
    for (int r = 0; r < RANKS; r++)
        m->location[r] = (struct mpg_rank_location){.host = "here"};
}

/* Multiplies the times of all RANK's pairs by FACTOR, for messages of the sizes numbered FIRST_SIZE to LAST_SIZE. */
static void change(struct made *m, int rank, int first_size, int last_size, double factor)
{
    for (int n = 0; n < PAIRS; n++)
        for (int s = first_size; s <= last_size; s++)
            if (m->rank_pair[n].a == rank || m->rank_pair[n].b == rank)
                m->cell[n * SIZES + s].median_ns *= factor;
}

/* Returns the text of the report on M. The caller frees it. */
static char *printed(const struct made *m)
{
    char name[] = "outliers-XXXXXX";
    const struct mpg_ranks ranks = {.ranks = RANKS, .location = (struct mpg_rank_location *)m->location};
    struct mpg_error err = {""};
    fflush(stdout);
    int keep = dup(STDOUT_FILENO), fd = mkstemp(name);
    dup2(fd, STDOUT_FILENO);
    int status = mpg_outliers_print(m->class, &ranks, 0.05, &err);
    fflush(stdout);
    dup2(keep, STDOUT_FILENO);
    off_t size = lseek(fd, 0, SEEK_CUR);
    char *text = calloc(1, (size_t)size + 1);
    ok(status == 0 && text && pread(fd, text, (size_t)size, 0) == size, "printed %s", err.text);
    close(fd);
    close(keep);
    unlink(name);
    return text;
}

/* Returns the number of lines of TEXT that begin with HEAD and contain PART. */
static int lines(const char *text, const char *head, const char *part)
{
    int n = 0;
    for (const char *line = text; *line;) {
        size_t size = strcspn(line, "\n");
        char copy[512];
        snprintf(copy, sizeof copy, "%.*s", (int)size, line);
        n += strncmp(copy, head, strlen(head)) == 0 && strstr(copy, part);
        line += size + (line[size] == '\n');
    }
    return n;
}

int main(void)
{
    struct made *m = malloc(sizeof *m);
    make(m);
    char *text = printed(m);
    ok(lines(text, "outlier:", "") == 0, "pairs that are alike are no outliers");
    ok(lines(text, "   5", "S") == 0, "and not marked");
    free(text);

    change(m, 5, 0, 1, 3);
    text = printed(m);
    ok(lines(text, "outlier: ranks ", "and 5 ") == RANKS - 1, "all pairs of a slow rank are");
    ok(lines(text, "outlier:", "") == RANKS - 1, "and no others");
    ok(lines(text, "outlier:", "short messages: +19") + lines(text, "outlier:", "messages: +20") ==
       RANKS - 1, "by three times, more or less");
    ok(lines(text, "   5 ", "  S  S  S  S  S") == 1, "and marked in the map");
    free(text);

    make(m);
    change(m, 2, 2, 2, 0.25);
    text = printed(m);
    ok(lines(text, "outlier:", "long messages: -7") == RANKS - 1, "a rank that is fast with long ones");
    ok(lines(text, "   2 ", "  F  F     F  F  F") == 1, "is marked so");
    free(text);

    make(m);
    change(m, 5, 0, 1, 1.1);
    text = printed(m);
    ok(lines(text, "outlier:", "") == 0, "what the medians may be wrong by is no outlier");
    free(text);
    /* Four ranks have six pairs; every second one is slow. */
    make(m);
    m->class[MPG_PATH_NODE].pairs = 6;
    m->class[MPG_PATH_NODE].cells = 6 * SIZES;
    for (int n = 1; n < 6; n += 2)
        for (int s = 0; s < 2; s++)
            m->cell[n * SIZES + s].median_ns *= 3;
    text = printed(m);
    ok(lines(text, "outlier:", "") == 3 && lines(text, "outlier:", "short messages: +") == 3,
       "if half of the pairs are slow, they are the outliers");
    free(text);
    make(m);
    m->class[MPG_PATH_NODE].pairs = 2;
    m->class[MPG_PATH_NODE].cells = 2 * SIZES;
    m->cell[0].median_ns *= 100;
    text = printed(m);
    ok(lines(text, "outlier:", "") == 0, "nor is one of two pairs");
    free(text);
    free(m);
    return done();
}
