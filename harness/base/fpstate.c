/* The floating-point environment of the thread: what a module must leave as it found it. */
#include <fenv.h>
#include <stdio.h>
#include <string.h>

#include "fpstate.h"

#if defined __x86_64__ || defined __i386__
#include <xmmintrin.h>

#include "fpstate.h"

enum { STICKY_FLAGS = 0x3f }; /* of MXCSR: set by every inexact operation */

static unsigned read_mxcsr(void)
{
    return _mm_getcsr() & ~(unsigned)STICKY_FLAGS;
}

static unsigned short read_control(void)
{
    unsigned short word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    return word;
}

static void write_controls(const struct fp_state *state)
{
    const unsigned short word = state->control;
    _mm_setcsr(state->mxcsr | (_mm_getcsr() & (unsigned)STICKY_FLAGS));
    __asm__ volatile("fldcw %0" : : "m"(word));
}
#else
static unsigned read_mxcsr(void)
{
    return 0;
}

static unsigned short read_control(void)
{
    return 0;
}

static void write_controls(const struct fp_state *state)
{
    (void)state;
}
#endif

struct fp_state fp_state_read(void)
{
    return (struct fp_state){fegetround(), read_mxcsr(), read_control()};
}

static void append(char text[160], const char *words)
{
    const size_t used = strlen(text);
    snprintf(text + used, 160 - used, "%s%s", used ? ", " : "", words);
}

void fp_state_difference(const struct fp_state *before, const struct fp_state *after, char text[160])
{
    const unsigned changed = before->mxcsr ^ after->mxcsr;
    text[0] = '\0';
    if (before->rounding != after->rounding || changed & 0x6000) append(text, "the rounding mode");
    if (changed & 0x8000) append(text, "flush-to-zero");
    if (changed & 0x0040) append(text, "denormals-are-zero");
    if (changed & 0x1f80) append(text, "the exception masks of SSE");
    if (before->control != after->control) append(text, "the control word of the x87 unit");
}

void fp_state_restore(const struct fp_state *state)
{
    fesetround(state->rounding);
    write_controls(state);
}
