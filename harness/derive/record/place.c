/* harness/derive/record/place.c - see place.h. */
#define _GNU_SOURCE /* dladdr */
#include "place.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h> /* snprintf */

#ifdef SENS_HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the function that the address is in was called, if that was put in place of a call. */
static const char *caller_of_inlined(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Word *line)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias), *scope = NULL;
    const int scopes = unit ? dwarf_getscopes(unit, address - bias, &scope) : 0;
    const char *file = NULL;
    for (int k = 0; k < scopes && !file; k++) {
        Dwarf_Attribute attribute;
        Dwarf_Word number;
        Dwarf_Files *files;
        size_t count;
        if (dwarf_tag(&scope[k]) == DW_TAG_inlined_subroutine &&
            dwarf_formudata(dwarf_attr(&scope[k], DW_AT_call_line, &attribute), line) == 0 &&
            dwarf_formudata(dwarf_attr(&scope[k], DW_AT_call_file, &attribute), &number) == 0 &&
            dwarf_getsrcfiles(unit, &files, &count) == 0 && number < count)
            file = dwarf_filesrc(files, number, NULL, NULL);
    }
    free(scope);
    return file;
}

/* <tgmath.h> of clang is functions. */
static bool is_tgmath(const char *file)
{
    const char *name = strrchr(file, '/');
    return name && strcmp(name, "/tgmath.h") == 0;
}

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
        Dwarf_Word call_line;
        const char *outside = file && is_tgmath(file) ? caller_of_inlined(module, call, &call_line) : NULL;
        if (outside)
            snprintf(text, PLACE_TEXT, "%s:%d", outside, (int)call_line);
        else if (file)
            snprintf(text, PLACE_TEXT, "%s:%d", file, line);
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
