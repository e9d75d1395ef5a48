/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the lines of a Python program on the stack from the structures of CPython 3.11, as declared in
 * Include/internal/pycore_frame.h and Include/cpython/. Lines already found are kept by code object and instruction. */
#include "trace/pmpi/python.h"

#include <stdio.h>
#include <string.h>

#include "common/map.h"
#include "common/reserve.h"
#include "trace/pmpi/callsites.h"
#include "trace/pmpi/modules.h"
#include "trace/pmpi/python_text.h"
#include "trace/python_place.h"

/* Symbols of the Python interpreter; NULL in programs without the interpreter. These functions may be called without the
 * interpreter's lock. */
extern const unsigned long Py_Version __attribute__((weak)); /* exists since 3.11 */
extern void *PyGILState_GetThisThreadState(void) __attribute__((weak));
extern char PyCode_Type __attribute__((weak));
extern const char *Py_GetVersion(void) __attribute__((weak));

enum {
    VERSION_3_11 = 0x030b,
    RELEASED = 0xf, /* last but one hexadecimal digit of Py_Version in a final release */
    /* offsets in each structure, in bytes */
    OBJECT_TYPE = 8,
    THREAD_CFRAME = 56,
    CFRAME_FRAME = 8,
    FRAME_CODE = 32,
    FRAME_PREVIOUS = 48,
    FRAME_INSTRUCTION = 56,
    FRAME_OWNER = 69,
    OWNER_GENERATOR = 1,
    CODE_FIRST_LINE = 72,
    CODE_FILE = 112,
    CODE_FUNCTION = 128,
    CODE_LINES = 136,
    CODE_FIRST_TRACEABLE = 168, /* this field holds an offset in instructions */
    CODE_INSTRUCTIONS = 184,
    INSTRUCTION_BYTES = 2,
    BYTES_SIZE = 16,
    BYTES_BEGIN = 32,

    MAX_SUMMED_BYTES = 256, /* maximum number of bytes of a line table hashed at each use */
    MAX_LINES = 1 << 16,  /* maximum number of lines of a program */
    MAX_WALKED = 1 << 10  /* maximum number of frames examined for one callsite, including frames whose function has not begun */
};

/* Value in place of an index into `lines`: this line is not reported. */
static const uint32_t LEFT_OUT = UINT32_MAX;

/* A line of the program found on a stack. */
struct line {
    int32_t module;
    int32_t number;
};

/* The line of an instruction of a code object. Memory can be reused for another code object or line table; the members before
 * LINE serve to detect reuse. */
struct met {
    uintptr_t lines; /* address of the line table */
    uint64_t table; /* hash of the line table's first bytes */
    uint64_t names; /* hash of the names of function and file */
    int32_t first_line;
    uint32_t line; /* 1 + index in `lines`; 0: no line; or LEFT_OUT */
};

static struct {
    bool failed; /* memory contradicts the structures of this version: lines are no longer reported */
    struct line *lines;
    struct met *met;
    uint32_t line_number, line_capacity, met_number, met_capacity;
    struct mpg_map numbers; /* (module, line number) -> 1 + index in LINES */
    struct mpg_map met_index; /* (code object, instruction) -> 1 + index in MET */
} python;

