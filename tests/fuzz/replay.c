/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a harness on files and folders of files, and reports in TAP: old findings stay fixed, with any compiler. A
 * crash or a hang ends the test and names the file. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

enum { MAX_SECONDS = 30 };

static char current[4096];

static void late(int signal_number)
{
    static const char text[] = " takes more than 30 s\n";
    (void)signal_number;
    if (write(STDERR_FILENO, current, strlen(current)) < 0 ||
        write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(3);
    _exit(2);
}

static bool replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;
    long size = -1;
    if (f && fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0)
        data = malloc((size_t)size + 1);
    bool ok = data && fread(data, 1, (size_t)size, f) == (size_t)size;
    snprintf(current, sizeof current, "%s", path);
    alarm(MAX_SECONDS);
    if (ok)
        (void)LLVMFuzzerTestOneInput(data, (size_t)size);
    alarm(0);
    free(data);
    if (f)
        (void)fclose(f);
    return ok;
}

/* Returns the number of files, or -1. */
static int replay(const char *path)
{
    struct stat st;
    struct dirent **entries;
    int replayed = 0;
    if (stat(path, &st) < 0)
        return -1;
    if (!S_ISDIR(st.st_mode))
        return replay_file(path) ? 1 : -1;
    int n = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && replayed >= 0)
            replayed = replay_file(name) ? replayed + 1 : -1;
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return n < 0 ? -1 : replayed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    (void)signal(SIGALRM, late);
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/');
        int n = replay(argv[i]);
        failed += n < 1;
        printf("%sok %d - %s: %d files\n", n < 1 ? "not " : "", i, slash ? slash + 1 : argv[i],
               n < 0 ? 0 : n);
    }
    return failed > 0;
}
