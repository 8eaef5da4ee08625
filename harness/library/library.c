/* Settings and runs of a handle: see sens/sensbench.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "build_info.h"
#include "handle.h"
#include "machine.h"
#include "measure.h"
#include "model.h"
#include "modules.h"

const char *sensbench_version(void)
{
    return SENS_VERSION_TEXT;
}

/* ---- handles ------------------------------------------------------------------------------------------- */

/* What a change of settings makes void. */
static void forget(struct sensbench *sb)
{
    sens_arena_release(&sb->ctx.arena);
    sb->ctx = (struct sens_ctx){.now = NULL};
    sb->out = (struct sens_out){.x = NULL};
    sb->stage = STAGE_SET;
}

/* The outcome of a call; without a sentence, that of the status. */
static sens_status finish(struct sensbench *sb, sens_status status)
{
    if (status == SENS_OK)
        sb->error.text[0] = '\0';
    else if (!sb->error.text[0])
        bench_refuse(&sb->error, "%s", sens_status_message(status));
    sb->status = status;
    return status;
}

struct sensbench *sensbench_create(void)
{
    struct sensbench *sb = calloc(1, sizeof *sb);
    struct record *rec = record_create();
    if (sb && rec) {
        sb->rec = rec;
        return sb;
    }
    free(sb);
    free(rec);
    return NULL;
}

void sensbench_destroy(struct sensbench *sb)
{
    if (!sb) return;
    forget(sb);
    spec_free(&sb->spec);
    for (int k = 0; k < 2; k++) free(sb->numbers[k].owned);
    free(sb->rec);
    free(sb);
}

sens_status sensbench_status(const struct sensbench *sb)
{
    return sb->status;
}

const char *sensbench_message(const struct sensbench *sb)
{
    return sb->error.text;
}

/* ---- settings ------------------------------------------------------------------------------------------ */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

sens_status sensbench_load(struct sensbench *sb, const char *path)
{
    void *const former = number_locale_enter();
    process_lock();
    sb->error.text[0] = '\0';
    sens_status status = process_begin(&sb->error);
    if (status == SENS_OK &&
        !(ends_with(path, ".so") ? plugin_load(path, &sb->error) : models_load(path, &sb->error)))
        status = SENS_BAD_INPUT;
    process_unlock();
    number_locale_leave(former);
    return finish(sb, status);
}

sens_status sensbench_set(struct sensbench *sb, const char *key, const char *value)
{
    sb->error.text[0] = '\0';
    forget(sb);
    if (!key) return bench_refuse(&sb->error, "setting: its name is NULL"), finish(sb, SENS_BAD_INPUT);
    if (!value) {
        spec_unset(&sb->spec, key);
        return finish(sb, SENS_OK);
    }
    return finish(sb, spec_set(&sb->spec, key, value, "setting", &sb->error) ? SENS_OK : SENS_BAD_INPUT);
}

sens_status sensbench_set_numbers(struct sensbench *sb, const char *key, size_t count, const double *value)
{
    const bool p = key && strcmp(key, "p") == 0, x0 = key && strcmp(key, "x0") == 0;
    struct spec_numbers *const numbers = &sb->numbers[x0];
    sb->error.text[0] = '\0';
    forget(sb);
    if (!p && !x0) {
        bench_refuse(&sb->error, "setting: '%.80s' is neither p nor x0", key ? key : "NULL");
        return finish(sb, SENS_BAD_INPUT);
    }
    for (size_t k = 0; value && k < count; k++)
        if (!isfinite(value[k])) {
            bench_refuse(&sb->error, "setting: %s[%zu] = %g is not finite", key, k, value[k]);
            return finish(sb, SENS_BAD_INPUT);
        }
    double *const copy = value ? malloc((count ? count : 1) * sizeof *copy) : NULL;
    if (value && !copy) return finish(sb, SENS_NO_MEMORY);
    if (value && count) memcpy(copy, value, count * sizeof *copy);
    free(numbers->owned);
    *numbers = (struct spec_numbers){.owned = copy, .count = count};
    return finish(sb, SENS_OK);
}

/* ---- from settings to results -------------------------------------------------------------------------- */

