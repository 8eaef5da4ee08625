/* The estimate: what is left takes as long for each unit as what is done, but not longer than the budget. */
#include "progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "machine.h"
#include "seconds.h"
#include "streams.h"

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

void progress_start(struct progress *progress, size_t total, double budget)
{
    *progress = (struct progress){
        .shown = isatty(STDERR_FILENO) != 0, .start = seconds_now(), .budget = budget, .total = total};
}

double progress_elapsed(const struct progress *progress)
{
    return seconds_now() - progress->start;
}

static void print_clock(char *text, size_t size, double seconds)
{
    const long whole = (long)(seconds + 0.5);
    snprintf(text, size, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
}

/* Bytes for the terminal to obey: not through our_stderr(), which would show them. */
void progress_hide(const struct progress *progress)
{
    if (progress->shown) fputs("\r\033[K", stderr);
}

void progress_step(struct progress *progress, const char *text)
{
    const double elapsed = progress_elapsed(progress);
    char left[32] = "?", line[512];
    if (progress->done > 0) {
        double seconds = elapsed / (double)progress->done * (double)(progress->total - progress->done);
        if (progress->budget > 0 && seconds > progress->budget - elapsed)
            seconds = progress->budget - elapsed;
        print_clock(left, sizeof left, seconds > 0 ? seconds : 0);
    }
    progress->done++;
    if (!progress->shown) return;
    snprintf(line, sizeof line, "%zu/%zu, %s left  %s", progress->done, progress->total, left, text);
    progress_hide(progress);
    fprintf(our_stderr(), "%.*s", terminal_width() - 1, line);
}

void progress_end(struct progress *progress)
{
    progress_hide(progress);
    progress->shown = false;
}
