/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of Python programs in the frames of a callsite. A Python function is a module without build id, with the path
 * "python:FUNCTION:FILE"; paths of files begin with a slash. The frame's offset is the line number. FUNCTION has no
 * colon. */
#ifndef MPG_PYTHON_PLACE_H
#define MPG_PYTHON_PLACE_H

#include <stdbool.h>
#include <string.h>

#define MPG_PYTHON_PREFIX "python:"

static inline bool mpg_is_python(const char *path)
{
    return strncmp(path, MPG_PYTHON_PREFIX, sizeof MPG_PYTHON_PREFIX - 1) == 0;
}

/* Returns a pointer to FUNCTION in PATH; FUNCTION ends before the colon of FILE. */
static inline const char *mpg_python_function(const char *path)
{
    return path + sizeof MPG_PYTHON_PREFIX - 1;
}

/* Returns FILE, or "" without a file. */
static inline const char *mpg_python_file(const char *path)
{
    const char *colon = strchr(mpg_python_function(path), ':');
    return colon ? colon + 1 : "";
}

#endif
