/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigmake: makes a signature from a folder of results. Everything is read and
 * checked before the first byte is written. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/option.h"
#include "common/output.h"
#include "common/progress.h"
#include "signature/collect.h"
#include "signature/results.h"
#include "signature/signature.h"

#define SUFFIX ".samples"

static int is_results_name(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);
    return entry->d_name[0] != '.' && length > suffix &&
           strcmp(entry->d_name + length - suffix, SUFFIX) == 0;
}

static int add_file(struct mpg_collect *collect, const char *folder, const char *name,
                    struct mpg_error *err)
{
    char *path = NULL;
    int status = -1;
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    if (asprintf(&path, "%s%s%s", folder, slash, name) < 0)
        return mpg_error_set(err, "out of memory");
    struct mpg_results *results = mpg_results_read(path, err);
    if (results)
        status = mpg_collect_add(collect, results, err);
    mpg_results_free(results);
    free(path);
    return status;
}

/* Adds every results file of FOLDER, in the order of their names and numbers. */
static int add_folder(struct mpg_collect *collect, const char *folder, struct mpg_error *err)
{
    struct dirent **entry = NULL;
    struct mpg_progress progress;
    int status = 0, n = scandir(folder, &entry, is_results_name, versionsort);
    if (n < 0)
        return mpg_error_errno(err, errno, "%s", folder);
    if (n == 0)
        status = mpg_error_set(err, "%s: no results files (*%s); 'mpgbench -o %s' makes them",
                               folder, SUFFIX, folder);
    mpg_progress_start(&progress, "sigmake: reading results", n);
    for (int i = 0; i < n; i++) {
        if (status == 0)
            status = add_file(collect, folder, entry[i]->d_name, err);
        mpg_progress_update(&progress, i + 1);
        free(entry[i]);
    }
    mpg_progress_end(&progress);
    free(entry);
    return status;
}

static struct mpg_signature *make_signature(const char *folder, struct mpg_error *err)
{
    struct mpg_signature *sig = NULL;
    struct mpg_collect *collect = mpg_collect_new(err);
    if (!collect)
        return NULL;
    if (add_folder(collect, folder, err) == 0 && (sig = mpg_collect_finish(collect, err))) {
        const char *const *line;
        size_t n = mpg_collect_warnings(collect, &line);
        for (size_t i = 0; i < n; i++)
            fprintf(stderr, "sigmake: warning: %s\n", line[i]);
        if (mpg_fact_add(&sig->fact, &sig->facts, "sigmake", PACKAGE_VERSION, err) < 0) {
            mpg_signature_free(sig);
            sig = NULL;
        }
    }
    mpg_collect_free(collect);
    return sig;
}

static int write_signature(const struct mpg_signature *sig, const char *path,
                           struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(path, err);
    if (!out)
        return -1;
    if (mpg_signature_write(sig, mpg_output_stream(out), err) < 0) {
        mpg_output_discard(out);
        return mpg_error_prefix(err, "%s", strcmp(path, "-") == 0 ? "standard output" : path);
    }
    return mpg_output_commit(out, err);
}

int main(int argc, char **argv)
{
    const char *output = "-";
    const struct mpg_option options[] = {
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &output,
         .argument = "FILE", .help = "write the signature to FILE instead of standard output"},
        {.name = NULL},
    };
    const struct mpg_program program = {
        .name = "sigmake",
        .arguments = "RESULTS",
        .summary = "Makes a machine's signature from a folder of benchmark results.",
        .options = options,
        .min_arguments = 1,
        .max_arguments = 1,
    };
    struct mpg_error err;
    int first = mpg_option_parse(&program, argc, argv);
    if (!*argv[first])
        mpg_option_usage_error(&program, "the name of the results folder is empty");
    gsl_set_error_handler_off();
    struct mpg_signature *sig = make_signature(argv[first], &err);
    int status = sig ? write_signature(sig, output, &err) : -1;
    mpg_signature_free(sig);
    if (status < 0)
        mpg_error_print(program.name, &err);
    return status < 0 ? MPG_EXIT_FAILURE : MPG_EXIT_OK;
}
