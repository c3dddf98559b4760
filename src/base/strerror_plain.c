/* strerror_plain.c -- the messages of the system in English, whatever the
 * locale.
 *
 * The C library translates them, into the encoding of a locale that the caller
 * of the library chose.  This definition takes the place of that in the
 * library, inside of which it is visible alone.  The program has no locale.
 *
 * SPDX-License-Identifier: MIT */
#include "base/print.h"

#include <errno.h>
#include <string.h>

static const struct {
    int number;
    const char *text; // as glibc has it in the locale C
} rows[] = {
    {EPERM, "Operation not permitted"},
    {ENOENT, "No such file or directory"},
    {EINTR, "Interrupted system call"},
    {EIO, "Input/output error"},
    {ENXIO, "No such device or address"},
    {EBADF, "Bad file descriptor"},
    {EAGAIN, "Resource temporarily unavailable"},
    {ENOMEM, "Cannot allocate memory"},
    {EACCES, "Permission denied"},
    {EFAULT, "Bad address"},
    {EBUSY, "Device or resource busy"},
    {EEXIST, "File exists"},
    {EXDEV, "Invalid cross-device link"},
    {ENODEV, "No such device"},
    {ENOTDIR, "Not a directory"},
    {EISDIR, "Is a directory"},
    {EINVAL, "Invalid argument"},
    {ENFILE, "Too many open files in system"},
    {EMFILE, "Too many open files"},
    {ENOTTY, "Inappropriate ioctl for device"},
    {ETXTBSY, "Text file busy"},
    {EFBIG, "File too large"},
    {ENOSPC, "No space left on device"},
    {ESPIPE, "Illegal seek"},
    {EROFS, "Read-only file system"},
    {EMLINK, "Too many links"},
    {EPIPE, "Broken pipe"},
    {ENAMETOOLONG, "File name too long"},
    {ENOTEMPTY, "Directory not empty"},
    {ELOOP, "Too many levels of symbolic links"},
    {EOVERFLOW, "Value too large for defined data type"},
    {EDQUOT, "Disk quota exceeded"},
    {ESTALE, "Stale file handle"},
    {ETIMEDOUT, "Connection timed out"},
    {ENOTSUP, "Operation not supported"},
};

char *
strerror(int number)
{
    static _Thread_local char text[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == number) {
            print_text(text, sizeof text, "%s", rows[i].text);
            return text;
        }
    print_text(text, sizeof text, "Error %d of the system", number);
    return text;
}
