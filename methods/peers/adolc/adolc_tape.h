/* methods/peers/adolc/adolc_tape.h - recorded functions as tapes of ADOL-C. */
#ifndef ADOLC_TAPE_H
#define ADOLC_TAPE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "taper.h"

extern const struct taper adolc_taper;

#ifdef __cplusplus
}
#endif

#endif
