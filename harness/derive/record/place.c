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

/* The unit of compilation that the address is in. One after the other, because clang writes no table of them. */
static Dwarf_Die *unit_of(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = NULL;
    do unit = dwfl_module_nextcu(module, unit, bias);
    while (unit && dwarf_haspc(unit, address - *bias) <= 0);
    return unit;
}

/* Where the function that the address is in was called, if that was put in place of a call. */
static const char *caller_of_inlined(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Word *line)
{
    Dwarf_Die *scope = NULL;
    const int scopes = dwarf_getscopes(unit, address, &scope);
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

static bool place_in(Dwfl_Module *module, Dwarf_Addr call, char text[PLACE_TEXT])
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = unit_of(module, call, &bias);
    Dwarf_Line *found = unit ? dwarf_getsrc_die(unit, call - bias) : NULL;
    const char *file = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
    int line = 0;
    Dwarf_Word call_line;
    if (!file || dwarf_lineno(found, &line) != 0) return false;
    const char *outside = is_tgmath(file) ? caller_of_inlined(unit, call - bias, &call_line) : NULL;
    snprintf(text, PLACE_TEXT, "%s:%d", outside ? outside : file, outside ? (int)call_line : line);
    return true;
}

/* From the line table; false where there is none for this address. */
static bool place_by_line(const void *caller, char text[PLACE_TEXT])
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo};
    Dwfl *session = dwfl_begin(&callbacks);
    bool found = false;
    if (!session) return false;
    if (dwfl_linux_proc_report(session, getpid()) == 0 && dwfl_report_end(session, NULL, NULL) == 0) {
        const Dwarf_Addr call = (Dwarf_Addr)(uintptr_t)caller - 1; /* inside the call, not behind it */
        Dwfl_Module *module = dwfl_addrmodule(session, call);
        found = module && place_in(module, call, text);
    }
    dwfl_end(session);
    return found;
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
