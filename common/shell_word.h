/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of files as words of a shell, for commands that messages suggest. */
#ifndef MPG_SHELL_WORD_H
#define MPG_SHELL_WORD_H

#include <stddef.h>

/* TEXT with a backslash before each character that a POSIX shell does not take as it is, so that it is one word, even between
 * the quotes of a message; in BUF of SIZE >= 3 bytes, which it returns; cut before the first character that does not fit.
 * An empty TEXT becomes "". */
char *mpg_shell_word(char *buf, size_t size, const char *text);

#endif
