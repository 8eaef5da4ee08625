/* Diagonally implicit Runge-Kutta pairs (sens/tableau.h):
 *
 *     Y_1 = x,   Y_i = x + h sum_{j<=i} a_ij K_j,   K_i = f(t + c_i h, Y_i),
 *     x1 = x + h sum_i b_i K_i,   e = b - bhat.
 *
 * The first stage of those without an explicit one has no weight. All are stiffly accurate: the last row of
 * a is b. Where a source gives square roots or rounded decimals, the numbers here are the solution of the order
 * conditions nearest to them, to 40 digits. */
#include "tableaux.h"

/* ---- sdirk2a ---------------------------------------------------------------------------------------------- */

static const sens_real sdirk2a_a[3 * 3] = {
    [1 * 3] = 0,
    SENS_C(0.2928932188134524755991556378951509607152),
    [2 * 3] = 0,
    SENS_C(0.7071067811865475244008443621048490392848),
    SENS_C(0.2928932188134524755991556378951509607152),
};
static const sens_real sdirk2a_b[3] = {0, SENS_C(0.7071067811865475244008443621048490392848),
                                       SENS_C(0.2928932188134524755991556378951509607152)};
static const sens_real sdirk2a_e[3] = {0, SENS_C(0.04044011451988085773417769543818237261817),
                                       SENS_C(-0.04044011451988085773417769543818237261817)};
static const sens_real sdirk2a_c[3] = {0, SENS_C(0.2928932188134524755991556378951509607152), 1};

const struct sens_tableau sens_tableau_sdirk2a = {
    .name = "sdirk2a",
    .summary = "SDIRK 2(1) in two stages, L-stable; gamma = 1 - 1/sqrt 2",
    .source = "Alexander, SIAM J. Numer. Anal. 14 (1977) 1006-1021; FATODE, Zhang & Sandu, SIAM J. Sci. "
              "Comput. 36 (2014) C504",
    .family = SENS_FAMILY_DIRK,
    .stages = 3,
    .order = 2,
    .order_hat = 1,
    .fsal = true,
    .a = sdirk2a_a,
    .b = sdirk2a_b,
    .e = sdirk2a_e,
    .c = sdirk2a_c,
    .dense_order = 2,
};

/* ---- sdirk2b ---------------------------------------------------------------------------------------------- */

static const sens_real sdirk2b_a[3 * 3] = {
    [1 * 3] = 0,
    SENS_C(1.707106781186547524400844362104849039285),
    [2 * 3] = 0,
    SENS_C(-0.7071067811865475244008443621048490392848),
    SENS_C(1.707106781186547524400844362104849039285),
};
static const sens_real sdirk2b_b[3] = {0, SENS_C(-0.7071067811865475244008443621048490392848),
                                       SENS_C(1.707106781186547524400844362104849039285)};
static const sens_real sdirk2b_e[3] = {0, SENS_C(-1.373773447853214191067511028771515705952),
                                       SENS_C(1.373773447853214191067511028771515705952)};
static const sens_real sdirk2b_c[3] = {0, SENS_C(1.707106781186547524400844362104849039285), 1};

const struct sens_tableau sens_tableau_sdirk2b = {
    .name = "sdirk2b",
    .summary =
        "SDIRK 2(1) in two stages, L-stable; gamma = 1 + 1/sqrt 2: the first stage lies beyond the step",
    .source = "Alexander, SIAM J. Numer. Anal. 14 (1977) 1006-1021; FATODE, Zhang & Sandu, SIAM J. Sci. "
              "Comput. 36 (2014) C504",
    .family = SENS_FAMILY_DIRK,
    .stages = 3,
    .order = 2,
    .order_hat = 1,
    .fsal = true,
    .a = sdirk2b_a,
    .b = sdirk2b_b,
    .e = sdirk2b_e,
    .c = sdirk2b_c,
    .dense_order = 2,
};

/* ---- sdirk3a ---------------------------------------------------------------------------------------------- */

static const sens_real sdirk3a_a[4 * 4] = {
    [1 * 4] = 0,
    SENS_C(0.2113248654051871177454256097490212721762),
    [2 * 4] = 0,
    SENS_C(0.2113248654051871177454256097490212721762),
    SENS_C(0.2113248654051871177454256097490212721762),
    [3 * 4] = 0,
    SENS_C(0.2113248654051871177454256097490212721762),
    SENS_C(0.5773502691896257645091487805019574556476),
    SENS_C(0.2113248654051871177454256097490212721762),
};
static const sens_real sdirk3a_b[4] = {0, SENS_C(0.2113248654051871177454256097490212721762),
                                       SENS_C(0.5773502691896257645091487805019574556476),
                                       SENS_C(0.2113248654051871177454256097490212721762)};
static const sens_real sdirk3a_e[4] = {0, 0, SENS_C(-0.0704416218017290354908512194980425443524),
                                       SENS_C(0.0704416218017290354908512194980425443524)};
static const sens_real sdirk3a_c[4] = {0, SENS_C(0.2113248654051871177454256097490212721762),
                                       SENS_C(0.4226497308103742354908512194980425443524), 1};

