/* harness/base/fpstate.h - the floating-point environment: rounding and what else a call may leave changed. */
#ifndef BASE_FPSTATE_H
#define BASE_FPSTATE_H

struct fp_state {
    int rounding;
    unsigned mxcsr;         /* control bits only: rounding, flush-to-zero, denormals-are-zero, masks */
    unsigned short control; /* of the x87 unit */
};
struct fp_state fp_state_read(void);
/* What differs, in words; "" when nothing does. */
void fp_state_difference(const struct fp_state *before, const struct fp_state *after, char text[160]);
void fp_state_restore(const struct fp_state *state);

#endif
