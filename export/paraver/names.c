/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The .pcf file names states, event types and values, and gives colours; the .row file names CPUs, nodes and threads. Numbers are
 * Extrae's. Only types and values that occur in the trace are named. */
#include "export/paraver/writer.h"

#include <stdlib.h>
#include <string.h>

/* Thread states with name and colour: states of calls (mpg_prv_state_of()), and states outside of calls. */
static const struct {
    int number;
    const char *name, *colour;
} states[] = {{0, "Idle", "117,195,255"},
              {1, "Running", "0,0,255"},
              {2, "Not created", "255,255,255"},
              {3, "Waiting for a message", "255,0,0"},
              {4, "Blocking send", "255,0,174"},
              {6, "Probe", "0,255,0"},
              {8, "Waiting for requests", "235,0,0"},
              {10, "Nonblocking send", "255,0,255"},
              {11, "Nonblocking receive", "100,100,177"},
              {12, "Input and output", "172,174,41"},
              {13, "Collective", "255,144,26"},
              {15, "Other call", "192,224,0"},
              {16, "Send and receive", "66,66,66"},
              {25, "One-sided", "116,116,116"}};

enum { NAMED_VALUES = 9, NUMBERS = 1 }; /* first number in the line of an event type, which chooses colours: for values with
                                         * names; for plain numbers; as written by Extrae */

/* Writes NAME; control characters, which could end the line, become '_'. */
static void write_name(FILE *out, const char *name)
{
    for (; *name; name++)
        fputc((unsigned char)*name < ' ' || *name == 0x7f ? '_' : *name, out);
}

static void begin_type(FILE *out, int colours, uint32_t type, const char *name)
{
    fprintf(out, "\n\nEVENT_TYPE\n%d    %u    ", colours, type);
    write_name(out, name);
    fputc('\n', out);
}

static void write_value(FILE *out, int64_t value, const char *prefix, const char *name)
{
    fprintf(out, "%lld      %s", (long long)value, prefix);
    write_name(out, name);
    fputc('\n', out);
}

/* --- values of calls --- */

static bool has_type(const struct mpg_prv_writer *w, uint32_t type)
{
    int call = 0;
    while (call < MPG_CALL_COUNT && !(w->has_call[call] && mpg_prv_type_of((enum mpg_call)call) == type))
        call++;
    return call < MPG_CALL_COUNT || (type == PRV_TYPE_OTHER && w->unknown.count > 0);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Writes value and name of each function in the trace that is unknown to mpgkit, ascending. */
static int write_unknown(const struct mpg_prv_writer *w, struct mpg_error *err)
{
    uint64_t *numbers = malloc((w->unknown.count + 1) * sizeof *numbers);
    size_t n = 0;
    if (!numbers)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < w->unknown.capacity; i++)
        if (w->unknown.entries[i].used)
            numbers[n++] = w->unknown.entries[i].key[0];
    qsort(numbers, n, sizeof *numbers, compare_numbers);
    for (size_t i = 0; i < n; i++) {
        const int32_t string = (int32_t)numbers[i] - 1;
        write_value(w->files.names, PRV_FIRST_UNKNOWN_VALUE + (int64_t)string, "", mpg_trace_string(w->trace, string));
    }
    free(numbers);
    return 0;
}

static int write_calls(const struct mpg_prv_writer *w, uint32_t type, const char *name, struct mpg_error *err)
{
    FILE *out = w->files.names;
    if (!has_type(w, type))
        return 0;
    begin_type(out, NAMED_VALUES, type, name);
    fputs("VALUES\n0      End\n", out);
    for (int call = 0; call < MPG_CALL_COUNT; call++)
        if (w->has_call[call] && mpg_prv_type_of((enum mpg_call)call) == type)
            write_value(out, mpg_prv_value_of((enum mpg_call)call), "MPI_", mpg_call_name((enum mpg_call)call));
    return type == PRV_TYPE_OTHER ? write_unknown(w, err) : 0;
}

/* --- the .pcf file --- */

