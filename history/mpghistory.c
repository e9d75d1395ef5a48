/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpghistory: lists, shows, compares and reruns stored runs of mpgsim; keeps signatures. */
#define _GNU_SOURCE
#include "config.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/kind.h"
#include "common/nearest.h"
#include "common/option.h"
#include "common/output.h"
#include "common/printable.h"
#include "common/units.h"
#include "common/text_stream.h"
#include "history/compare/command.h"
#include "history/health/health.h"
#include "history/history.h"
#include "history/json.h"
#include "history/request.h"
#include "history/rerun.h"
#include "history/trace_checksum.h"

struct request {
    const char *file, *output;
    bool json, answer, closed; /* closed: standard output has been closed, since the answer went to standard output */
    int64_t id[2];
    FILE *list; /* collects the list, to be printed when complete */
};

/* ---- command line of a run ---- */

static bool is_plain(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_=+.,:/@%", *c))
            return false;
    return *text != '\0';
}

/* Returns the number of RUN's arguments before the trace that a user has typed. Where no mode is typed, mpgsim keeps both modes
 * as the last options, for versions with another default. */
static size_t typed_options(const struct mpg_history_run *run)
{
    const size_t n = run->arguments - 1;
    const bool is_default = n >= 2 && strcmp(run->argument[n - 2], "--predict") == 0 &&
                            strcmp(run->argument[n - 1], "--perturb") == 0;
    return is_default ? n - 2 : n;
}

/* Writes the command line of RUN as typed, quoted for a shell and without control characters. */
static void print_command(const struct mpg_history_run *run, FILE *out)
{
    const size_t options = typed_options(run);
    fputs("mpgsim", out);
    for (size_t i = 0; i < run->arguments; i++) {
        if (i >= options && i + 1 < run->arguments)
            continue;
        putc(' ', out);
        if (is_plain(run->argument[i])) {
            fputs(run->argument[i], out);
            continue;
        }
        putc('\'', out);
        for (const char *c = run->argument[i];; c++) {
            const size_t plain = strcspn(c, "'");
            mpg_printable_put_bytes(out, c, plain);
            if (!*(c += plain))
                break;
            fputs("'\\''", out);
        }
        putc('\'', out);
    }
}

/* ---- list ---- */

static int print_row(void *request, const struct mpg_history_run *run, struct mpg_error *err)
{
    struct request *a = request;
    (void)err;
    if (!a->json) {
        char time[64], version[64];
        fprintf(a->list, "%6" PRId64 "  %s  %-8s ", run->id, mpg_printable(time, sizeof time, run->time),
                mpg_printable(version, sizeof version, run->version));
        print_command(run, a->list);
        putc('\n', a->list);
        return 0;
    }
    fputs(a->id[0]++ > 0 ? ",\n " : "\n ", a->list);
    mpg_history_write_json(a->list, run, false);
    return 0;
}

static int list(struct request *a, struct mpg_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    a->list = open_memstream(&text, &bytes);
    if (!a->list)
        return mpg_error_set(err, "out of memory");
    if (a->json)
        fputs("{\n \"format\": \"mpghistory-list\",\n \"version\": 2,\n \"runs\": [", a->list);
    else
        fprintf(a->list, "%6s  %-19s  %-8s command\n", "run", "time (UTC)", "version");
    int status = mpg_history_each(a->file, print_row, a, err);
    if (a->json)
        fputs("\n]}\n", a->list);
    if (!mpg_text_end(a->list, &text) && status == 0)
        status = mpg_error_set(err, "out of memory");
    if (status == 0)
        fwrite(text, 1, bytes, stdout);
    free(text);
    return status;
}

/* ---- show ---- */

static int show(struct request *a, struct mpg_error *err)
{
    struct mpg_history_run run;
    int status = mpg_history_find(a->file, a->id[0], &run, err);
    if (status == 0 && a->json) {
        fputs("{\n \"format\": \"mpghistory-show\",\n \"version\": 2,\n \"run\": ", stdout);
        mpg_history_write_json(stdout, &run, true);
        puts("}");
    } else if (status == 0 && !a->answer) {
        char time[64], version[64];
        printf("run        %" PRId64 ", %s UTC, mpgkit %s, seed %" PRId64 "\nfolder     ", run.id,
               mpg_printable(time, sizeof time, run.time), mpg_printable(version, sizeof version, run.version), run.seed);
        mpg_printable_put(stdout, run.directory);
        fputs("\ncommand    ", stdout);
        print_command(&run, stdout);
        putchar('\n');
        for (size_t i = 0; i < run.inputs; i++) {
            char role[64];
            printf("%-10s ", mpg_printable(role, sizeof role, run.input[i].role));
            mpg_printable_put(stdout, run.input[i].path);
            fputs("  ", stdout);
            mpg_printable_put(stdout, *run.input[i].sum ? run.input[i].sum : "(no checksum)");
            putchar('\n');
        }
        putchar('\n');
        mpg_printable_put_lines(stdout, run.answer, run.answer_bytes);
    } else if (status == 0 && isatty(STDOUT_FILENO)) {
        mpg_printable_put_lines(stdout, run.answer, run.answer_bytes);
    } else if (status == 0) {
        fwrite(run.answer, 1, run.answer_bytes, stdout);
    }
    mpg_history_run_clear(&run);
    return status;
}

