/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other tools' traces: an input holds the files of a trace, separated by lines "%%"; the program opens their folder, or a single
 * file, and prints the trace. Of a Paraver trace the second file has the names of calls. The files are in a temporary folder
 * that is made once: a folder for each number of files, whose files are written anew for each input. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "trace/reader.h"
#include "trace/text/text.h"

enum { MAX_FILES = 64 };

static const char separator[] = "%%\n";
static char *root; /* the temporary folder */

static bool is_paraver(const uint8_t *data, size_t size)
{
    static const char begin[] = "#Paraver (";
    return size >= sizeof begin - 1 && memcmp(data, begin, sizeof begin - 1) == 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)st;
    (void)type;
    (void)place;
    return remove(path);
}

static void remove_root(void)
{
    (void)nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(root);
}

static void make_root(void)
{
    const char *tmp = getenv("TMPDIR");
    if (root)
        return;
    if (asprintf(&root, "%s/foreign-XXXXXX", tmp ? tmp : "/tmp") < 0 || !mkdtemp(root) || atexit(remove_root) != 0)
        abort();
}

/* Writes SIZE bytes of DATA to file NUMBER in FOLDER. */
static void write_file(const char *folder, int number, const char *ending, const void *data, size_t size)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/part-%d%s", folder, number, ending);
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd) != 0)
        abort();
}

static int count_files(const uint8_t *data, size_t size)
{
    int n = 1;
    const uint8_t *const end = data + size;
    while (n < MAX_FILES && (data = memmem(data, (size_t)(end - data), separator, sizeof separator - 1))) {
        data += sizeof separator - 1;
        n++;
    }
    return n;
}

/* Writes the N files of DATA, and stores the name to open in FILE. */
static void write_files(const uint8_t *data, size_t size, int n, char *file, size_t file_bytes)
{
    const bool has_names = is_paraver(data, size);
    char folder[4000];
    snprintf(folder, sizeof folder, "%s/%s%d", root, has_names ? "paraver" : "files", n);
    if (mkdir(folder, 0700) < 0 && errno != EEXIST)
        abort();
    for (int i = 0; i < n; i++) {
        const uint8_t *end = i + 1 < n ? memmem(data, size, separator, sizeof separator - 1) : NULL;
        const size_t bytes = end ? (size_t)(end - data) : size;
        write_file(folder, has_names && i == 1 ? 0 : i, has_names && i == 1 ? ".pcf" : "", data, bytes);
        data += bytes + (end ? sizeof separator - 1 : 0);
        size -= bytes + (end ? sizeof separator - 1 : 0);
    }
    snprintf(file, file_bytes, n > 1 && !has_names ? "%s" : "%s/part-0", folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_error err = {""};
    char file[4096];
    make_root();
    write_files(data, size, count_files(data, size), file, sizeof file);
    struct mpg_trace *t = mpg_trace_open(file, &err);
    if (!t || mpg_text_print(t, fuzz_nowhere(), &err) < 0)
        fuzz_check_error(&err);
    mpg_trace_close(t);
    return 0;
}
