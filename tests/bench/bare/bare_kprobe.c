// SPDX-License-Identifier: GPL-2.0-only
/* A kprobe with an empty handler on the function that parameter "symbol" names. */
#include <linux/kprobes.h>
#include <linux/module.h>

static char *symbol = "";
module_param(symbol, charp, 0400);
MODULE_PARM_DESC(symbol, "Function to probe");

static int bare_handler(struct kprobe *kp, struct pt_regs *regs)
{
	return 0;
}
NOKPROBE_SYMBOL(bare_handler);

static struct kprobe bare = {
	.pre_handler = bare_handler,
};

static int __init bare_init(void)
{
	bare.symbol_name = symbol;
	return register_kprobe(&bare);
}

static void __exit bare_exit(void)
{
	unregister_kprobe(&bare);
}

module_init(bare_init);
module_exit(bare_exit);
MODULE_DESCRIPTION("A kprobe that does nothing, the floor of trapline's benchmark");
MODULE_LICENSE("GPL");
