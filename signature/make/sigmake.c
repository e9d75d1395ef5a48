/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigmake: makes a signature from a folder of results, or checks the quality of the results. All files are read and checked
 * before the first byte is written. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <gsl/gsl_errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/table/escape.h"
#include "common/kind.h"
#include "common/option.h"
#include "common/output.h"
#include "common/printable.h"
#include "common/progress.h"
#include "common/shell_word.h"
#include "signature/make/check.h"
#include "signature/make/collect.h"
#include "signature/make/off_cpu_filter.h"
#include "signature/make/results.h"
#include "signature/signature.h"

#define SUFFIX ".samples"

enum { VERDICT_BYTES = 512, EFFECT_BYTES = 128 };

static int is_results_name(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);
    return entry->d_name[0] != '.' && length > suffix &&
           strcmp(entry->d_name + length - suffix, SUFFIX) == 0;
}

/* Each results file of a folder is added to both collection and check. */
struct consumers {
    struct mpg_collect *collect;
    struct mpg_check *check;
    struct mpg_off_cpu_filter off_cpu_filter;
    size_t files;
};

static int add_file(struct consumers *consumers, const char *folder, const char *name,
                    struct mpg_error *err)
{
    char *path = NULL;
    int status = -1;
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    if (asprintf(&path, "%s%s%s", folder, slash, name) < 0)
        return mpg_error_set(err, "out of memory");
    struct mpg_results *results = mpg_results_read(path, err);
    if (results && (status = mpg_off_cpu_filter_apply(results, &consumers->off_cpu_filter, err)) < 0)
        mpg_error_prefix(err, "%s", path);
    if (status == 0)
        status = mpg_collect_add(consumers->collect, results, err);
    if (status == 0 && (status = mpg_check_add(consumers->check, results, err)) < 0)
        mpg_error_prefix(err, "%s", path);
    consumers->files++;
    mpg_results_free(results);
    free(path);
    return status;
}

/* Adds every results file of FOLDER. Order: by name, with the numbers in names by value, so that launch 2 precedes
 * launch 10. */
static int add_folder(struct consumers *consumers, const char *folder, struct mpg_error *err)
{
    struct dirent **entry = NULL;
    struct mpg_progress progress;
    char word[MPG_ERROR_SIZE];
    int status = 0, n = scandir(folder, &entry, is_results_name, versionsort);
    int saved = errno;
    enum mpg_file_kind kind = n > 0 ? MPG_FILE_RESULTS_FOLDER : mpg_kind_of(folder);
    if (n < 0)
        return saved == ENOTDIR && kind != MPG_FILE_ABSENT
                   ? mpg_kind_error(folder, kind, MPG_FILE_RESULTS_FOLDER, err)
                   : mpg_error_errno(err, saved, "%s", folder);
    if (n == 0 && (kind == MPG_FILE_TRACE_FOLDER || kind == MPG_FILE_PROFILE_FOLDER))
        status = mpg_kind_error(folder, kind, MPG_FILE_RESULTS_FOLDER, err);
    else if (n == 0)
        status = mpg_error_set(err, "%s: no results files (*%s); 'mpgbench -o %s' makes them",
                               folder, SUFFIX, mpg_shell_word(word, sizeof word, folder));
    mpg_progress_start(&progress, "sigmake: reading results", n);
    for (int i = 0; i < n; i++) {
        if (status == 0)
            status = add_file(consumers, folder, entry[i]->d_name, err);
        mpg_progress_update(&progress, i + 1);
        free(entry[i]);
    }
    mpg_progress_end(&progress);
    free(entry);
    return status;
}

/* Adds header line "left_out" to SIG: number of samples removed because of off-CPU time. */
static int add_left_out(struct mpg_signature *sig, const struct mpg_off_cpu_filter *off_cpu_filter,
                        struct mpg_error *err)
{
    char text[256];
    size_t whole = mpg_off_cpu_filter_describe(off_cpu_filter, text, sizeof text);
    if (whole > 0)
        fprintf(stderr, "sigmake: warning: %zu message times with off-CPU time are kept: without them,"
                        " less than a quarter of a size's samples would remain;"
                        " measure when nothing else runs\n", whole);
    return text[0] ? mpg_fact_add(&sig->fact, &sig->facts, "left_out", text, err) : 0;
}

/* Makes the checked signature of FOLDER's files; the caller frees it. */
static struct mpg_signature *make_signature(struct consumers *consumers, const char *folder,
                                            struct mpg_error *err)
{
    struct mpg_signature *sig = NULL;
    if (add_folder(consumers, folder, err) == 0)
        sig = mpg_collect_finish(consumers->collect, err);
    if (sig && (add_left_out(sig, &consumers->off_cpu_filter, err) < 0 ||
                mpg_fact_add(&sig->fact, &sig->facts, "sigmake", PACKAGE_VERSION, err) < 0 ||
                mpg_check_finish(consumers->check, sig, err) < 0)) {
        mpg_signature_free(sig);
        sig = NULL;
    }
    return sig;
}

