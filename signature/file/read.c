/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a signature file: jansson parses the file, and the parts of the signature are read from the tree. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/kind.h"
#include "common/input.h"
#include "signature/file/json.h"

/* Returns the major version of a signature file, 1 to MPG_SIGNATURE_VERSION; -1 with ERR if ROOT is not a signature file of a
 * known version. */
static int check_version(const json_t *root, struct mpg_error *err)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *version = json_object_get(root, "version");
    const json_t *major = json_array_get(version, 0), *minor = json_array_get(version, 1);
    if (!format || strcmp(format, MPG_SIGNATURE_FORMAT) != 0)
        return mpg_error_set(err, "not a signature (format is not \"%s\")", MPG_SIGNATURE_FORMAT);
    if (json_array_size(version) != 2 || !json_is_integer(major) || !json_is_integer(minor))
        return mpg_error_set(err, "version is not an array of two whole numbers");
    if (json_integer_value(major) < 1 || json_integer_value(major) > MPG_SIGNATURE_VERSION)
        return mpg_error_set(err, "version is %lld.%lld; this mpgkit reads versions 1 to %d",
                             (long long)json_integer_value(major),
                             (long long)json_integer_value(minor), (int)MPG_SIGNATURE_VERSION);
    return (int)json_integer_value(major);
}

/* Reads the parts of a prediction affected by failed check F, and the effect. Older files lack both: then all parts, and an
 * unknown effect. */
static int read_effect(const json_t *object, struct mpg_signature_failure *f,
                       struct mpg_error *err)
{
    const json_t *parts;
    f->parts = MPG_PART_ALL;
    f->moves = -1;
    if (mpg_json_get_number(object, "moves", &f->moves, err) < 0 ||
        mpg_json_get(object, "parts", JSON_ARRAY, &parts, err) < 0)
        return -1;
    if (!parts)
        return 0;
    f->parts = 0;
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const char *text = json_string_value(json_array_get(parts, i)), *name;
        int bit = 0;
        while ((name = mpg_signature_part_name(bit)) && (!text || strcmp(text, name) != 0))
            bit++;
        f->parts |= name ? 1 << bit : 0; /* a later version may name further parts, which are ignored */
    }
    f->parts = f->parts ? f->parts : MPG_PART_ALL;
    return 0;
}

/* Reads the results of the quality checks. SIG has 0 checks if the file has no checks. */
static int read_checks(const json_t *root, struct mpg_signature *sig, struct mpg_error *err)
{
    const json_t *object;
    struct mpg_json_list failed;
    if (mpg_json_get(root, "checks", JSON_OBJECT, &object, err) < 0)
        return -1;
    if (!object)
        return 0;
    if (mpg_json_need_count(object, "made", 1, &sig->checks, err) < 0 ||
        mpg_json_get_list(object, "failed", MPG_SIGNATURE_MAX_FAILURES, sizeof *sig->failure,
                          &failed, err) < 0)
        return mpg_error_prefix(err, "checks");
    sig->failure = failed.memory;
    while (sig->failures < failed.n) {
        size_t i = sig->failures++;
        const json_t *failure = json_array_get(failed.array, i);
        if (read_effect(failure, &sig->failure[i], err) < 0 ||
            mpg_json_need_text(failure, "check", &sig->failure[i].check, err) < 0 ||
            mpg_json_need_text(failure, "found", &sig->failure[i].found, err) < 0 ||
            mpg_json_need_text(failure, "remedy", &sig->failure[i].remedy, err) < 0)
            return mpg_error_prefix(err, "checks: failed[%zu]", i);
    }
    return 0;
}

static int parse_signature(const json_t *root, struct mpg_signature *sig, struct mpg_error *err)
{
    int major = check_version(root, err);
    if (major < 0 ||
        mpg_json_get_facts(root, "header", MPG_SIGNATURE_MAX_FACTS, &sig->fact, &sig->facts,
                           err) < 0 ||
        mpg_json_get_facts(root, "results", MPG_SIGNATURE_MAX_SOURCES, &sig->source,
                           &sig->sources, err) < 0 ||
        read_checks(root, sig, err) < 0 || mpg_read_noise(root, sig, err) < 0 ||
        mpg_read_network(root, major, sig, err) < 0 ||
        mpg_read_collectives(root, sig, err) < 0 || mpg_read_sharing(root, sig, err) < 0 ||
        mpg_read_compute(root, sig, err) < 0)
        return -1;
    return mpg_signature_check(sig, err);
}

