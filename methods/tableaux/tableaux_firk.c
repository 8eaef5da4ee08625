/* Fully implicit Runge-Kutta pairs of three stages (sens/tableau.h):
 *
 *     Y_1 = x,   Y_i = x + h sum_{j>1} a_ij K_j,   K_i = f(t + c_i h, Y_i),   i = 2, 3, 4,
 *     x1 = x + h sum_{j>1} b_j K_j,   e = b - bhat.
 *
 * The roots in the sources are written out to 40 digits. The embedded formula is of order 3, and has the weight
 * gamma on the slope at the start, gamma the real eigenvalue of a (Hairer & Wanner, Solving ODEs II, IV.8): that is
 * the number in the one real matrix of a step, I - h gamma df/dx. Its other weights follow from sum bhat_i c_i^k =
 * 1 / (k + 1), k = 0, 1, 2. */
#include "tableaux.h"

/* ---- radau_iia5 ------------------------------------------------------------------------------------------ */

static const sens_real radau_iia5_a[4 * 4] = {
    [1 * 4] = 0,
    SENS_C(0.1968154772236604258683861429918298896007),
    SENS_C(-0.06553542585019838810852278256960869180125),
    SENS_C(0.02377097434822015242040823210718966300399),
    [2 * 4] = 0,
    SENS_C(0.3944243147390872769974116714584975806901),
    SENS_C(0.2920734116652284630205027458970589992882),
    SENS_C(-0.04154875212599793019818600988496744078177),
    [3 * 4] = 0,
    SENS_C(0.3764030627004672750500754423692807946676),
    SENS_C(0.5124858261884216138388134465196080942213),
    SENS_Q(1, 9),
};
static const sens_real radau_iia5_b[4] = {0, SENS_C(0.3764030627004672750500754423692807946676),
                                          SENS_C(0.5124858261884216138388134465196080942213), SENS_Q(1, 9)};
static const sens_real radau_iia5_e[4] = {
    SENS_C(-0.2748888295956773677478286035994147792946), SENS_C(0.4282982941153681045584200539893601219017),
    SENS_C(-0.2450390743849165260598676515897502690386), SENS_C(0.09162960986522578924927620119980492643153)};
static const sens_real radau_iia5_c[4] = {0, SENS_C(0.1550510257216821901802715925294108608034),
                                          SENS_C(0.6449489742783178098197284074705891391966), 1};

const struct sens_tableau sens_tableau_radau_iia5 = {
    .name = "radau_iia5",
    .summary = "Radau IIA of three stages, 5(3), L-stable, stiffly accurate: that of RADAU5",
    .source = "Ehle, Waterloo CSRR 2010 (1969); Hairer & Wanner, Solving ODEs II, table IV.5.6",
    .family = SENS_FAMILY_FIRK,
    .stages = 4,
    .order = 5,
    .order_hat = 3,
    .fsal = true,
    .a = radau_iia5_a,
    .b = radau_iia5_b,
    .e = radau_iia5_e,
    .c = radau_iia5_c,
    .dense_order = 3,
};

/* ---- radau_ia5 ------------------------------------------------------------------------------------------- */

static const sens_real radau_ia5_a[4 * 4] = {
    [1 * 4] = 0,
    SENS_Q(1, 9),
    SENS_C(-0.1916383190435098943442935597058828551092),
    SENS_C(0.08052720793239878323318244859477174399811),
    [2 * 4] = 0,
    SENS_Q(1, 9),
    SENS_C(0.2920734116652284630205027458970589992882),
    SENS_C(-0.04813349705465738395134226447875924959593),
    [3 * 4] = 0,
    SENS_Q(1, 9),
    SENS_C(0.5370223859435462728402311533676481384848),
    SENS_C(0.1968154772236604258683861429918298896007),
};
static const sens_real radau_ia5_b[4] = {0, SENS_Q(1, 9), SENS_C(0.5124858261884216138388134465196080942213),
                                         SENS_C(0.3764030627004672750500754423692807946676)};
static const sens_real radau_ia5_e[4] = {SENS_C(-0.2748888295956773677478286035994147792946),
                                         SENS_C(0.2748888295956773677478286035994147792946), 0, 0};
static const sens_real radau_ia5_c[4] = {0, 0, SENS_C(0.3550510257216821901802715925294108608034),
                                         SENS_C(0.8449489742783178098197284074705891391966)};

