/* methods/peers/tmbad/tmbad_tape.h - recorded functions as tapes of TMBad. */
#ifndef TMBAD_TAPE_H
#define TMBAD_TAPE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "taper.h"

extern const struct taper tmbad_taper;

#ifdef __cplusplus
}
#endif

#endif
