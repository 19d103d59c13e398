/* SPDX-License-Identifier: MIT */
/*
 * Small questions to the system that need no file of their own: who is this machine, what does a
 * one-line file in /proc or /sys say, is somebody watching the terminal.
 */
#ifndef OS_SYS_H
#define OS_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * sys_read_text - read the start of a file into a buffer as a string, without the trailing
 * newlines. Made for files of /proc and /sys, which are short: what doesn't fit in size - 1 bytes
 * is cut off. Returns the length of the string (0 and up), or -errno (text is then "").
 */
int sys_read_text(const char *path, char *text, size_t size);

/*
 * sys_read_u64 - read a file that begins with a decimal number.
 * Returns 0, -EINVAL if it doesn't begin with one, -ERANGE above 64 bits, or another -errno.
 * *value is set only on success.
 */
int sys_read_u64(const char *path, uint64_t *value);

/*
 * sys_write_text - write a string to an existing file in one write. Returns 0 or -errno (-EIO if
 * short).
 */
int sys_write_text(const char *path, const char *text);

/*
 * sys_choice - the word in brackets, as files of sysfs show what is chosen: "none [mq-deadline]".
 * False, and word is "", if there is none; it is cut off at bytes - 1.
 */
bool sys_choice(const char *list, char *word, size_t bytes);

/* sys_reap - wait for a child's end, whatever signals come. One that is gone already is fine. */
void sys_reap(pid_t pid);

/*
 * sys_keep_streams - first thing in main: descriptors 0 to 2 that came closed are taken, or the
 * next file opened would become a standard stream. Writing to one goes on failing (-EBADF).
 */
void sys_keep_streams(void);

/* sys_hostname - the node name, always a terminated string; "localhost" if the kernel has none. */
void sys_hostname(char *text, size_t size);

/* sys_kernel - name and release of the kernel, as in "Linux 6.1.0-18-amd64"; always terminated. */
void sys_kernel(char *text, size_t size);

/*
 * sys_is_terminal - whether a descriptor is a terminal that can show a line that rewrites itself.
 */
bool sys_is_terminal(int fd);

/* sys_terminal_width - columns of the terminal behind a descriptor; 80 if it doesn't say. */
unsigned int sys_terminal_width(int fd);

#endif
