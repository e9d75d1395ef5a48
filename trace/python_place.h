/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of programs in Python among the frames of a callsite. A Python function is a module
 * without build-id whose path is "python:FUNCTION:FILE", which no file has, as those begin with
 * a slash; the frame's offset is the line. FUNCTION has no colon. */
#ifndef MPG_PYTHON_PLACE_H
#define MPG_PYTHON_PLACE_H

#include <stdbool.h>
#include <string.h>

#define MPG_PYTHON_PREFIX "python:"

static inline bool mpg_is_python(const char *path)
{
    return strncmp(path, MPG_PYTHON_PREFIX, sizeof MPG_PYTHON_PREFIX - 1) == 0;
}

/* FUNCTION; it ends before FILE's colon. */
static inline const char *mpg_python_function(const char *path)
{
    return path + sizeof MPG_PYTHON_PREFIX - 1;
}

/* FILE, "" if there is none. */
static inline const char *mpg_python_file(const char *path)
{
    const char *colon = strchr(mpg_python_function(path), ':');
    return colon ? colon + 1 : "";
}

#endif
