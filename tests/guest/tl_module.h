/* SPDX-License-Identifier: GPL-2.0-only */
/* What is left of the module's users: files that hold it, memory, all that works. */
#ifndef TESTS_GUEST_TL_MODULE_H
#define TESTS_GUEST_TL_MODULE_H

#include "tl.h"

/** module_reload() - unload it, load it with these parameters; ends the test if
 * that fails
 */
void module_reload(const char *parameters);
/** module_references() - files and mappings that hold the module; -1: it is not
 * loaded
 */
int module_references(void);
/** module_references_wait() - until there are so many, for a second */
bool module_references_wait(int count);
/**
 * module_capacity() - how many smallest sessions the limit of the rings' memory
 * has room for; load the module with a small one (ring_mib_max) before
 */
unsigned int module_capacity(void);
/** module_check_works() - a whole session, with @calls calls that are recorded */
bool module_check_works(uint64_t address, unsigned int calls);

#endif