/* ---- diff ---- */

static void print_missing_arguments(const struct mpg_history_run *a, const struct mpg_history_run *b, char sign)
{
    for (size_t i = 0; i < a->arguments; i++)
        if (!mpg_history_has_argument(b, a->argument[i])) {
            printf("%c ", sign);
            mpg_printable_put(stdout, a->argument[i]);
            putchar('\n');
        }
}

static void print_changed_inputs(const struct mpg_history_run *a, const struct mpg_history_run *b)
{
    for (size_t i = 0; i < a->inputs; i++)
        if (mpg_history_changed_input(b, &a->input[i])) {
            fputs("! ", stdout);
            mpg_printable_put(stdout, a->input[i].role);
            putchar(' ');
            mpg_printable_put(stdout, a->input[i].path);
            puts(" is a different file");
        }
}

/* Returns a new temporary file that contains RUN's answer; NULL with ERR. */
static FILE *answer_file(const struct mpg_history_run *run, struct mpg_error *err)
{
    FILE *file = tmpfile();
    if (file && fwrite(run->answer, 1, run->answer_bytes, file) == run->answer_bytes && fflush(file) == 0)
        return file;
    mpg_error_set(err, "cannot write a temporary file");
    if (file)
        fclose(file);
    return NULL;
}

/* Writes the output of diff(1) for the answers of the two runs to file descriptor TO. */
static int run_diff(const struct mpg_history_run run[2], int to, struct mpg_error *err)
{
    FILE *file[2] = {answer_file(&run[0], err), NULL};
    int status = -1;
    if (file[0] && (file[1] = answer_file(&run[1], err)) && fflush(stdout) == 0) {
        char label[2][40], path[2][40];
        for (int i = 0; i < 2; i++) {
            snprintf(label[i], sizeof label[i], "--label=run %" PRId64, run[i].id);
            snprintf(path[i], sizeof path[i], "/dev/fd/%d", fileno(file[i]));
            rewind(file[i]);
        }
        const pid_t child = fork();
        if (child == 0) {
            if (dup2(to, STDOUT_FILENO) >= 0)
                execlp("diff", "diff", "-u", label[0], label[1], path[0], path[1], (char *)NULL);
            _exit(2);
        }
        int what;
        status = child > 0 && waitpid(child, &what, 0) == child && WIFEXITED(what) && WEXITSTATUS(what) < 2
                     ? 0
                     : mpg_error_set(err, "cannot run diff(1)");
    }
    for (int i = 0; i < 2; i++)
        if (file[i])
            fclose(file[i]);
    return status;
}

static bool same_answer(const struct mpg_history_run *run, const char *answer, size_t bytes)
{
    return run->answer_bytes == bytes && memcmp(run->answer, answer, bytes) == 0;
}

static void print_comparison(const struct mpg_history_run run[2])
{
    if (strcmp(run[0].version, run[1].version) != 0)
        for (int i = 0; i < 2; i++) {
            fputs(i == 0 ? "- mpgkit " : "+ mpgkit ", stdout);
            mpg_printable_put(stdout, run[i].version);
            putchar('\n');
        }
    print_missing_arguments(&run[0], &run[1], '-');
    print_missing_arguments(&run[1], &run[0], '+');
    print_changed_inputs(&run[0], &run[1]);
}

/* Returns the output of diff(1) for the answers of the two runs, *BYTES long, to be freed by the caller; empty if SAME. NULL
 * with ERR. */
static char *difference(const struct mpg_history_run run[2], bool same, size_t *bytes, struct mpg_error *err)
{
    FILE *file = tmpfile();
    if (!file) {
        mpg_error_set(err, "cannot write a temporary file");
        return NULL;
    }
    int status = same ? 0 : run_diff(run, fileno(file), err);
    const long end = status == 0 && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    *bytes = end > 0 ? (size_t)end : 0;
    char *text = malloc(*bytes + 1);
    rewind(file);
    if (status == 0 && (!text || end < 0 || fread(text, 1, *bytes, file) != *bytes))
        status = mpg_error_set(err, text ? "cannot read a temporary file" : "out of memory");
    fclose(file);
    if (status == 0)
        return text;
    free(text);
    return NULL;
}

