/* What the rows say of the paper: tables, speed, verdicts. */
#include "paper.h"

#include <string.h>

#include "statements.h"

bool paper_compares(const struct record *row)
{
    const char *sweep = row->text[COL_sweep];
    return strcmp(sweep, "fig2") == 0 || strcmp(sweep, "fig4") == 0 || strncmp(sweep, "peers-", 6) == 0;
}

/* Whether a sweep is there that statements speak of. */
static bool is_concerned(const struct summary *summary)
{
    static const char *const sweeps[] = {"table1", "table2", "table3",    "fig2", "fig3",
                                         "fig4",   "fig5",   "tolerance", NULL};
    static const struct row_query any = {.sweep = NULL};
    size_t cursor = 0;
    for (const struct record *row; (row = summary_next(summary, &any, &cursor));) {
        if (paper_compares(row)) return true;
        for (size_t i = 0; sweeps[i]; i++)
            if (strcmp(row->text[COL_sweep], sweeps[i]) == 0) return true;
    }
    return false;
}

static void judge(struct paper *paper)
{
    paper_judge_heat(paper);
    paper_judge_vdp(paper);
    paper_judge_glv(paper);
    paper_judge_peers(paper);
}

/* A closed form is the one thing that may not come out otherwise. */
static bool required_hold(const struct paper *paper)
{
    for (size_t i = 0; i < paper->statements; i++)
        if (paper->statement[i].required && paper->statement[i].verdict == VERDICT_NOT_REPRODUCED)
            return false;
    return true;
}

static void print_statements(const struct paper *paper, FILE *out)
{
    size_t count[3] = {0};
    if (paper->statements == 0) return;
    fputs("\n## Published statements\n\n", out);
    for (size_t i = 0; i < paper->statements; i++) {
        const struct statement *statement = &paper->statement[i];
        count[statement->verdict]++;
        fprintf(out, "- %s: %s.\n  %s%s: %s\n", statement->section, statement->text,
                verdict_name(statement->verdict),
                statement->required && statement->verdict == VERDICT_NOT_REPRODUCED ? " (REQUIRED)" : "",
                statement->number);
    }
    fprintf(out, "\n%zu reproduced, %zu not reproduced, %zu not testable.\n", count[VERDICT_REPRODUCED],
            count[VERDICT_NOT_REPRODUCED], count[VERDICT_NOT_TESTABLE]);
}

bool paper_print(const struct summary *summary, FILE *out)
{
    struct paper paper = {.rows = summary};
    if (is_concerned(summary)) {
        judge(&paper);
        paper_print_tables(summary, out);
    }
    if (is_concerned(summary) || summary_find(summary, &(struct row_query){.sweep = "scaling"}))
        paper_print_performance(summary, out);
    print_statements(&paper, out);
    return required_hold(&paper);
}

bool paper_json(const struct summary *summary, json_t *object)
{
    struct paper paper = {.rows = summary};
    json_t *statements = json_array();
    if (is_concerned(summary)) judge(&paper);
    for (size_t i = 0; i < paper.statements; i++) {
        const struct statement *statement = &paper.statement[i];
        json_t *item = json_object();
        json_object_set_new(item, "section", json_string(statement->section));
        json_object_set_new(item, "statement", json_string(statement->text));
        json_object_set_new(item, "verdict", json_string(verdict_name(statement->verdict)));
        json_object_set_new(item, "number", json_string(statement->number));
        json_object_set_new(item, "required", json_boolean(statement->required));
        json_array_append_new(statements, item);
    }
    json_object_set_new(object, "tables", paper_tables_json(summary));
    json_object_set_new(object, "performance", paper_performance_json(summary));
    json_object_set_new(object, "statements", statements);
    return required_hold(&paper);
}