/* Under the lock: models are read, modules loaded, products compiled. */
static sens_status resolve(struct sensbench *sb)
{
    sens_status status = process_begin(&sb->error);
    machine_prepare(&sb->ctx, false);
    sb->spec.p = sb->numbers[0];
    sb->spec.x0 = sb->numbers[1];
    if (status == SENS_OK) status = cell_resolve(&sb->ctx, &sb->spec, &sb->cell, &sb->error);
    if (status != SENS_OK) return status;
    if (sb->cell.product != TIMED_RUN) {
        bench_refuse(&sb->error, "setting: product: a run is what a library gives");
        return SENS_BAD_INPUT;
    }
    record_clear(sb->rec);
    measure_describe(&sb->cell, sb->rec);
    return labels_find(&sb->ctx, &sb->cell.problem, &sb->labels);
}

static sens_status prepare(struct sensbench *sb)
{
    if (sb->stage >= STAGE_PREPARED) return SENS_OK;
    process_lock();
    const sens_status status = resolve(sb);
    process_unlock();
    if (status != SENS_OK) {
        forget(sb);
        return status;
    }
    sb->stage = STAGE_PREPARED;
    sb->prepared = sens_arena_mark(&sb->ctx.arena);
    return status;
}

static sens_status run(struct sensbench *sb)
{
    static const struct measure_options once = {.bare = true};
    sens_status status = prepare(sb);
    if (status != SENS_OK) return status;
    const bool alone = process_takes_turns(&sb->cell);
    record_clear(sb->rec);
    sb->stage = STAGE_PREPARED;
    sens_arena_rewind(&sb->ctx.arena, sb->prepared); /* the results of the run before */
    if (alone) process_lock();
    status = measure_cell(&sb->ctx, &sb->cell, &once, sb->rec, &sb->out);
    if (alone) process_unlock();
    if (status == SENS_OK)
        sb->stage = STAGE_RUN;
    else
        sens_arena_rewind(&sb->ctx.arena, sb->prepared);
    if (status != SENS_OK) bench_refuse(&sb->error, "%s", sb->rec->text[COL_message]);
    return status;
}

static sens_status in_plain_locale(struct sensbench *sb, sens_status (*work)(struct sensbench *sb))
{
    void *const former = number_locale_enter();
    sb->error.text[0] = '\0';
    const sens_status status = work(sb);
    number_locale_leave(former);
    return finish(sb, status);
}

sens_status sensbench_prepare(struct sensbench *sb)
{
    return in_plain_locale(sb, prepare);
}

sens_status sensbench_run(struct sensbench *sb)
{
    return in_plain_locale(sb, run);
}

/* ---- results ------------------------------------------------------------------------------------------- */

static const double *shaped(const double *array, size_t r, size_t c, size_t *rows, size_t *cols)
{
    if (rows) *rows = array ? r : 0;
    if (cols) *cols = array ? c : 0;
    return array;
}

const double *sensbench_array(const struct sensbench *sb, const char *name, size_t *rows, size_t *cols)
{
    const struct sens_problem *const pb = &sb->cell.problem;
    const bool prepared = sb->stage >= STAGE_PREPARED;
    if (prepared && strcmp(name, "p") == 0) return shaped(pb->p, pb->np, 1, rows, cols);
    if (prepared && strcmp(name, "x0") == 0) return shaped(pb->x0, pb->n, 1, rows, cols);
    for (enum sens_part k = 0; sb->stage == STAGE_RUN && k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = cell_part(&sb->cell, k);
        if (strcmp(name, shape.name) == 0) return shaped(sb->out.part[k], shape.rows, shape.cols, rows, cols);
    }
    return shaped(NULL, 0, 0, rows, cols);
}

double sensbench_number(const struct sensbench *sb, const char *name)
{
    for (int c = 0; sb->stage >= STAGE_PREPARED && c < COLUMN_COUNT; c++)
        if (record_column_info[c].kind != COLUMN_TEXT && strcmp(name, record_column_info[c].name) == 0)
            return sb->rec->number[c];
    return NAN;
}

const char *sensbench_name(const struct sensbench *sb, const char *kind, size_t index)
{
    if (sb->stage < STAGE_PREPARED) return NULL;
    if (strcmp(kind, "x") == 0 && index < sb->cell.problem.n) return sb->labels.state[index];
    if (strcmp(kind, "p") == 0 && index < sb->cell.problem.np) return sb->labels.parameter[index];
    return NULL;
}