static inline uintptr_t word(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

static inline int32_t int_at(uintptr_t address)
{
    return *(const int32_t *)address;
}

bool python_is_there(char *text, size_t size, bool *is_known)
{
    const unsigned long version = &Py_Version ? Py_Version : 0;
    *is_known = version >> 16 == VERSION_3_11 && (version >> 4 & 15) == RELEASED &&
                sizeof(void *) == 8 && PyGILState_GetThisThreadState && &PyCode_Type;
    if (!Py_GetVersion)
        return false;
    snprintf(text, size, "%s", Py_GetVersion());
    text[strcspn(text, " \n")] = '\0';
    return true;
}

const void *python_code(void)
{
    char text[64];
    bool is_known;
    return python_is_there(text, sizeof text, &is_known) && is_known
               ? (const void *)(uintptr_t)PyGILState_GetThisThreadState
               : NULL;
}

/* --- numbers of lines --- */

/* Returns true for Python's import machinery: frames between the importing line and the imported module's line, without
 * information about the program. */
static bool is_importlib(const char *file)
{
    static const char begin[] = "<frozen importlib";
    return strncmp(file, begin, sizeof begin - 1) == 0;
}

/* Returns 1 + the index into lines of the line of INSTRUCTION in the function of CODE; 0: none, or no memory; LEFT_OUT: a
 * line not reported. */
static uint32_t find_line(uintptr_t code, uintptr_t instruction)
{
    char path[2048];
    struct mpg_error unused;
    const uintptr_t table = word(code + CODE_LINES);
    const int32_t number =
        python_text_line((const uint8_t *)table + BYTES_BEGIN, word(table + BYTES_SIZE),
                         int_at(code + CODE_FIRST_LINE),
                         (instruction - code - CODE_INSTRUCTIONS) / INSTRUCTION_BYTES);
    size_t n = (size_t)snprintf(path, sizeof path, MPG_PYTHON_PREFIX);
    n += python_text_name(path + n, sizeof path / 2, (const void *)word(code + CODE_FUNCTION), ":");
    path[n++] = ':';
    python_text_name(path + n, sizeof path - n, (const void *)word(code + CODE_FILE), "");
    if (is_importlib(path + n))
        return LEFT_OUT;
    const int32_t module = modules_named(path);
    uint64_t *value = module < 0 ? NULL
                                 : mpg_map_add(&python.numbers, (uint64_t)module, (uint64_t)number);
    if (!value || *value)
        return value ? (uint32_t)*value : 0;
    if (python.line_number == MAX_LINES ||
        mpg_reserve_at(&python.lines, sizeof *python.lines, &python.line_capacity, python.line_number + 1, &unused) < 0)
        return 0;
    python.lines[python.line_number++] = (struct line){module, number};
    return (uint32_t)(*value = python.line_number);
}

/* Returns 1 + the index into lines of the line at INSTRUCTION of CODE; 0: none; LEFT_OUT. Uses the stored line if CODE is
 * unchanged. */
static uint32_t line_at(uintptr_t code, uintptr_t instruction)
{
    const uintptr_t table = word(code + CODE_LINES);
    const size_t size = word(table + BYTES_SIZE);
    const struct met now = {.lines = table,
                            .table = python_text_sum((const void *)(table + BYTES_BEGIN),
                                                     size < MAX_SUMMED_BYTES ? size : MAX_SUMMED_BYTES),
                            .names = python_text_hash((const void *)word(code + CODE_FUNCTION)) ^
                                     3 * python_text_hash((const void *)word(code + CODE_FILE)),
                            .first_line = int_at(code + CODE_FIRST_LINE)};
    struct mpg_error unused;
    uint64_t *value = mpg_map_add(&python.met_index, code, instruction);
    if (!value)
        return 0;
    struct met *met = *value ? &python.met[*value - 1] : NULL;
    if (met && met->lines == now.lines && met->table == now.table && met->names == now.names &&
        met->first_line == now.first_line)
        return met->line;
    if (!met) {
        if (mpg_reserve_at(&python.met, sizeof *met, &python.met_capacity, python.met_number + 1, &unused) < 0)
            return 0;
        met = &python.met[python.met_number++];
        *value = python.met_number;
    }
    *met = now;
    return met->line = find_line(code, instruction);
}

/* --- frames --- */

/* Returns true if FRAME's function has begun: before, FRAME's line is not meaningful. */
static bool has_begun(uintptr_t frame, uintptr_t code)
{
    const uintptr_t first = code + CODE_INSTRUCTIONS +
                            (uintptr_t)(INSTRUCTION_BYTES * (intptr_t)int_at(code + CODE_FIRST_TRACEABLE));
    return *(const char *)(frame + FRAME_OWNER) == OWNER_GENERATOR ||
           word(frame + FRAME_INSTRUCTION) >= first;
}

unsigned python_frames(uintptr_t *frames, unsigned max)
{
    unsigned n = 0;
    const uintptr_t thread = python.failed ? 0 : (uintptr_t)PyGILState_GetThisThreadState();
    const uintptr_t on_stack = thread ? word(thread + THREAD_CFRAME) : 0;
    uintptr_t frame = on_stack ? word(on_stack + CFRAME_FRAME) : 0;
    for (int walked = 0; frame && n < max && walked < MAX_WALKED; walked++) {
        const uintptr_t code = word(frame + FRAME_CODE);
        if (!code || word(code + OBJECT_TYPE) != (uintptr_t)&PyCode_Type) {
            python.failed = true;
            return 0;
        }
        if (has_begun(frame, code)) {
            const uint32_t line = line_at(code, word(frame + FRAME_INSTRUCTION));
            if (line == 0)
                break;
            if (line != LEFT_OUT)
                frames[n++] = CALLSITES_FOREIGN + (line - 1);
        }
        frame = word(frame + FRAME_PREVIOUS);
    }
    return n;
}

struct mpg_frame python_frame(uintptr_t frame)
{
    const uintptr_t i = frame - CALLSITES_FOREIGN;
    if (i >= python.line_number)
        return (struct mpg_frame){.module = -1};
    const struct line *line = &python.lines[i];
    return (struct mpg_frame){.module = line->module, .offset = line->number > 0 ? (uint64_t)line->number : 0};
}
