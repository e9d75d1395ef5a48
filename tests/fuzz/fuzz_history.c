/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histories of mpgsim, which are SQLite databases: lists the runs and shows one run of each. SQLite needs a file with a
 * name. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "history/history.h"
#include "history/json.h"
#include "tests/fuzz/fuzz.h"

static char path[256];

static void remove_file(void)
{
    (void)unlink(path);
}

static void write_file(const uint8_t *data, size_t size)
{
    const char *folder = getenv("TMPDIR");
    if (!*path) {
        snprintf(path, sizeof path, "%s/fuzz-history.%ld", folder && *folder ? folder : "/tmp", (long)getpid());
        (void)atexit(remove_file);
    }
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static int see(void *context, const struct mpg_history_run *run, struct mpg_error *err)
{
    (void)context, (void)err;
    if (run->arguments == 0 || !run->time || !run->version || !run->directory)
        abort();
    mpg_history_write_json(fuzz_nowhere(), run, false);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_history_run run;
    struct mpg_error err = {""};
    write_file(data, size);
    if (mpg_history_each(path, see, NULL, &err) < 0)
        fuzz_check_error(&err);
    err.text[0] = '\0';
    if (mpg_history_find(path, 1, &run, &err) < 0)
        fuzz_check_error(&err);
    else
        mpg_history_write_json(fuzz_nowhere(), &run, true);
    mpg_history_run_clear(&run);
    return 0;
}
