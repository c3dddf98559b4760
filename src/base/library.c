/* library.c -- see library.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

bool
library_load(const char *file, const char *const *names, size_t n, void *table,
             struct err *err)
{
    void *const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return err_set(err, ERR_FEATURE, "cannot load a library: %s",
                       dlerror());
    for (size_t i = 0; i < n; i++) {
        void *const function = dlsym(library, names[i]);
        if (!function)
            return err_set(err, ERR_FEATURE, "%s has no function %s", file,
                           names[i]);
        // POSIX has pointers to functions look like those to objects.
        memcpy((char *)table + i * sizeof function, &function, sizeof function);
    }
    return true;
}
