/* harness/contender/contender.h - programs of any language as methods.
 *
 * A contender is a program that speaks the protocol of docs/adding-a-contender.md: lines of JSON on its standard input
 * and output. It is started without a shell, by the name of its file, and says what it is; its method then stands
 * beside those of the tree, in every command. Each solve has a process of its own, which is given the problem and asked
 * to run as often as there are samples. What it sends is data, and taken on trust in nothing: shapes, numbers, lengths
 * and its clock are checked, and what is wrong ends with a status and a sentence. */
#ifndef CONTENDER_CONTENDER_H
#define CONTENDER_CONTENDER_H

#include "refuse.h"

/* Starts the program for a moment, and adds its method to every variant until the process ends. To be called before any
 * registry is looked at. false: it cannot be run, does not answer, or offers no method, or a name that is taken. */
bool contender_load(const char *path, struct bench_error *error);

#endif