static int show_difference(struct request *a, struct mpg_error *err)
{
    struct mpg_history_run run[2] = {{.id = 0}, {.id = 0}};
    int status = -1;
    if (mpg_history_find(a->file, a->id[0], &run[0], err) == 0 && mpg_history_find(a->file, a->id[1], &run[1], err) == 0) {
        const bool same = same_answer(&run[0], run[1].answer, run[1].answer_bytes);
        size_t bytes;
        char *text = difference(run, same, &bytes, err);
        status = text ? 0 : -1;
        if (text && a->json) {
            mpg_history_write_json_difference(stdout, run, text, bytes);
        } else if (text) {
            print_comparison(run);
            if (same)
                puts("the answers are identical");
            mpg_printable_put_lines(stdout, text, bytes);
        }
        free(text);
    }
    mpg_history_run_clear(&run[0]);
    mpg_history_run_clear(&run[1]);
    return status;
}

/* ---- rerun ---- */

/* Prints how mpgkit's version and the input files have changed since RUN. */
static void print_changes(const struct mpg_history_run *run, FILE *to)
{
    if (strcmp(run->version, PACKAGE_VERSION) != 0) {
        fputs("  mpgkit was ", to);
        mpg_printable_put(to, run->version);
        fprintf(to, ", now %s\n", PACKAGE_VERSION);
    }
    for (size_t i = 0; i < run->inputs; i++) {
        const struct mpg_history_input *input = &run->input[i];
        struct mpg_error ignored;
        char sum[40], *path = NULL;
        if (asprintf(&path, "%s%s%s", *input->path == '/' ? "" : run->directory, *input->path == '/' ? "" : "/", input->path) < 0)
            continue;
        struct mpg_trace *trace =
            strcmp(input->role, "trace") == 0 && mpg_kind_of(path) != MPG_FILE_SPECIAL ? mpg_trace_open(path, &ignored) : NULL;
        if (trace)
            mpg_history_trace_checksum(trace, path, sum);
        else
            mpg_history_checksum(path, sum);
        mpg_trace_close(trace);
        free(path);
        if (strcmp(sum, input->sum) != 0) {
            fputs("  the ", to);
            mpg_printable_put(to, input->role);
            putc(' ', to);
            mpg_printable_put(to, input->path);
            fputs(" has changed\n", to);
        }
    }
}

static int write_answer(const char *path, const char *answer, size_t bytes, struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(path, err);
    if (!out)
        return -1;
    fwrite(answer, 1, bytes, mpg_output_stream(out));
    return mpg_output_commit(out, err);
}

/* Returns an error if the output would overwrite the history or an input of RUN. */
static int check_output(const struct request *a, const struct mpg_history_run *run, struct mpg_error *err)
{
    int status = a->output ? mpg_output_differs_from_input("output", a->output, a->file, err) : 0;
    for (size_t i = 0; a->output && i < run->inputs && status == 0; i++) {
        const char *path = run->input[i].path;
        char *whole = NULL;
        if (asprintf(&whole, "%s%s%s", *path == '/' ? "" : run->directory, *path == '/' ? "" : "/", path) < 0)
            return mpg_error_set(err, "out of memory");
        status = mpg_output_differs_from_input("output", a->output, whole, err);
        free(whole);
    }
    return status;
}

/* Returns the stream for the line with the result of the comparison: standard error if the answer goes to standard output. */
static FILE *verdict_stream(struct request *a)
{
    a->closed = a->output && strcmp(a->output, "-") == 0;
    return a->closed ? stderr : stdout;
}

/* Repeats the stored run, writes the answer if an output is given, and prints whether the answer is identical to the stored
 * answer. Returns 0; 1: the answer differs; -1 with ERR. */
static int rerun(struct request *a, struct mpg_error *err)
{
    struct mpg_history_run run;
    char *answer = NULL;
    size_t bytes = 0;
    int status = mpg_history_find(a->file, a->id[0], &run, err);
    if (status == 0)
        status = check_output(a, &run, err);
    if (status == 0)
        status = mpg_history_rerun(&run, &answer, &bytes, err);
    if (status == 0 && a->output)
        status = write_answer(a->output, answer, bytes, err);
    if (status == 0) {
        FILE *to = verdict_stream(a);
        const bool same = same_answer(&run, answer, bytes);
        fprintf(to, "run %" PRId64 ": %s\n", run.id, same ? "the answer is identical" : "the answer differs");
        if (!same)
            print_changes(&run, to);
        status = !same;
    }
    free(answer);
    mpg_history_run_clear(&run);
    return status;
}

/* ---- commands ---- */

