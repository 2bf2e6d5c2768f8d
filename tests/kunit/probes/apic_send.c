// SPDX-License-Identifier: GPL-2.0-only
/* Linux 6.6: functions instead of the pointers of struct apic. */
#include <asm/apic.h>

void tl_probe(void);
void tl_probe(void)
{
	__apic_send_IPI_mask(cpu_online_mask, NMI_VECTOR);
}
