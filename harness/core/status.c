/* The text of every status, from the one list in sens/status.h. */
#include <string.h>

#include "sens/status.h"

static const struct {
    sens_status status;
    const char *name, *message;
} statuses[] = {
#define STATUS_ROW(code, value, class, name, message) {code, name, message},
    SENS_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};
enum { STATUS_COUNT = sizeof statuses / sizeof statuses[0] };

const char *sens_status_name(sens_status status)
{
    for (int i = 0; i < STATUS_COUNT; i++)
        if (statuses[i].status == status) return statuses[i].name;
    return "unknown";
}

const char *sens_status_message(sens_status status)
{
    for (int i = 0; i < STATUS_COUNT; i++)
        if (statuses[i].status == status) return statuses[i].message;
    return "unknown status";
}

int sens_status_from_name(const char *name, sens_status *status)
{
    for (int i = 0; i < STATUS_COUNT; i++)
        if (strcmp(statuses[i].name, name) == 0) {
            *status = statuses[i].status;
            return 1;
        }
    return 0;
}
