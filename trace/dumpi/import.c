/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imports a DUMPI trace: a binary file for each rank. */
#include "trace/dumpi/dumpi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/input.h"
#include "trace/dumpi/call.h"
#include "trace/foreign/files.h"

static const char unknown_types[] = "uses of a type of unknown size: its elements are taken as bytes";

struct import {
    struct mpg_calls calls;
    struct mpg_foreign_files files;
    struct dumpi_rank rank;
    struct dumpi_record record;
    char first_host[256];
    bool is_one_host;
};

/* --- a rank --- */

/* Adds the facts in the head of RANK's file to the trace. Called in the survey pass only. */
static int write_facts(struct import *im, int32_t rank, const struct dumpi_file *f, struct mpg_error *err)
{
    struct mpg_build *b = im->calls.foreign.build;
    if (rank == 0)
        snprintf(im->first_host, sizeof im->first_host, "%s", f->host);
    im->is_one_host = im->is_one_host && *f->host && strcmp(f->host, im->first_host) == 0;
    if (*f->host && mpg_build_fact(b, rank, "host", f->host, err) < 0)
        return -1;
    return f->is_whole ? 0 : mpg_build_fact(b, rank, "incomplete", "the file has no index at its end", err);
}

static int take_record(struct import *im, int32_t rank, const struct dumpi_file *f, struct mpg_error *err)
{
    struct mpg_calls *c = &im->calls;
    struct mpg_foreign_call call;
    if (!im->record.has_times)
        return mpg_error_set(err, "a record without wall-clock times: DUMPI was configured without them");
    if (mpg_dumpi_make_call(&im->rank, f, &im->record, &call, err) < 0)
        return -1;
    if (c->pass == MPG_CALLS_SURVEY && call.comm == DUMPI_SELF && mpg_comms_use(c->comms, rank, DUMPI_SELF, 0, 1, err) < 0)
        return -1;
    if (c->pass == MPG_CALLS_SURVEY && c->offset_ns[rank] == 0)
        c->offset_ns[rank] = -call.enter_ns;
    return mpg_calls_take(c, rank, &call, err);
}

static int read_records(struct import *im, int32_t rank, struct dumpi_file *f, struct mpg_error *err)
{
    const bool is_first = im->calls.pass == MPG_CALLS_SURVEY, is_last = im->calls.pass == MPG_CALLS_EMIT;
    int more = mpg_dumpi_begin(f, err);
    if (more < 0 || (is_first && write_facts(im, rank, f, err) < 0))
        return -1;
    mpg_dumpi_rank_reset(&im->rank);
    im->rank.unknown_types = 0;
    while ((more = mpg_dumpi_next(f, &im->record, err)) > 0)
        if (take_record(im, rank, f, err) < 0)
            return -1;
    if (is_last)
        mpg_foreign_remark(&im->calls.foreign, unknown_types, im->rank.unknown_types);
    return more;
}

static int read_rank(void *context, int32_t rank, struct mpg_calls *c, struct mpg_error *err)
{
    struct import *im = context;
    const char *path = im->files.path[rank];
    struct dumpi_file f = {.in = mpg_input_open(path)};
    if (im->is_one_host && c->pass != MPG_CALLS_SURVEY)
        c->offset_ns[rank] = 0;
    if (!f.in)
        return mpg_error_errno(err, errno, "%s", path);
    const int status = read_records(im, rank, &f, err);
    if (status < 0)
        mpg_error_prefix(err, "%s", path);
    mpg_dumpi_end(&f);
    (void)fclose(f.in);
    return status;
}

/* --- the files --- */

/* Copies the value of KEY in TEXT, lines "key=value", to VALUE of SIZE bytes. Returns false if TEXT has no KEY. */
static bool find_value(const char *text, const char *key, char *value, size_t size)
{
    const size_t n = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) != 0 || line[n] != '=')
            continue;
        snprintf(value, size, "%.*s", (int)strcspn(line + n + 1, "\r\n"), line + n + 1);
        return true;
    }
    return false;
}

