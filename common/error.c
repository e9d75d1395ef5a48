/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills and extends struct mpg_error. */
#define _GNU_SOURCE
#include "common/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int mpg_error_set(struct mpg_error *err, const char *format, ...)
{
    if (!err)
        return -1;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return -1;
}

/* Returns the text of error number ERRNUM, in English in every locale; without allocating if the C library allows. */
static const char *describe(int errnum)
{
#ifdef __GLIBC_PREREQ /* not in musl, whose strerror() is in English where no translation is installed */
#if __GLIBC_PREREQ(2, 32)
    const char *text = strerrordesc_np(errnum);
    if (text)
        return text;
#endif
#endif
    return strerror(errnum);
}

int mpg_error_errno(struct mpg_error *err, int errnum, const char *format, ...)
{
    if (!err)
        return -1;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", describe(errnum));
    return -1;
}

int mpg_error_prefix(struct mpg_error *err, const char *format, ...)
{
    if (!err)
        return -1;
    char old[sizeof err->text];
    memcpy(old, err->text, sizeof old);
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", old);
    return -1;
}

bool mpg_error_is_about(const char *text, const char *path)
{
    const size_t length = strlen(path);
    return strncmp(text, path, length) == 0 &&
           (text[length] == ':' || text[length] == '/' || (length > 0 && path[length - 1] == '/'));
}
