# SPDX-License-Identifier: GPL-2.0-only
#
# trapline: the module, its library and command, guests to try them in.
# "make help" lists what can be made.

KERNEL ?= 6.1
KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local

.PHONY: all module userspace install modules_install demo shell bench \
	check check-static check-unit check-guest deps clean help

all: module userspace

help:
	@echo 'For the kernel you are running:'
	@echo '  make                  module (trapline.ko), library and command'
	@echo '  make module           trapline.ko for KDIR=$(KDIR)'
	@echo '  make userspace        build/trapline, build/libtrapline.{a,so.1}'
	@echo '  make install          library and command into PREFIX=$(PREFIX)'
	@echo '  make modules_install  trapline.ko into /lib/modules'
	@echo
	@echo 'In a guest with a stock Debian kernel (QEMU, nothing is installed'
	@echo 'but the packages that are needed; KERNEL=6.1 or 6.12):'
	@echo '  make demo             boot, load, trace a real workload'
	@echo '  make shell            boot, load, give a prompt'
	@echo '  make bench            instructions and bytes of one event'
	@echo
	@echo 'Tests:'
	@echo '  make check            all of them, on all kernels'
	@echo '  make check-static     style, layers, sparse, checkpatch, arm64'
	@echo '  make check-unit       native tests'
	@echo '  make check-guest      tests in a guest, KERNEL=$(KERNEL)'
	@echo '  make deps             install the packages that all this needs'

# Objects of the module for the running kernel go to build/host.
module:
	@test -e "$(KDIR)/Makefile" || { \
	  echo "no kernel headers in $(KDIR): install linux-headers-$$(uname -r), or set KDIR" >&2; \
	  echo "(without them: make userspace, make demo, make shell)" >&2; \
	  exit 1; }
	qemu/build-module --kernel-build-dir "$(KDIR)" host
	@cp build/host/trapline.ko build/trapline.ko
	@echo '  build/trapline.ko'

userspace:
	@$(MAKE) --no-print-directory -C userspace

install: userspace
	@$(MAKE) --no-print-directory -C userspace install PREFIX=$(PREFIX)

modules_install:
	$(MAKE) -C "$(KDIR)" M="$(CURDIR)/build/host/src" modules_install

deps:
	@qemu/deps install build guest check

demo:
	@KERNEL=$(KERNEL) qemu/demo

shell:
	@qemu/deps install build guest
	@$(MAKE) --no-print-directory userspace
	@qemu/shell --kernel $(KERNEL)

bench:
	@KERNEL=$(KERNEL) tests/bench/run

check: deps userspace
	@tests/run

check-static: deps
	@tests/run static

check-unit: deps
	@tests/run unit

check-guest: deps userspace
	@tests/run guest/$(KERNEL)

clean:
	rm -rf build
