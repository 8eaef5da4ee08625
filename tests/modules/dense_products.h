/* The products of the contract from dense derivatives, J = df/dx and F = df/dp: what the including file defines
 * before stands in the two. */
#include "dense_parameters.h"
#include "dense_states.h"
