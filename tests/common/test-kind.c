/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognition of kinds of file (TAP): by their first bytes, of folders by their content; messages for a wrong kind. No
 * file, a FIFO for example, may block it. */
#include "common/kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"

static char folder[4096];

/* Returns the path of NAME in the test's folder. */
static const char *in_folder(const char *name)
{
    static char path[8192];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *make_file(const char *name, const char *bytes, size_t n)
{
    const char *path = in_folder(name);
    FILE *f = fopen(path, "w");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
        perror(path);
    return path;
}

static void test_bytes(void)
{
    static const struct {
        const char *bytes;
        size_t n;
        enum mpg_file_kind kind;
    } cases[] = {
        {"", 0, MPG_FILE_EMPTY},
        {"{\"format\": \"mpgkit-signature\",", 30, MPG_FILE_SIGNATURE},
        {"\n\t{ \"version\": [2, 0], \"format\": \"mpgkit-signature\"}", 52, MPG_FILE_SIGNATURE},
        {"{\"format\": \"mpgsim-result\"}", 27, MPG_FILE_ANSWER},
        {"[1, 2]", 6, MPG_FILE_JSON},
        {"#mpgresults 1\n", 14, MPG_FILE_RESULTS},
        {"#mpgtext 1\n", 11, MPG_FILE_TRACE_TEXT},
        {"MPGTRCE\n\3\0\1\0", 12, MPG_FILE_TRACE},
        {"MPGTRCE\n\3\0\4\0", 12, MPG_FILE_PROFILE},
        {"MPGTRCE\n\3\0\4", 11, MPG_FILE_UNKNOWN},
        {"\x1f\x8b\x08", 3, MPG_FILE_GZIP},
        {"MPI_Init:0.00:0x7f:0x7f:7.25\n", 29, MPG_FILE_LIBALLPROF2},
        {"MPI_Init: 3 calls\n", 18, MPG_FILE_TEXT},
        {"\x7f" "ELF\2", 5, MPG_FILE_PROGRAM},
        {"#!/bin/sh\n", 10, MPG_FILE_SCRIPT},
        {"Dear diary,\n", 12, MPG_FILE_TEXT},
        {"{\0}", 3, MPG_FILE_UNKNOWN},
        {"\x1b[2J", 4, MPG_FILE_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum mpg_file_kind kind = mpg_kind_of_bytes(cases[i].bytes, cases[i].n);
        ok(kind == cases[i].kind, "bytes %zu are %s", i, mpg_kind_name(kind));
    }
    char tar[512] = "app.trace/";
    memcpy(tar + 257, "ustar", 5);
    ok(mpg_kind_of_bytes(tar, sizeof tar) == MPG_FILE_TAR, "an archive of tar's is one");
    ok(mpg_kind_of_bytes(tar, 261) == MPG_FILE_UNKNOWN, "not when its mark is cut off");
    char text[MPG_FILE_BYTES + 1];
    memset(text, 'x', sizeof text);
    text[MPG_FILE_BYTES - 1] = '\xc3'; /* the first byte of a character whose second byte is no longer among those examined */
    ok(mpg_kind_of_bytes(text, MPG_FILE_BYTES) == MPG_FILE_TEXT,
       "a text that is cut within a character is text");
}

static void test_paths(void)
{
    static const struct {
        const char *first, *second;
        enum mpg_file_kind kind;
    } folders[] = {
        {NULL, NULL, MPG_FILE_EMPTY_FOLDER},
        {"notes", NULL, MPG_FILE_FOLDER},
        {".x.samples", NULL, MPG_FILE_FOLDER},
        {"a.samples", "rank-0.mpgt", MPG_FILE_RESULTS_FOLDER},
        {"rank-0.mpgt", "notes", MPG_FILE_TRACE_FOLDER},
        {"rank-0.profile.mpgt", "rank-1.mpgt", MPG_FILE_PROFILE_FOLDER},
    };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char name[32], file[64];
        snprintf(name, sizeof name, "folder%zu", i);
        if (mkdir(in_folder(name), 0700) < 0)
            perror(name);
        for (int f = 0; f < 2; f++) {
            const char *held = f ? folders[i].second : folders[i].first;
            if (!held)
                continue;
            snprintf(file, sizeof file, "%s/%s", name, held);
            make_file(file, "x", 1);
        }
        enum mpg_file_kind kind = mpg_kind_of(in_folder(name));
        ok(kind == folders[i].kind, "folder %zu is %s", i, mpg_kind_name(kind));
    }
    ok(mpg_kind_of(make_file("file", "#mpgtext 1\n", 11)) == MPG_FILE_TRACE_TEXT,
       "a file is what its first bytes are");
    ok(mpg_kind_of(in_folder("none")) == MPG_FILE_ABSENT, "what is not there is absent");
    ok(mkfifo(in_folder("fifo"), 0600) == 0 &&
           mpg_kind_of(in_folder("fifo")) == MPG_FILE_SPECIAL,
       "a pipe is named and not opened");
    ok(mpg_kind_of("-") == MPG_FILE_UNKNOWN, "nothing is known of standard input");
}

/* Checks the error message for a file of kind FOUND where WANTED was expected. */
static void says(enum mpg_file_kind found, enum mpg_file_kind wanted, const char *text)
{
    struct mpg_error err;
    int status = mpg_kind_error("DIR/x", found, wanted, &err);
    ok(status == -1 && strcmp(err.text, text) == 0, "%s", err.text);
}

static void test_words(void)
{
    says(MPG_FILE_RESULTS_FOLDER, MPG_FILE_SIGNATURE,
         "DIR/x: a folder of results, not a signature: 'sigmake DIR/x > machineX.sig' makes one");
    says(MPG_FILE_PROFILE_FOLDER, MPG_FILE_TRACE,
         "DIR/x: a profile, not a trace: a profile has sums, not events: record without --profile; "
         "'mpgtrace stat DIR/x' shows it");
    says(MPG_FILE_TAR, MPG_FILE_SIGNATURE,
         "DIR/x: a tar archive, not a signature: 'tar -xf DIR/x' unpacks it");
    struct mpg_error err;
    ok(mpg_kind_error("it's a/$x", MPG_FILE_TAR, MPG_FILE_TRACE, &err) == -1 &&
           strcmp(err.text, "it's a/$x: a tar archive, not a trace: 'tar -xf it\\'s\\ a/\\$x' unpacks it") == 0,
       "a name in a command is one word for the shell");
    says(MPG_FILE_TRACE, MPG_FILE_TRACE_FOLDER, "DIR/x: no whole trace");
    says(MPG_FILE_UNKNOWN, MPG_FILE_TRACE, "DIR/x: not a trace");
    says(MPG_FILE_IMAGE, MPG_FILE_RESULTS_FOLDER, "DIR/x: an image, not a folder of results");
    size_t nameless = 0;
    for (int kind = 0; kind < MPG_FILE_KINDS; kind++)
        nameless += !mpg_kind_name((enum mpg_file_kind)kind);
    ok(nameless == 0, "%zu kinds have no name", nameless);
}

int main(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/test-kind.XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    test_bytes();
    test_paths();
    test_words();
    char command[8192];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ok(system(command) == 0, "the folder is gone again");
    return done();
}
