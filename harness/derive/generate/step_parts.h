/* derive/generate/step_parts.h - what the texts of both steps have in common. */
#ifndef DERIVE_STEP_PARTS_H
#define DERIVE_STEP_PARTS_H

#include "step.h"
#include "text.h"

/* Adds these products of f (1 << GENERATE_RHS and so on) to the text, and what they count to *count. */
sens_status step_products(const struct step_request *request, unsigned wanted, struct text *text,
                          struct generate_found *found, struct generate_count *count);

/* "t + c_i * h" */
void step_add_time(struct text *text, const struct step_request *request, int i);

/* The text, if all went well; else NULL, and it is freed. */
sens_status step_take(struct text *text, sens_status status, char **source);

#endif