static void print_warnings(const struct mpg_collect *collect)
{
    const char *const *line;
    size_t n = mpg_collect_warnings(collect, &line);
    for (size_t i = 0; i < n; i++) {
        fputs("sigmake: warning: ", stderr);
        mpg_printable_put(stderr, line[i]);
        putc('\n', stderr);
    }
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

/* Prints a line on standard error if SIG, made of FOLDER, failed quality checks. */
static void print_verdict(const struct mpg_signature *sig, const char *folder)
{
    char verdict[VERDICT_BYTES];
    if (sig->failures > 0)
        mpg_printable_print_error("sigmake: %s: %s; 'sigmake --check %s' lists remedies\n", folder,
                mpg_signature_verdict(sig, verdict, sizeof verdict), folder);
}

static void print_findings(const struct mpg_signature *sig, size_t files, const char *folder, FILE *stream)
{
    size_t n = sig->failures;
    for (size_t i = 0; i < n; i++) {
        char effect[EFFECT_BYTES];
        mpg_signature_effect(&sig->failure[i], effect, sizeof effect);
        fputs("warning: ", stream);
        mpg_printable_put(stream, sig->failure[i].found);
        fprintf(stream, "; %s%s", effect, *effect ? ": " : "");
        mpg_printable_put(stream, sig->failure[i].remedy);
        putc('\n', stream);
    }
    mpg_printable_put(stream, folder);
    if (n > 0)
        fprintf(stream, ": %zu files: not good enough: %zu warning%s\n", files, n, n == 1 ? "" : "s");
    else
        fprintf(stream, ": %zu files: good enough\n", files);
}

/* Prints the findings as JSON; sigmake(1) has the schema. */
static void print_json(const struct mpg_signature *sig, size_t files, const char *folder, FILE *stream)
{
    fputs("{\n \"format\": \"sigmake-check\",\n \"version\": 2,\n \"results\": ", stream);
    mpg_json_write_string(stream, folder);
    fprintf(stream, ",\n \"files\": %zu,\n \"good_enough\": %s,\n \"checks\": %d,\n \"failed\": [", files,
            sig->failures == 0 ? "true" : "false", sig->checks);
    for (size_t i = 0; i < sig->failures; i++) {
        const struct mpg_signature_failure *f = &sig->failure[i];
        fputs(i > 0 ? ",\n  {\"check\": " : "\n  {\"check\": ", stream);
        mpg_json_write_string(stream, f->check);
        fputs(", \"affects\": [", stream);
        for (int bit = 0, named = 0; mpg_signature_part_name(bit); bit++)
            if (f->parts >> bit & 1)
                fprintf(stream, "%s\"%s\"", named++ > 0 ? ", " : "", mpg_signature_part_name(bit));
        putc(']', stream);
        if (f->moves >= 0)
            fprintf(stream, ", \"effect\": %.6g", f->moves);
        fputs(", \"finding\": ", stream);
        mpg_json_write_string(stream, f->found);
        fputs(", \"remedy\": ", stream);
        mpg_json_write_string(stream, f->remedy);
        putc('}', stream);
    }
    fputs("]\n}\n", stream);
}

/* Prints the findings on standard output, or as JSON if JSON is set. Returns the number of findings, or -1 with ERR. */
static int print_check(const struct mpg_signature *sig, size_t files, const char *folder, bool json,
                       struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open("-", err);
    if (!out)
        return -1;
    (json ? print_json : print_findings)(sig, files, folder, mpg_output_stream(out));
    return mpg_output_commit(out, err) < 0 ? -1 : (int)sig->failures;
}

/* Makes the signature of FOLDER and writes it to OUTPUT; if CHECK_ONLY prints the quality checks, as JSON if JSON is set. Returns
 * 0 if all is well, -1 on an error, else the number of failed checks. */
static int make(const char *folder, const char *output, bool check_only, bool json, struct mpg_error *err)
{
    struct consumers consumers = {.collect = mpg_collect_new(err)};
    struct mpg_signature *sig = NULL;
    int status = -1;
    if ((check_only || mpg_output_differs_from_input("output", output, folder, err) == 0) && consumers.collect &&
        (consumers.check = mpg_check_new(err)) && (sig = make_signature(&consumers, folder, err))) {
        if (check_only) {
            status = print_check(sig, consumers.files, folder, json, err);
        } else {
            print_warnings(consumers.collect);
            print_verdict(sig, folder);
            status = write_signature(sig, output, err);
        }
    }
    mpg_signature_free(sig);
    mpg_check_free(consumers.check);
    mpg_collect_free(consumers.collect);
    return status;
}

int main(int argc, char **argv)
{
    const char *output = "-";
    bool check_only = false, json = false, output_given = false;
    const struct mpg_option options[] = {
        {.name = "check", .letter = 'c', .kind = MPG_OPTION_FLAG, .value = &check_only,
         .help = "make no signature; check the quality of the measurement\n"
                 "and list remedies"},
        {.name = "json", .kind = MPG_OPTION_FLAG, .value = &json, .help = "with --check: print the findings as JSON"},
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &output,
         .argument = "FILE", .help = "write the signature to FILE instead of standard output",
         .given = &output_given},
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
    if (check_only && output_given)
        mpg_option_usage_error(&program, "--check makes no signature: leave out --output");
    if (json && !check_only)
        mpg_option_usage_error(&program, "--json needs --check: a signature is JSON already");
    gsl_set_error_handler_off();
    int status = make(argv[first], output, check_only, json, &err);
    if (status < 0)
        mpg_error_print(program.name, &err);
    return status == 0 ? MPG_EXIT_OK : MPG_EXIT_FAILURE;
}
