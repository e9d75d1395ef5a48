/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace: records, prints, imports and summarises traces. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "common/error.h"
#include "common/nearest.h"
#include "common/option.h"
#include "common/output.h"
#include "trace/commands.h"
#ifdef MPGKIT_WITH_MPI
#include "trace/record/tracers.h"
#endif

static const struct {
    const char *name, *summary;
    int (*main)(int, char **);
} commands[] = {
#ifdef MPGKIT_WITH_MPI
    {"record", "run an MPI program and record its calls", mpg_record_main},
#endif
    {"print", "print a trace as text", mpg_print_main},
    {"import", "make a trace from text", mpg_import_main},
    {"export", "write a trace in a format of other tools", mpg_export_main},
    {"stat", "summarise a trace", mpg_stat_main},
    {"waits", "list wait states: late senders, late receivers, barriers", mpg_waits_main},
    {"compare", "compare recordings of two versions of a program", mpg_compare_main},
    {"critical-path", "print the critical path and the causes of waiting", mpg_critical_path_main},
    {"efficiency", "say how efficiently the ranks share work and communicate", mpg_efficiency_main},
    {"matrix", "say who sends how much to whom", mpg_matrix_main},
    {"sizes", "say how large messages are", mpg_sizes_main},
    {"timeline", "make a timeline for viewers in browsers", mpg_timeline_main},
    {"graph", "draw a trace's message-passing graph", mpg_graph_main},
};

static void print_help(void)
{
    printf("Usage: mpgtrace COMMAND [OPTION]... [ARGUMENT]...\n"
           "Record, print, import and summarise traces of MPI programs.\n\nCommands:\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("  %-13s %s\n", commands[i].name, commands[i].summary);
    printf("\nOptions:\n"
           "  -h, --help                  print this help and exit\n"
           "  -V, --version               print the version and exit\n"
           "\n'mpgtrace COMMAND --help' tells more about each.\n");
}

/* Prints the subcommands for shell completion, in the form of the options printed by common/option.h. */
static void print_completion(void)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("%s\n", commands[i].name);
    fputs("--help\n-h\n--version\n-V\n", stdout);
}

static void print_version(void)
{
    printf("mpgtrace (mpgkit) %s\n", PACKAGE_VERSION);
#ifdef MPGKIT_WITH_MPI
    mpg_tracers_print();
#else
    printf("records nothing: built without MPI\n");
#endif
}

/* Prints the error that NAME is not a command ("": no command given), and exits. */
static _Noreturn void refuse(const char *name)
{
    const struct mpg_program program = {.name = "mpgtrace"};
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
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].main(argc - 1, argv + 1);
    struct mpg_error err;
    if (strcmp(name, "--help") == 0 || strcmp(name, "--help=all") == 0 || strcmp(name, "-h") == 0)
        print_help();
    else if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        print_version();
    else if (strcmp(name, "--completion") == 0 && argc == 2)
        print_completion();
    else {
        refuse(name);
    }
    if (mpg_stdout_close(&err) < 0) {
        mpg_error_print("mpgtrace", &err);
        return MPG_EXIT_FAILURE;
    }
    return MPG_EXIT_OK;
}
