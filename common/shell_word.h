/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quotes file names for shell commands suggested in messages. */
#ifndef MPG_SHELL_WORD_H
#define MPG_SHELL_WORD_H

#include <stddef.h>

/* Writes TEXT as one word of a POSIX shell into BUF of SIZE >= 3 bytes and returns BUF. Escapes special characters with
 * backslashes, not with quotes, because messages quote whole commands. Cuts before the first character that does not fit. An
 * empty TEXT becomes "". */
char *mpg_shell_word(char *buf, size_t size, const char *text);

#endif