const struct sens_tableau sens_tableau_sdirk3a = {
    .name = "sdirk3a",
    .summary = "SDIRK 2(1) in three stages, weights the same from both ends",
    .source = "FATODE, Zhang & Sandu, SIAM J. Sci. Comput. 36 (2014) C504",
    .family = SENS_FAMILY_DIRK,
    .stages = 4,
    .order = 2,
    .order_hat = 1,
    .fsal = true,
    .a = sdirk3a_a,
    .b = sdirk3a_b,
    .e = sdirk3a_e,
    .c = sdirk3a_c,
    .dense_order = 2,
};

/* ---- sdirk4a ---------------------------------------------------------------------------------------------- */

static const sens_real sdirk4a_a[6 * 6] = {
    [1 * 6] = 0,
    SENS_Q(4, 15),
    [2 * 6] = 0,
    0.5,
    SENS_Q(4, 15),
    [3 * 6] = 0,
    SENS_C(0.3541539528432732316227461858529819694868),
    SENS_C(-0.05415395284327323162274618585298196948682),
    SENS_Q(4, 15),
    [4 * 6] = 0,
    SENS_C(0.08515494131138652076337791881433755626929),
    SENS_C(-0.06484332287891555171683963466229753562792),
    SENS_C(0.07915325296404206392428857585141242196178),
    SENS_Q(4, 15),
    [5 * 6] = 0,
    SENS_C(2.100115700566932777970612055999074395465),
    SENS_C(-0.7677800284445976813343102185062276429772),
    SENS_C(2.399816361080026398094746205273880232992),
    SENS_C(-2.998818699869028161397714709433393652146),
    SENS_Q(4, 15),
};
static const sens_real sdirk4a_b[6] = {0,
                                       SENS_C(2.100115700566932777970612055999074395465),
                                       SENS_C(-0.7677800284445976813343102185062276429772),
                                       SENS_C(2.399816361080026398094746205273880232992),
                                       SENS_C(-2.998818699869028161397714709433393652146),
                                       SENS_Q(4, 15)};
static const sens_real sdirk4a_e[6] = {0,
                                       SENS_C(-0.7851485038202613118730207703943675249935),
                                       SENS_C(-0.6219006801483205396492471439676542464975),
                                       SENS_C(0.009807678614886442495406370187581630581831),
                                       SENS_C(1.130574838687028742360194877507773474242),
                                       SENS_Q(4, 15)};
static const sens_real sdirk4a_c[6] = {
    0, SENS_Q(4, 15), SENS_Q(23, 30), SENS_Q(17, 30), SENS_C(0.3661315380631796996374935266701191092698), 1};

const struct sens_tableau sens_tableau_sdirk4a = {
    .name = "sdirk4a",
    .summary = "SDIRK 4(3) in five stages, L-stable; gamma = 4/15",
    .source =
        "Hairer & Wanner, Solving ODEs II, IV.6; FATODE, Zhang & Sandu, SIAM J. Sci. Comput. 36 (2014) C504",
    .family = SENS_FAMILY_DIRK,
    .stages = 6,
    .order = 4,
    .order_hat = 3,
    .fsal = true,
    .a = sdirk4a_a,
    .b = sdirk4a_b,
    .e = sdirk4a_e,
    .c = sdirk4a_c,
    .dense_order = 3,
};

/* ---- sdirk4b ---------------------------------------------------------------------------------------------- */

static const sens_real sdirk4b_a[6 * 6] = {
    [1 * 6] = 0,
    0.25,
    [2 * 6] = 0,
    0.5,
    0.25,
    [3 * 6] = 0,
    SENS_Q(17, 50),
    SENS_Q(-1, 25),
    0.25,
    [4 * 6] = 0,
    SENS_Q(371, 1360),
    SENS_Q(-137, 2720),
    SENS_Q(75, 2720),
    0.25,
    [5 * 6] = 0,
    SENS_Q(25, 24),
    SENS_Q(-49, 48),
    SENS_Q(125, 16),
    SENS_Q(-85, 12),
    0.25,
};
static const sens_real sdirk4b_b[6] = {0,   SENS_Q(25, 24), SENS_Q(-49, 48), SENS_Q(125, 16), SENS_Q(-85, 12),
                                       0.25};
static const sens_real sdirk4b_e[6] = {0, SENS_Q(-3, 16), SENS_Q(-27, 32), SENS_Q(25, 32), 0, 0.25};
static const sens_real sdirk4b_c[6] = {0, 0.25, 0.75, SENS_Q(11, 20), 0.5, 1};

const struct sens_tableau sens_tableau_sdirk4b = {
    .name = "sdirk4b",
    .summary = "SDIRK 4(3) in five stages, L-stable; gamma = 1/4",
    .source = "Hairer & Wanner, Solving ODEs II, table IV.6.5",
    .family = SENS_FAMILY_DIRK,
    .stages = 6,
    .order = 4,
    .order_hat = 3,
    .fsal = true,
    .a = sdirk4b_a,
    .b = sdirk4b_b,
    .e = sdirk4b_e,
    .c = sdirk4b_c,
    .dense_order = 3,
};

/* ---- the list ------------------------------------------------------------------------------------------ */

const struct sens_tableau *const sens_implicit_tableaux[] = {
#define TABLEAU_ENTRY(name) &sens_tableau_##name,
    SENS_IMPLICIT_LIST(TABLEAU_ENTRY) NULL,
#undef TABLEAU_ENTRY
};