static void write_states(FILE *out)
{
    fputs("DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\n\n"
          "DEFAULT_SEMANTIC\n\nTHREAD_FUNC          State As Is\n\n\nSTATES\n", out);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        fprintf(out, "%d    %s\n", states[i].number, states[i].name);
    fputs("\n\nSTATES_COLOR\n", out);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        fprintf(out, "%d    {%s}\n", states[i].number, states[i].colour);
}

static void write_regions(const struct mpg_prv_writer *w)
{
    FILE *out = w->files.names;
    if (w->region_number == 0)
        return;
    begin_type(out, NAMED_VALUES, PRV_TYPE_REGION, "Region");
    fputs("VALUES\n0      End\n", out);
    for (size_t i = 0; i < w->region_number; i++)
        write_value(out, (int64_t)i + 1, "", mpg_trace_string(w->trace, w->region_names[i]));
}

int mpg_prv_write_names(struct mpg_prv_writer *w, struct mpg_error *err)
{
    FILE *out = w->files.names;
    write_states(out);
    if (write_calls(w, PRV_TYPE_POINT_TO_POINT, "MPI point-to-point call", err) < 0 ||
        write_calls(w, PRV_TYPE_COLLECTIVE, "MPI collective", err) < 0 ||
        write_calls(w, PRV_TYPE_OTHER, "MPI other call", err) < 0 || write_calls(w, PRV_TYPE_RMA, "MPI one-sided", err) < 0 ||
        write_calls(w, PRV_TYPE_IO, "MPI-IO", err) < 0)
        return -1;
    begin_type(out, NUMBERS, PRV_TYPE_SENT, "Bytes sent in a collective");
    fprintf(out, "%d    %d    Bytes received in a collective\n", NUMBERS, PRV_TYPE_RECEIVED);
    fprintf(out, "%d    %d    Root of a collective\n", NUMBERS, PRV_TYPE_ROOT);
    fprintf(out, "%d    %d    Communicator of a collective\n", NUMBERS, PRV_TYPE_COMM);
    begin_type(out, NAMED_VALUES, PRV_TYPE_FLUSH, "The recorder writes its buffer");
    fputs("VALUES\n0      End\n1      Begin\n", out);
    write_regions(w);
    for (size_t i = 0; i < w->counter_number; i++)
        begin_type(out, NUMBERS, mpg_prv_counter_type(w->counters[i], i), w->counters[i]);
    return 0;
}

/* --- the .row file --- */

/* Returns the name of the host with node number NODE; NULL: unknown. */
static const char *host_of(const struct mpg_prv_writer *w, uint32_t node)
{
    int32_t r = 0;
    while (w->nodes[r] != node)
        r++;
    return mpg_trace_find_fact(w->trace, r, "host");
}

static void write_node(const struct mpg_prv_writer *w, uint32_t node)
{
    const char *host = host_of(w, node);
    if (host)
        write_name(w->files.rows, host);
    else
        fprintf(w->files.rows, "node %u", node);
}

void mpg_prv_write_rows(const struct mpg_prv_writer *w)
{
    FILE *out = w->files.rows;
    fprintf(out, "LEVEL CPU SIZE %zu\n", w->object_number);
    for (uint32_t node = 1, cpu = 1; node <= w->node_number; node++)
        for (uint32_t i = 0; i < w->cpus[node]; i++) {
            fprintf(out, "%u.", cpu++);
            write_node(w, node);
            fputc('\n', out);
        }
    fprintf(out, "\nLEVEL NODE SIZE %u\n", w->node_number);
    for (uint32_t node = 1; node <= w->node_number; node++) {
        write_node(w, node);
        fputc('\n', out);
    }
    fprintf(out, "\nLEVEL TASK SIZE %d\n", mpg_trace_ranks(w->trace));
    for (int32_t r = 0; r < mpg_trace_ranks(w->trace); r++)
        fprintf(out, "Rank %d\n", r);
    fprintf(out, "\nLEVEL THREAD SIZE %zu\n", w->object_number);
    for (size_t i = 0; i < w->object_number; i++)
        fprintf(out, "Rank %d thread %u\n", w->objects[i].rank, w->objects[i].thread);
}
