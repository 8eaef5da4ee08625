/* harness/base/locate.h - where the program and its data are. */
#ifndef BASE_LOCATE_H
#define BASE_LOCATE_H

#include <stdbool.h>

enum { DATA_PLACES = 2, DATA_PATH = 4096 };
/* The folder of the running program, for libsensbench.so that of the program it was built or installed with; "." where
 * the system does not say. */
void program_folder(char path[DATA_PATH]);
/* A folder of the program's own data, best place first: 0 = installed, wherever the tree was moved to; 1 =
 * the source tree it was built from. false: not there. */
bool data_folder(int place, const char *installed, const char *in_source, char path[DATA_PATH]);

#endif