/* Parses the JSON file PATH. */
static json_t *read_json(const char *path, struct mpg_error *err)
{
    json_error_t why;
    int standard_input = strcmp(path, "-") == 0;
    const char *name = standard_input ? "standard input" : path;
    enum mpg_file_kind kind = mpg_kind_of(path);
    if (kind != MPG_FILE_UNKNOWN && kind != MPG_FILE_ABSENT && kind != MPG_FILE_SPECIAL &&
        kind != MPG_FILE_SIGNATURE && kind != MPG_FILE_JSON && kind != MPG_FILE_TEXT) {
        mpg_kind_error(path, kind, MPG_FILE_SIGNATURE, err);
        return NULL;
    }
    FILE *stream = standard_input ? stdin : mpg_input_open(path);
    if (!stream) {
        mpg_error_errno(err, errno, "%s", name);
        return NULL;
    }
    errno = 0;
    json_t *root = json_loadf(stream, JSON_REJECT_DUPLICATES, &why);
    int saved = errno;
    if (ferror(stream)) {
        json_decref(root);
        root = NULL;
        mpg_error_errno(err, saved ? saved : EIO, "%s", name);
    } else if (!root && kind == MPG_FILE_TEXT) { /* begins unlike JSON: the parser's error explains nothing */
        mpg_error_set(err, "%s: text, not a signature: make a signature of a folder of results with sigmake", name);
    } else if (!root) {
        mpg_error_set(err, "%s: line %d: %s", name, why.line, why.text);
    }
    if (!standard_input)
        fclose(stream);
    return root;
}

/* Converts ROOT, the parsed file, to a signature and names it PATH. Releases ROOT, which may be NULL. */
static struct mpg_signature *take_json(json_t *root, const char *path, struct mpg_error *err)
{
    if (!root)
        return NULL;
    struct mpg_signature *sig = calloc(1, sizeof *sig);
    if (!sig || !(sig->path = strdup(path))) {
        mpg_error_set(err, "%s: out of memory", path);
        goto fail;
    }
    if (parse_signature(root, sig, err) < 0) {
        mpg_error_prefix(err, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
        goto fail;
    }
    json_decref(root);
    return sig;
fail:
    mpg_signature_free(sig);
    json_decref(root);
    return NULL;
}

/* Sets FOUND of SIZE bytes to the existing file, FOLDER/NAME or FOLDER/NAME.sig. Returns false if neither exists. */
static bool is_in(const char *folder, const char *name, char *found, size_t size)
{
    static const char *const ends[] = {"", ".sig"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (snprintf(found, size, "%s/%s%s", folder, name, ends[i]) < (int)size && access(found, R_OK) == 0)
            return true;
    return false;
}

/* Finds the signature NAME that is installed with mpgkit: in ../share relative to the running program (an installation can be
 * moved) or in the configured folder. Returns false if the signature does not exist or NAME contains a folder. */
static bool find_shipped(const char *name, char *found, size_t size)
{
    char folder[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - sizeof "/../share/" PACKAGE);
    char *slash = NULL;
    if (*name == '\0' || strchr(name, '/'))
        return false;
    if (n > 0) {
        folder[n] = '\0';
        slash = strrchr(folder, '/');
    }
    if (slash) {
        strcpy(slash, "/../share/" PACKAGE);
        if (is_in(folder, name, found, size))
            return true;
    }
    return is_in(PKGDATADIR, name, found, size);
}

struct mpg_signature *mpg_signature_load(const char *path, struct mpg_error *err)
{
    char found[PATH_MAX];
    if (mpg_kind_of(path) == MPG_FILE_ABSENT && find_shipped(path, found, sizeof found))
        path = found;
    return take_json(read_json(path, err), path, err);
}

struct mpg_signature *mpg_signature_parse(const char *text, size_t bytes, const char *name,
                                          struct mpg_error *err)
{
    json_error_t why;
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &why);
    if (!root)
        mpg_error_set(err, "%s: line %d: %s", name, why.line, why.text);
    return take_json(root, name, err);
}