const struct sens_tableau sens_tableau_radau_ia5 = {
    .name = "radau_ia5",
    .summary = "Radau IA of three stages, 5(3), L-stable",
    .source = "Ehle, Waterloo CSRR 2010 (1969); Hairer & Wanner, Solving ODEs II, table IV.5.4",
    .family = SENS_FAMILY_FIRK,
    .stages = 4,
    .order = 5,
    .order_hat = 3,
    .a = radau_ia5_a,
    .b = radau_ia5_b,
    .e = radau_ia5_e,
    .c = radau_ia5_c,
    .dense_order = 3,
};

/* ---- lobatto_iiic4 --------------------------------------------------------------------------------------- */

static const sens_real lobatto_iiic4_a[4 * 4] = {
    [1 * 4] = 0,   SENS_Q(1, 6),   SENS_Q(-1, 3), SENS_Q(1, 6), [2 * 4] = 0,  SENS_Q(1, 6),
    SENS_Q(5, 12), SENS_Q(-1, 12), [3 * 4] = 0,   SENS_Q(1, 6), SENS_Q(2, 3), SENS_Q(1, 6),
};
static const sens_real lobatto_iiic4_b[4] = {0, SENS_Q(1, 6), SENS_Q(2, 3), SENS_Q(1, 6)};
static const sens_real lobatto_iiic4_e[4] = {SENS_C(-0.3808338772072650364017425226487022097728),
                                             SENS_C(0.3808338772072650364017425226487022097728), 0, 0};
static const sens_real lobatto_iiic4_c[4] = {0, 0, SENS_Q(1, 2), 1};

const struct sens_tableau sens_tableau_lobatto_iiic4 = {
    .name = "lobatto_iiic4",
    .summary = "Lobatto IIIC of three stages, 4(3), L-stable, stiffly accurate",
    .source = "Chipman, BIT 11 (1971) 384-393; Hairer & Wanner, Solving ODEs II, table IV.5.11",
    .family = SENS_FAMILY_FIRK,
    .stages = 4,
    .order = 4,
    .order_hat = 3,
    .fsal = true,
    .a = lobatto_iiic4_a,
    .b = lobatto_iiic4_b,
    .e = lobatto_iiic4_e,
    .c = lobatto_iiic4_c,
    .dense_order = 3,
};

/* ---- gauss6 ---------------------------------------------------------------------------------------------- */

static const sens_real gauss6_a[4 * 4] = {
    [1 * 4] = 0,
    SENS_Q(5, 36),
    SENS_C(-0.03597666752493890345639547109660441849997),
    SENS_C(0.009789444015308326049580042229475568527791),
    [2 * 4] = 0,
    SENS_C(0.3002631949808645924380249472131555393403),
    SENS_Q(2, 9),
    SENS_C(-0.02248541720308681466024716943537776156248),
    [3 * 4] = 0,
    SENS_C(0.26798833376246945172819773554830220925),
    SENS_C(0.4804211119693833479008399155410488629444),
    SENS_Q(5, 36),
};
static const sens_real gauss6_b[4] = {0, SENS_Q(5, 18), SENS_Q(4, 9), SENS_Q(5, 18)};
static const sens_real gauss6_e[4] = {
    SENS_C(-0.2153144231161121782447335303806954707519), SENS_C(0.3184135484179201048017030891227683237034),
    SENS_C(-0.1435429487440747854964890202537969805012), SENS_C(0.04044382344226685893951946151172412754976)};
static const sens_real gauss6_c[4] = {0, SENS_C(0.1127016653792583114820734600217600389167), SENS_Q(1, 2),
                                      SENS_C(0.8872983346207416885179265399782399610833)};

const struct sens_tableau sens_tableau_gauss6 = {
    .name = "gauss6",
    .summary = "Gauss-Legendre of three stages, 6(3), A-stable, symmetric",
    .source = "Kuntzmann, ZAMM 41 (1961) T28-T31; Hairer & Wanner, Solving ODEs II, table IV.5.2",
    .family = SENS_FAMILY_FIRK,
    .stages = 4,
    .order = 6,
    .order_hat = 3,
    .a = gauss6_a,
    .b = gauss6_b,
    .e = gauss6_e,
    .c = gauss6_c,
    .dense_order = 3,
};
