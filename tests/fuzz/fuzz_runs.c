/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Manifests that mpgscale run finds in its folder. An accepted manifest can be continued: with a further run added
 * it is accepted again. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scale/run/plan.h"
#include "tests/fuzz/fuzz.h"

static char folder[4096], path[4200];

static void remove_folder(void)
{
    (void)unlink(path);
    (void)rmdir(folder);
}

static void make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/fuzz-runs.XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder) || atexit(remove_folder) != 0)
        abort();
    snprintf(path, sizeof path, "%s/manifest.tsv", folder);
}

/* Opens a manifest for a plan of two runs. Returns 0, or -1 on errors. */
static int open_plan(struct scale_plan *plan)
{
    static char *const command[] = {"app", "a\tb", NULL};
    const struct scale_run_settings settings = {.input = "/dev/null",
                                                .record = {.item = {"--callsites=4"}, .n = 1},
                                                .labels = {.item = {"net=a"}, .n = 1}};
    struct mpg_error err = {""};
    *plan = (struct scale_plan){.manifest = -1, .n = 2, .todo = calloc(2, sizeof *plan->todo)};
    if (!plan->todo)
        abort();
    plan->todo[0] = (struct scale_todo){.ranks = 2, .repetition = 1, .name = "2-1"};
    plan->todo[1] = (struct scale_todo){.ranks = 8, .repetition = 2, .name = "8-2"};
    if (mpg_scale_run_open(plan, folder, command, "trace", &settings, &err) == 0)
        return 0;
    fuzz_check_error(&err);
    mpg_scale_run_close(plan);
    return -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct scale_plan plan;
    struct mpg_error err = {""};
    if (!*folder)
        make_folder();
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd) < 0)
        abort();
    if (open_plan(&plan) < 0)
        return 0;
    const bool was_done = plan.todo[1].done;
    const size_t done = plan.done;
    if (!was_done && mpg_scale_run_done(&plan, &plan.todo[1], 2.385, &err) < 0)
        abort();
    mpg_scale_run_close(&plan);
    if (open_plan(&plan) < 0 || !plan.todo[1].done || plan.done != done + !was_done)
        abort();
    mpg_scale_run_close(&plan);
    return 0;
}
