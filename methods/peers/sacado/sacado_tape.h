/* methods/peers/sacado/sacado_tape.h - recorded functions evaluated by Sacado. */
#ifndef SACADO_TAPE_H
#define SACADO_TAPE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "taper.h"

extern const struct taper sacado_taper;

#ifdef __cplusplus
}
#endif

#endif
