/* Additive pairs: an explicit formula and an ESDIRK with the same b, e and c (sens/tableau.h).
 *
 * The published rationals are exact, or of 25 digits; b - bhat of the latter is their difference to 40. */
#include "tableaux.h"

/* ---- ark32 ------------------------------------------------------------------------------------------------ */

static const sens_real ark32_explicit[4 * 4] = {
    [1 * 4] = SENS_Q(1767732205903, 2027836641118), [2 * 4] = SENS_Q(5535828885825, 10492691773637),
    SENS_Q(788022342437, 10882634858940),           [3 * 4] = SENS_Q(6485989280629, 16251701735622),
    SENS_Q(-4246266847089, 9704473918619),          SENS_Q(10755448449292, 10357097424841),
};
static const sens_real ark32_a[4 * 4] = {
    [1 * 4] = SENS_Q(1767732205903, 4055673282236),
    SENS_Q(1767732205903, 4055673282236),
    [2 * 4] = SENS_Q(2746238789719, 10658868560708),
    SENS_Q(-640167445237, 6845629431997),
    SENS_Q(1767732205903, 4055673282236),
    [3 * 4] = SENS_Q(1471266399579, 7840856788654),
    SENS_Q(-4482444167858, 7529755066697),
    SENS_Q(11266239266428, 11593286722821),
    SENS_Q(1767732205903, 4055673282236),
};
static const sens_real ark32_b[4] = {
    SENS_Q(1471266399579, 7840856788654), SENS_Q(-4482444167858, 7529755066697),
    SENS_Q(11266239266428, 11593286722821), SENS_Q(1767732205903, 4055673282236)};
static const sens_real ark32_e[4] = {
    SENS_C(-0.02709926187666531532494621879510909228911), SENS_C(-0.1101352096920158552269179935534700564431),
    SENS_C(0.1030649252013845723042990927603829574650), SENS_C(0.03416954636729659824756510243549943120520)};
static const sens_real ark32_c[4] = {0, SENS_Q(1767732205903, 2027836641118), SENS_Q(3, 5), 1};

const struct sens_tableau sens_tableau_ark32 = {
    .name = "ark32",
    .summary = "ARK3(2)4L[2]SA for a split f, implicit part L-stable and stiffly accurate",
    .source = "Kennedy & Carpenter, Appl. Numer. Math. 44 (2003) 139-181",
    .family = SENS_FAMILY_DIRK,
    .stages = 4,
    .order = 3,
    .order_hat = 2,
    .a = ark32_a,
    .a_explicit = ark32_explicit,
    .b = ark32_b,
    .e = ark32_e,
    .c = ark32_c,
    .dense_order = 3,
};

/* ---- ark43 ------------------------------------------------------------------------------------------------ */

static const sens_real ark43_explicit[6 * 6] = {
    [1 * 6] = SENS_Q(1, 2),
    [2 * 6] = SENS_Q(13861, 62500),
    SENS_Q(6889, 62500),
    [3 * 6] = SENS_Q(-116923316275, 2393684061468),
    SENS_Q(-2731218467317, 15368042101831),
    SENS_Q(9408046702089, 11113171139209),
    [4 * 6] = SENS_Q(-451086348788, 2902428689909),
    SENS_Q(-2682348792572, 7519795681897),
    SENS_Q(12662868775082, 11960479115383),
    SENS_Q(3355817975965, 11060851509271),
    [5 * 6] = SENS_Q(647845179188, 3216320057751),
    SENS_Q(73281519250, 8382639484533),
    SENS_Q(552539513391, 3454668386233),
    SENS_Q(3354512671639, 8306763924573),
    SENS_Q(4040, 17871),
};
static const sens_real ark43_a[6 * 6] = {
    [1 * 6] = SENS_Q(1, 4),
    SENS_Q(1, 4),
    [2 * 6] = SENS_Q(8611, 62500),
    SENS_Q(-1743, 31250),
    SENS_Q(1, 4),
    [3 * 6] = SENS_Q(5012029, 34652500),
    SENS_Q(-654441, 2922500),
    SENS_Q(174375, 388108),
    SENS_Q(1, 4),
    [4 * 6] = SENS_Q(15267082809, 155376265600),
    SENS_Q(-71443401, 120774400),
    SENS_Q(730878875, 902184768),
    SENS_Q(2285395, 8070912),
    SENS_Q(1, 4),
    [5 * 6] = SENS_Q(82889, 524892),
    0,
    SENS_Q(15625, 83664),
    SENS_Q(69875, 102672),
    SENS_Q(-2260, 8211),
    SENS_Q(1, 4),
};
static const sens_real ark43_b[6] = {
    SENS_Q(82889, 524892), 0, SENS_Q(15625, 83664), SENS_Q(69875, 102672), SENS_Q(-2260, 8211), SENS_Q(1, 4)};
static const sens_real ark43_e[6] = {SENS_Q(31666707, 9881966720), 0,
                                     SENS_Q(-256875, 105007616),   SENS_Q(-2768025, 128864768),
                                     SENS_Q(169839, 3864644),      SENS_Q(-5247, 225920)};
static const sens_real ark43_c[6] = {0, SENS_Q(1, 2), SENS_Q(83, 250), SENS_Q(31, 50), SENS_Q(17, 20), 1};

const struct sens_tableau sens_tableau_ark43 = {
    .name = "ark43",
    .summary = "ARK4(3)6L[2]SA for a split f, implicit part L-stable and stiffly accurate",
    .source = "Kennedy & Carpenter, Appl. Numer. Math. 44 (2003) 139-181",
    .family = SENS_FAMILY_DIRK,
    .stages = 6,
    .order = 4,
    .order_hat = 3,
    .a = ark43_a,
    .a_explicit = ark43_explicit,
    .b = ark43_b,
    .e = ark43_e,
    .c = ark43_c,
    .dense_order = 3,
};