static const struct {
    const char *name, *summary, *arguments;
    int (*run)(struct request *, struct mpg_error *);
    int ids;
    int (*main)(int argc, char **argv); /* of a command that parses its command line itself */
} commands[] = {
    {"list", "List stored runs, oldest first.", "", list, 0, NULL},
    {"show", "Show a run with its answer.", "ID", show, 1, NULL},
    {"diff", "Compare two runs and their answers.", "ID ID", show_difference, 2, NULL},
    {"rerun", "Repeat a run and compare the answers.", "ID", rerun, 1, NULL},
    {"compare", "Compare predicted run times before and after a change.", .main = mpg_history_compare_main},
    {"keep", "Keep signatures, for the health of their machines.", .main = mpg_health_keep_main},
    {"health", "Show whether machines became slower or noisier.", .main = mpg_health_main},
    {"signature", "Write a kept signature.", .main = mpg_health_signature_main},
};

static int command_main(size_t c, int argc, char **argv)
{
    struct request a = {.file = NULL};
    char name[32];
    struct mpg_option options[4] = {
        MPG_ROW_OF_HISTORY(&a.file)};
    struct mpg_option *next = &options[1];
    if (commands[c].run == rerun)
        *next++ = (struct mpg_option){.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &a.output,
                                      .argument = "FILE", .help = "write the new answer to FILE"};
    else
        *next++ = (struct mpg_option){.name = "json", .kind = MPG_OPTION_FLAG, .value = &a.json,
                                      .help = "print JSON, with the input files"};
    if (commands[c].run == show)
        *next = (struct mpg_option){.name = "answer", .kind = MPG_OPTION_FLAG, .value = &a.answer,
                                    .help = "print the answer only"};
    snprintf(name, sizeof name, "mpghistory %s", commands[c].name);
    const struct mpg_program program = {.name = name, .arguments = *commands[c].arguments ? commands[c].arguments : NULL,
                                        .summary = commands[c].summary, .options = options,
                                        .min_arguments = commands[c].ids, .max_arguments = commands[c].ids};
    struct mpg_error err;
    const int first = mpg_option_parse(&program, argc, argv);
    if (a.json && a.answer)
        mpg_option_usage_error(&program, "--json and --answer exclude each other");
    for (int i = 0; i < commands[c].ids; i++)
        if (mpg_units_parse_int(argv[first + i], &a.id[i], &err) < 0 || a.id[i] < 1)
            mpg_option_usage_error(&program, "'%s' is not a run number", argv[first + i]);
    mpg_need_history(&program, &a.file);
    const int status = commands[c].run(&a, &err);
    if (status >= 0 && (a.closed || mpg_stdout_close(&err) == 0))
        return status > 0 ? MPG_EXIT_FAILURE : MPG_EXIT_OK;
    mpg_error_print(name, &err);
    return MPG_EXIT_FAILURE;
}

static void print_help(void)
{
    printf("Usage: mpghistory COMMAND [OPTION]... [ID]...\n"
           "Show, compare and repeat runs stored by mpgsim --history; watch machines by\ntheir signatures.\n\nCommands:\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    printf("\nOptions:\n"
           "  -h, --help                  print this help and exit\n"
           "  -V, --version               print the version and exit\n"
           "\n'mpghistory COMMAND --help' describes a command's options.\n");
}

static void print_completion(void)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("%s\n", commands[i].name);
    fputs("--help\n-h\n--version\n-V\n", stdout);
}

/* Ends mpghistory with a usage error: NAME is no command; "": no command given. */
static _Noreturn void refuse(const char *name)
{
    const struct mpg_program program = {.name = "mpghistory"};
    struct mpg_nearest nearest = {name, strlen(name), NULL, 0};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        mpg_nearest_try(&nearest, commands[i].name);
    mpg_nearest_try(&nearest, "--help");
    mpg_nearest_try(&nearest, "--version");
    mpg_option_usage_error(&program, "%s%s%s%s%s%s", *name ? "unknown command '" : "no command given", name, *name ? "'" : "",
                           nearest.word ? "; did you mean " : "", nearest.word ? nearest.word : "", nearest.word ? "?" : "");
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    struct mpg_error err;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].main ? commands[i].main(argc - 1, argv + 1) : command_main(i, argc - 1, argv + 1);
    if (strcmp(name, "--help") == 0 || strcmp(name, "--help=all") == 0 || strcmp(name, "-h") == 0)
        print_help();
    else if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        printf("mpghistory (mpgkit) %s\n", PACKAGE_VERSION);
    else if (strcmp(name, "--completion") == 0 && argc == 2)
        print_completion();
    else {
        refuse(name);
    }
    if (mpg_stdout_close(&err) == 0)
        return MPG_EXIT_OK;
    mpg_error_print("mpghistory", &err);
    return MPG_EXIT_FAILURE;
}
