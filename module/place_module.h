/* SPDX-License-Identifier: GPL-2.0-only */
/* Places that follow their module: armed when it comes, disarmed when it goes. */
#ifndef TL_PLACE_MODULE_H
#define TL_PLACE_MODULE_H

#include "place.h"

int tl_place_find(struct tl_place *place);
void tl_places_open(struct tl_places *places);
void tl_places_close(struct tl_places *places);
int tl_place_module_init(void);
void tl_place_module_exit(void);

#endif
