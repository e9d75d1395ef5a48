/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other tools' traces: an input holds the files of a trace, separated by lines "%%"; the program opens their folder, or a single
 * file, and prints the trace. Of a Paraver trace the second file has the names of calls. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "trace/reader.h"
#include "trace/text/text.h"

enum { MAX_FILES = 64 };

static const char separator[] = "%%\n";

static bool is_paraver(const uint8_t *data, size_t size)
{
    static const char begin[] = "#Paraver (";
    return size >= sizeof begin - 1 && memcmp(data, begin, sizeof begin - 1) == 0;
}

static void write_file(const char *folder, int number, bool is_names, const void *data, size_t size)
{
    char name[4096];
    snprintf(name, sizeof name, is_names ? "%s/part-0.pcf" : "%s/part-%d", folder, number);
    FILE *f = fopen(name, "wb");
    if (!f || (size > 0 && fwrite(data, 1, size, f) != size) || fclose(f) != 0)
        abort();
}

/* Writes the files of DATA to FOLDER. Returns their number. */
static int write_files(const char *folder, const uint8_t *data, size_t size)
{
    const bool has_names = is_paraver(data, size);
    int n = 0;
    while (n < MAX_FILES) {
        const uint8_t *end = memmem(data, size, separator, sizeof separator - 1);
        const size_t bytes = end ? (size_t)(end - data) : size;
        write_file(folder, n, has_names && n == 1, data, bytes);
        n++;
        if (!end)
            break;
        data = end + sizeof separator - 1;
        size -= bytes + sizeof separator - 1;
    }
    return n;
}

static void remove_files(const char *folder, int n)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/part-0.pcf", folder);
    (void)unlink(name);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s/part-%d", folder, i);
        (void)unlink(name);
    }
    (void)rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_error err = {""};
    char folder[4000], file[4096];
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/foreign-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(folder))
        abort();
    const int n = write_files(folder, data, size);
    snprintf(file, sizeof file, "%s/part-0", folder);
    struct mpg_trace *t = mpg_trace_open(n > 1 && !is_paraver(data, size) ? folder : file, &err);
    if (!t || mpg_text_print(t, fuzz_nowhere(), &err) < 0)
        fuzz_check_error(&err);
    mpg_trace_close(t);
    remove_files(folder, n);
    return 0;
}
