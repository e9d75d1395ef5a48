/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places of ranks from a file: long names, many names, and the path classes between ranks. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "simulate/models/placement.h"
#include "tests/tap.h"

enum { MANY = 300000, LONG = 700 };

static char path[] = "places.XXXXXX";

static struct mpg_placement read_places(int32_t ranks)
{
    struct mpg_placement p = {0};
    struct mpg_error err;
    if (mpg_placement_parse(&p, "map", path, ranks, &err) < 0) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return p;
}

static FILE *create(void)
{
    FILE *file = fopen(path, "w");
    if (file)
        return file;
    printf("Bail out! %s cannot be written\n", path);
    exit(1);
}

/* Each rank has its own node, except the last ones, which share the first nodes. */
static void test_many(void)
{
    FILE *file = create();
    for (int r = 0; r < MANY; r++)
        fprintf(file, "node%d c%d\n", r < MANY - 3 ? 7 * r : 7 * (MANY - 1 - r), r % 2);
    fclose(file);
    clock_t begin = clock();
    struct mpg_placement p = read_places(MANY);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    int wrong = 0;
    for (int r = 0; r < MANY; r++)
        wrong += p.node[r] != (r < MANY - 3 ? r : MANY - 1 - r);
    ok(wrong == 0, "%d nodes in the order of their lowest ranks: %d are wrong", MANY - 3, wrong);
    ok(seconds < 20, "in %.1f s of CPU time, and not in the square of their number", seconds);
    mpg_placement_clear(&p);
}

/* Node names that differ only in the last letter. */
static void test_long(void)
{
    char name[LONG + 1];
    memset(name, 'x', LONG);
    name[LONG] = '\0';
    FILE *file = create();
    for (int r = 0; r < 4; r++) {
        name[LONG - 1] = "abab"[r];
        fprintf(file, "n%d %s\n", r == 3, name);
    }
    fclose(file);
    struct mpg_placement p = read_places(4);
    ok(p.core_complex[0] != p.core_complex[1], "core complexes with long names are told apart");
    ok(p.core_complex[0] == p.core_complex[2], "and found again");
    ok(p.core_complex[1] != p.core_complex[3], "of two nodes, equal names are two of them");
    mpg_placement_clear(&p);
}

/* Checks which path classes exist between ranks with the places in TEXT, one rank a line, by comparing all pairs. */
static void test_taken(const char *text, int32_t ranks)
{
    FILE *file = create();
    fputs(text, file);
    fclose(file);
    struct mpg_placement p = read_places(ranks);
    bool taken[MPG_PATHS] = {false};
    for (int32_t a = 0; a < ranks; a++)
        for (int32_t b = 0; b < a; b++)
            taken[mpg_placement_path_class(&p, a, b)] = true;
    bool same = true;
    for (int i = 0; i < MPG_PATHS; i++)
        same = same && p.taken[i] == taken[i];
    ok(same, "paths between %d ranks: by all pairs", ranks);
    ok(p.farthest == (taken[MPG_PATH_BETWEEN] ? MPG_PATH_BETWEEN
                      : taken[MPG_PATH_NODE]  ? MPG_PATH_NODE
                                              : MPG_PATH_COMPLEX), "and the farthest of them");
    mpg_placement_clear(&p);
}

int main(void)
{
    int fd = mkstemp(path);
    if (fd < 0) {
        puts("Bail out! no temporary file");
        return 1;
    }
    close(fd);
    test_many();
    test_long();
    test_taken("a x\na x\na x\n", 3);
    test_taken("a x\na x\na y\n", 3);
    test_taken("a x\na\n", 2);
    test_taken("a\na\na x\na x\n", 4);
    test_taken("a x\nb x\nc\n", 3);
    test_taken("a x\nb x\na x\nb y\n", 4);
    test_taken("a x\nb x\na z\nb y\n", 4);
    remove(path);
    return done();
}
