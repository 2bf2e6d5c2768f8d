# SPDX-License-Identifier: GPL-2.0-only
#
# trapline: the module, its library and command, guests to try them in.
# "make help" lists what can be made.

KERNEL ?= 6.1
KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local

.PHONY: all module userspace install modules_install demo shell bench \
	bench-ring check check-long check-static check-unit check-ring \
	check-fuzz check-build check-guest check-kunit check-debug check-net \
	coverage kernels kernels-long deps clean help

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
	@echo 'but the packages that are needed; KERNEL=6.1, 6.12, 7.3):'
	@echo '  make demo             boot, load, trace a real workload'
	@echo '  make shell            boot, load, give a prompt'
	@echo '  make bench            instructions and bytes of one event'
	@echo '  make bench-ring       the ring alone, outside a guest: ns a record'
	@echo
	@echo 'Tests (KERNEL=a name of "qemu/run --list"; all logs: build/logs/tests):'
	@echo '  make check            all of them, on the kernels of each day'
	@echo '  make check-long       all of them, on all kernels, as deep as they go: hours'
	@echo '  make check-static     style, layers, sparse, checkpatch, arm64'
	@echo '  make check-unit       native tests'
	@echo '  make check-ring       the ring: search, planted faults, model, stress'
	@echo '  make check-fuzz       any input to verifier, interpreter, decoder, parsers'
	@echo '  make check-build      the module without a warning for each kernel'
	@echo '  make check-guest      tests in a guest, KERNEL=$(KERNEL)'
	@echo '  make check-kunit      KUnit suites, on all kernels'
	@echo '  make check-debug      all that runs on the debug kernel'
	@echo '  make check-net        planted bugs, each of which a debug kernel must report'
	@echo '  make coverage         lines of the module and of userspace that the tests run'
	@echo '  make kernels          fetch or build the kernels that are not there yet'
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
	@qemu/deps install build guest check kernel fuzz

demo:
	@KERNEL=$(KERNEL) qemu/demo

shell:
	@qemu/deps install build guest
	@$(MAKE) --no-print-directory userspace
	@qemu/shell --kernel $(KERNEL)

bench:
	@KERNEL=$(KERNEL) tests/bench/run

bench-ring:
	@tests/bench/ring_run

# What takes long the first time says so, before the tests begin.
kernels: deps
	@qemu/fetch --missing $$(qemu/run --list check | cut -f1)

kernels-long: kernels
	@qemu/fetch --missing $$(qemu/run --list long | cut -f1)

check: deps kernels userspace
	@tests/run

check-long: deps kernels-long userspace
	@tests/run --long

check-static: deps
	@tests/run static

check-unit: deps
	@tests/run unit

check-ring: deps
	@tests/run unit/ring unit/ring_header unit/ring_reader unit/ring_snapshot \
		unit/ring_nest unit/mutants model stress bench/ring

check-fuzz: deps
	@tests/run fuzz

check-build: deps kernels
	@tests/run build

check-guest: deps userspace
	@tests/run guest/$(KERNEL)

check-kunit: deps kernels
	@tests/run kunit

check-debug: deps kernels userspace
	@tests/run guest/6.12-debug kunit/6.12-debug

check-net: deps userspace
	@tests/run --long net

coverage: deps kernels userspace
	@tests/coverage/user
	@tests/coverage/kernel

clean:
	rm -rf build