/* Finds the files named by PATH, a description in text: PREFIX-NNNN.bin beside PATH, a file for each of numprocs ranks. */
static int find_described(struct import *im, const char *path, struct mpg_error *err)
{
    char prefix[512] = "", number[32] = "", first[4096];
    size_t size;
    FILE *in = mpg_input_open(path);
    char *text = mpg_input_read(in, path, 1, &size, err);
    if (!text)
        return -1;
    const bool found = find_value(text, "fileprefix", prefix, sizeof prefix) && find_value(text, "numprocs", number,
                                                                                           sizeof number);
    free(text);
    const char *slash = strrchr(path, '/'), *base = strrchr(prefix, '/');
    const int n = snprintf(first, sizeof first, "%.*s%s-0000.bin", slash ? (int)(slash - path + 1) : 0, path, base ? base + 1
                           : prefix);
    if (!found || n < 0 || (size_t)n >= sizeof first)
        return mpg_error_set(err, "%s: no fileprefix and numprocs", path);
    if (mpg_foreign_files_find(&im->files, first, MPG_FILE_DUMPI, err) < 0)
        return -1;
    const long ranks = strtol(number, NULL, 10);
    return ranks == (long)im->files.n ? 0 : mpg_error_set(err, "%s: %ld ranks, and there are files of %zu", path, ranks,
                                                          im->files.n);
}

static int find_files(struct import *im, const char *path, struct mpg_error *err)
{
    return mpg_kind_of(path) == MPG_FILE_DUMPI_META ? find_described(im, path, err)
                                                    : mpg_foreign_files_find(&im->files, path, MPG_FILE_DUMPI, err);
}

/* --- the whole --- */

static int describe(const char *path, char *what, size_t size, struct mpg_error *err)
{
    struct dumpi_file f = {.in = mpg_input_open(path)};
    if (!f.in)
        return mpg_error_errno(err, errno, "%s", path);
    const int status = mpg_dumpi_begin(&f, err);
    if (status < 0)
        mpg_error_prefix(err, "%s", path);
    else if (f.is_whole)
        snprintf(what, size, "DUMPI %u.%u.%u", f.version[0], f.version[1], f.version[2]);
    mpg_dumpi_end(&f);
    (void)fclose(f.in);
    return status;
}

static int import_files(struct import *im, const char *target, int fd, const struct mpg_import_config *config,
                        struct mpg_error *err)
{
    char what[64] = "DUMPI";
    if (im->files.n > MPG_BUILD_MAX_RANKS)
        return mpg_error_set(err, "%zu files, more than %d ranks", im->files.n, MPG_BUILD_MAX_RANKS);
    if (describe(im->files.path[0], what, sizeof what, err) < 0)
        return -1;
    im->rank.groups.world_size = (int32_t)im->files.n;
    im->is_one_host = true;
    im->calls.min_request = DUMPI_FIRST_REQUEST;
    if (mpg_foreign_begin(&im->calls.foreign, "DUMPI", what, (int32_t)im->files.n, target, fd, config, err) < 0 ||
        mpg_calls_begin(&im->calls, DUMPI_WORLD, DUMPI_SELF, err) < 0 || mpg_calls_run(&im->calls, read_rank, im, err) < 0)
        return -1;
    if (im->is_one_host && mpg_build_fact(im->calls.foreign.build, -1, "clocks", "shared", err) < 0)
        return -1;
    return mpg_foreign_end(&im->calls.foreign, im->is_one_host ? "shared (one host)" : "unknown", err);
}

int mpg_dumpi_import(const char *path, const char *target, int fd, const struct mpg_import_config *config, struct mpg_error *err)
{
    struct import im = {.is_one_host = true};
    int status = find_files(&im, path, err);
    if (status == 0)
        status = import_files(&im, target, fd, config, err);
    if (status < 0 && strncmp(err->text, path, strlen(path)) != 0)
        mpg_error_prefix(err, "%s", path);
    mpg_calls_clear(&im.calls);
    mpg_foreign_files_clear(&im.files);
    mpg_dumpi_rank_clear(&im.rank);
    mpg_dumpi_record_clear(&im.record);
    return status;
}
