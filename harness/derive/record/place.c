/* harness/derive/record/place.c - see place.h. */
#define _GNU_SOURCE /* dladdr */
#include "place.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h> /* snprintf */

#ifdef SENS_HAVE_LIBDW
#include <elfutils/libdwfl.h>
#include <unistd.h>

/* From the line table; false where there is none for this address. */
static bool place_by_line(const void *caller, char text[PLACE_TEXT])
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo};
    Dwfl *session = dwfl_begin(&callbacks);
    int line = 0;
    const char *file = NULL;
    if (!session) return false;
    if (dwfl_linux_proc_report(session, getpid()) == 0 && dwfl_report_end(session, NULL, NULL) == 0) {
        const Dwarf_Addr call = (Dwarf_Addr)(uintptr_t)caller - 1; /* inside the call, not behind it */
        Dwfl_Module *module = dwfl_addrmodule(session, call);
        Dwfl_Line *found = module ? dwfl_module_getsrc(module, call) : NULL;
        if (found) file = dwfl_lineinfo(found, NULL, &line, NULL, NULL, NULL);
        if (file) snprintf(text, PLACE_TEXT, "%s:%d", file, line);
    }
    dwfl_end(session);
    return file;
}
#else
static bool place_by_line(const void *caller, char text[PLACE_TEXT])
{
    (void)caller, (void)text;
    return false;
}
#endif

const char *place_of(const void *caller, char text[PLACE_TEXT])
{
    Dl_info of;
    if (place_by_line(caller, text)) return text;
    const bool known = dladdr(caller, &of) != 0;
    if (known && of.dli_sname)
        snprintf(text, PLACE_TEXT, "function %s", of.dli_sname);
    else
        snprintf(text, PLACE_TEXT, "%s", known ? of.dli_fname : "unknown place");
    return text;
}
