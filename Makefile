# Every command a person types. `make help` lists them.
#
# Programs land in build/, images and results in out/, slow builds in the cache outside the clone.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
# A -j on the command line wins over this; a make within make shares the jobs of the outer one.
ifeq (0,$(MAKELEVEL))
MAKEFLAGS += -j$(shell nproc)
endif

VERSION ?= 0.1.0
PROFILE ?= default
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/keelson
THIRD_PARTY := image/third_party

# What a person names is looked for before anything is installed or built.
ifneq (,$(filter image run test-vm test-reproducible,$(MAKECMDGOALS)))
$(if $(shell [ -f "configs/images/$(PROFILE).yaml" ] && echo there),,$(error PROFILE=$(PROFILE): expected one of: $(basename $(notdir $(wildcard configs/images/*.yaml)))))
$(if $(KUBERNETES),$(if $(shell [ -f "$(KUBERNETES)" ] && echo there),,$(error KUBERNETES=$(KUBERNETES): expected an archive, found none)))
endif

WARNINGS := -Wall -Wextra -Wconversion -Werror -Wno-format-truncation
CFLAGS_COMMON := -std=c17 -D_GNU_SOURCE $(WARNINGS) -Iinit -Iimage -DKEELSON_VERSION='"$(VERSION)"' -MMD -MP

# ---- sources: a folder's files belong to the program that the design names for it
LIB_SRC := $(wildcard init/lib/*.c)
INIT_SRC := init/main.c $(wildcard init/boot/*.c init/supervise/*.c)
KEELSON_SRC := init/keelson.c $(wildcard init/config/*.c init/network/*.c init/storage/*.c init/cluster/*.c init/upgrade/*.c init/api/*.c)
MKIMAGE_SRC := $(filter-out image/oci/pause.c,$(wildcard image/*.c image/*/*.c))
UNIT_SRC := $(wildcard tests/unit/*/*_test.c)

# ---- shipped programs: static, musl
LIBRARIES := build/libraries
MUSL_CC := $(THIRD_PARTY)/musl_cc.sh
# musl's ioctl takes an int, so every _IOR() would be a sign conversion; the check builds look at those.
MUSL_CFLAGS := $(CFLAGS_COMMON) -Wno-sign-conversion -Os -ffunction-sections -fdata-sections -fstack-protector-strong -fno-asynchronous-unwind-tables -isystem $(LIBRARIES)/include
MUSL_LDFLAGS := -static -Wl,--gc-sections -Wl,-z,noexecstack -L$(LIBRARIES)/lib
KEELSON_LIBS := -lcurl -lssl -lcrypto -lyaml -ljansson -larchive -lfdisk -lblkid -luuid -lz -llzma -lzstd
MKIMAGE_LIBS := -larchive -lcrypto -lfdisk -lblkid -luuid -lyaml -ljansson -lz -llzma -lzstd

obj = $(patsubst %.c,build/obj/%.o,$(1))

# ---- checked programs: the same sources with glibc, ASan and UBSan
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CHECK_CFLAGS := $(CFLAGS_COMMON) -O1 -g $(SANITIZE) -DUNIT_TESTS -Itests
CHECK_LIBS := -lcmocka -lcurl -lssl -lcrypto -lyaml -ljansson -larchive -lfdisk -lblkid -luuid -lz
check = $(patsubst %.c,build/check/%.o,$(1))
CHECK_SRC := $(filter-out init/main.c init/keelson.c image/mkimage.c,$(LIB_SRC) $(INIT_SRC) $(KEELSON_SRC) $(MKIMAGE_SRC))
UNIT_TESTS := $(patsubst tests/unit/%.c,build/unit/%,$(UNIT_SRC)) build/unit/fuzz_corpus

.PHONY: all
all: build/init build/keelson build/mkimage ## Build init, keelson and mkimage (static, musl)

.PHONY: help
help: ## List every target
	@awk -F ':.*## ' '/^[a-z][a-z_.-]*:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: deps
deps: ## Install what build and tests need from Debian (asks first when not root)
	@image/third_party/install_deps.sh

# build/libraries points into the cache: nothing is written there, and a cache that was emptied is filled again.
$(if $(wildcard $(LIBRARIES)/built),,$(shell rm -f $(LIBRARIES).made))
$(LIBRARIES).made: $(wildcard $(THIRD_PARTY)/*librar*.sh $(THIRD_PARTY)/recipes/*.sh) $(THIRD_PARTY)/versions $(MUSL_CC)
	@mkdir -p build
	@prefix=$$($(THIRD_PARTY)/build_libraries.sh) && ln -sfn "$$prefix" $(LIBRARIES)
	@touch $@

build/obj/%.o: %.c | $(LIBRARIES).made
	@mkdir -p $(@D)
	@echo "  CC      $<"
	@$(MUSL_CC) $(MUSL_CFLAGS) -c $< -o $@

build/lib.a: $(call obj,$(LIB_SRC))
	@rm -f $@
	@ar rcsD $@ $^

build/init: $(call obj,$(INIT_SRC)) build/lib.a
	@echo "  LINK    $@"
	@$(MUSL_CC) $(MUSL_LDFLAGS) -Wl,-z,noseparate-code -s $^ -o $@ # without 8 KiB of padding between segments
	@size=$$(stat -c %s $@); [ $$size -le 131072 ] || { echo "build/init: expected at most 131072 bytes, found $$size" >&2; rm -f $@; exit 1; }

build/keelson: $(call obj,$(KEELSON_SRC)) build/lib.a
	@echo "  LINK    $@"
	@$(MUSL_CC) $(MUSL_LDFLAGS) -s $^ $(KEELSON_LIBS) -o $@

build/mkimage: $(call obj,$(MKIMAGE_SRC)) build/lib.a
	@echo "  LINK    $@"
	@$(MUSL_CC) $(MUSL_LDFLAGS) -s $^ $(MKIMAGE_LIBS) -o $@

# The program of the image keelson/base.
build/pause: image/oci/pause.c $(MUSL_CC)
	@mkdir -p build
	@echo "  CC      $<"
	@$(MUSL_CC) $(CFLAGS_COMMON) -Os -static -s $< -o $@

# ---- images
.PHONY: kubernetes
kubernetes: ## Build the Kubernetes archive, or take KUBERNETES=path to an official one; unpack it to build/kubernetes
	@[ -z "$(KUBERNETES)" ] || [ -f "$(KUBERNETES)" ] || { echo "make kubernetes: expected an archive $(KUBERNETES), found none" >&2; exit 1; }
	@archive=$${KUBERNETES:-$$($(THIRD_PARTY)/build_kubernetes.sh server)}; $(THIRD_PARTY)/unpack_kubernetes.sh "$$archive" build

# Images are dated by the last commit, so that the same commit gives the same bytes.
MKIMAGE := SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} build/mkimage
SUITE = $(shell awk '$$1 == "suite:" { print $$2 }' configs/images/default.yaml)

.PHONY: image
image: build/init build/keelson build/mkimage build/pause ## Make out/keelson-VERSION-amd64.{raw,qcow2} (PROFILE=default|qemu, LOCKED=1, IMAGES="agnhost=FILE …")
	@kubernetes=$${KUBERNETES:-$$($(THIRD_PARTY)/build_kubernetes.sh server)}; busybox=$$($(THIRD_PARTY)/build_busybox.sh); apt=$$($(THIRD_PARTY)/apt_root.sh $(SUITE)); \
	$(MKIMAGE) build --profile "$(PROFILE)" --version "$(VERSION)" --kubernetes "$$kubernetes" --busybox "$$busybox" --apt-conf "$$apt" $(if $(LOCKED),--locked) $(addprefix --image ,$(IMAGES))

.PHONY: lock
lock: build/mkimage ## Accept the Debian packages that the archive has now: configs/images/*.lock
	@apt=$$($(THIRD_PARTY)/apt_root.sh $(SUITE)); for profile in default qemu; do $(MKIMAGE) lock --profile $$profile --apt-conf "$$apt"; done

# ---- tests
build/check/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CHECK   $<"
	@gcc $(CHECK_CFLAGS) -c $< -o $@

build/check.a: $(call check,$(CHECK_SRC))
	@rm -f $@
	@ar rcsD $@ $^

build/unit/%: build/check/tests/unit/%.o build/check.a
	@mkdir -p $(@D)
	@echo "  LINK    $@"
	@gcc $(SANITIZE) $^ $(CHECK_LIBS) -o $@

.PHONY: test-unit
test-unit: $(UNIT_TESTS) ## Run the unit tests (glibc, ASan, UBSan)
	@tests/unit/run.sh $(UNIT_TESTS)

# ---- what the unit tests would notice: their objects are taken, all else lands in build/mutants
.PHONY: test-mutants
test-mutants: export MUTANT_CFLAGS = $(filter-out -MMD -MP $(WARNINGS) -O1 -g,$(CHECK_CFLAGS))
test-mutants: export MUTANT_LIBS = $(CHECK_LIBS)
test-mutants: export MUTANT_CHECK_SRC = $(CHECK_SRC)
test-mutants: export MUTANT_UNIT_SRC = $(UNIT_SRC)
test-mutants: $(call check,$(CHECK_SRC) $(UNIT_SRC) $(wildcard tests/mutants/example/*.c)) ## Change 100 conditions, one at a time: the unit tests notice 90 (root; SEED=n; 5 minutes)
	@$(PYTHON) tests/mutants/test_mutants.py

# ---- the real supervisor as PID 1 of a namespace on this machine
SIM_TABLE_SRC := tests/sim/make_table.c $(addprefix init/lib/,service.c nearest.c service_file.c service_keys.c service_value.c service_words.c check_services.c service_table.c buf.c file.c err.c)

build/sim/make_table: $(SIM_TABLE_SRC)
	@mkdir -p $(@D)
	@gcc $(filter-out -MMD -MP,$(CFLAGS_COMMON)) -O1 $^ -o $@

build/sim/act: tests/sim/act.c
	@mkdir -p $(@D)
	@$(MUSL_CC) $(filter-out -MMD -MP,$(MUSL_CFLAGS)) $(MUSL_LDFLAGS) -s $^ -o $@

build/sim/namespace_init: tests/sim/namespace_init.c $(call obj,$(wildcard init/supervise/*.c)) build/lib.a
	@mkdir -p $(@D)
	@$(MUSL_CC) $(filter-out -MMD -MP,$(MUSL_CFLAGS)) $(MUSL_LDFLAGS) -Wl,--wrap=close -s $^ -o $@

.PHONY: test-init
test-init: build/sim/make_table build/sim/act build/sim/namespace_init ## Run init's supervisor as PID 1 in namespaces here (root)
	@$(PYTHON) -m pytest -c tests/pytest.ini -m "not long" tests/sim

.PHONY: test-init-long
test-init-long: build/sim/make_table build/sim/act build/sim/namespace_init ## The same with every system call failing in every way (10 minutes)
	@$(PYTHON) -m pytest -c tests/pytest.ini tests/sim

# ---- fuzzing: the same sources with clang, one program a target, its corpus beside it
FUZZ_CFLAGS = -std=c17 -D_GNU_SOURCE -Iinit -Iimage -Itests -DKEELSON_VERSION='"$(VERSION)"' -MMD -MP -O1 -g -w -fsanitize=address,undefined -fno-sanitize-recover=all
FUZZ_LINK = clang -fsanitize=fuzzer,address,undefined $^ $(filter-out -lcmocka,$(CHECK_LIBS)) -o $@
FUZZ_SECONDS ?= 60
FUZZ_TARGETS := $(sort $(patsubst tests/fuzz/%_fuzz.c,%,$(wildcard tests/fuzz/*_fuzz.c)))

build/fuzz/%.o: %.c
	@mkdir -p $(@D)
	@echo "  FUZZ    $<"
	@clang $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -c $< -o $@

build/fuzz.a: $(patsubst %.c,build/fuzz/%.o,$(CHECK_SRC))
	@rm -f $@
	@ar rcsD $@ $^

build/fuzz/bin/%: build/fuzz/tests/fuzz/%_fuzz.o build/fuzz.a
	@mkdir -p $(@D)
	@echo "  LINK    $@"
	@$(FUZZ_LINK)

.PHONY: fuzz
fuzz: $(addprefix build/fuzz/bin/,$(FUZZ_TARGETS)) ## Fuzz every parser of foreign bytes for FUZZ_SECONDS each; finds land in out/fuzz (FUZZ_TARGETS="gpt lease")
	@for t in $(FUZZ_TARGETS); do mkdir -p out/fuzz/$$t; echo "fuzz $$t"; build/fuzz/bin/$$t -max_total_time=$(FUZZ_SECONDS) -timeout=25 \
		-artifact_prefix=out/fuzz/$$t- out/fuzz/$$t tests/fuzz/corpus/$$t >out/fuzz/$$t.log 2>&1 || { tail -n 40 out/fuzz/$$t.log; exit 1; }; tail -n 1 out/fuzz/$$t.log; done

# One input for each thing that a parser does, not for each time that it does it: that keeps a corpus small.
.PHONY: fuzz-corpus
fuzz-corpus: $(addprefix build/fuzz/bin/,$(FUZZ_TARGETS)) ## Keep the fewest inputs of tests/fuzz/corpus and out/fuzz that reach everything (FUZZ_TARGETS="gpt lease")
	@for t in $(FUZZ_TARGETS); do mkdir -p out/fuzz/$$t; rm -rf build/fuzz/corpus; mkdir -p build/fuzz/corpus; \
		build/fuzz/bin/$$t -set_cover_merge=1 -use_counters=0 build/fuzz/corpus tests/fuzz/corpus/$$t out/fuzz/$$t >out/fuzz/$$t.log 2>&1 || { tail -n 40 out/fuzz/$$t.log; exit 1; }; \
		rm -rf tests/fuzz/corpus/$$t; mv build/fuzz/corpus tests/fuzz/corpus/$$t; echo "$$t: $$(ls tests/fuzz/corpus/$$t | wc -l) inputs"; done

# The corpora replayed without clang: a unit test, and what counts the lines that they reach.
build/check/fuzz_targets.h: Makefile $(wildcard tests/fuzz/*_fuzz.c)
	@mkdir -p $(@D)
	@printf 'TARGET(%s)\n' $(FUZZ_TARGETS) >$@

build/check/tests/fuzz/%_fuzz.o: tests/fuzz/%_fuzz.c
	@mkdir -p $(@D)
	@echo "  CHECK   $<"
	@gcc $(CHECK_CFLAGS) -DLLVMFuzzerTestOneInput=fuzz_$* -c $< -o $@

build/check/tests/fuzz/replay.o: tests/fuzz/replay.c build/check/fuzz_targets.h
	@mkdir -p $(@D)
	@echo "  CHECK   $<"
	@gcc $(CHECK_CFLAGS) -Ibuild/check -c $< -o $@

FUZZ_REPLAY := build/check/tests/fuzz/replay.o $(FUZZ_TARGETS:%=build/check/tests/fuzz/%_fuzz.o)
FUZZ_PARSERS := $(shell grep -v '^\#' tests/fuzz/targets | grep -o '[a-z_0-9/]*\.c' | sort -u)

build/unit/fuzz_corpus: $(FUZZ_REPLAY) build/check.a
	@mkdir -p $(@D)
	@echo "  LINK    $@"
	@gcc $(SANITIZE) $^ $(CHECK_LIBS) -o $@

build/coverage/%.o: %.c
	@mkdir -p $(@D)
	@echo "  COVER   $<"
	@gcc $(filter-out $(SANITIZE) -O1,$(CHECK_CFLAGS)) -O0 --coverage -c $< -o $@

build/coverage/replay: $(FUZZ_PARSERS:%.c=build/coverage/%.o) $(FUZZ_REPLAY) build/check.a
	@echo "  LINK    $@"
	@gcc $(SANITIZE) --coverage $^ $(CHECK_LIBS) -o $@

.PHONY: fuzz-coverage
fuzz-coverage: build/coverage/replay ## Line coverage of each fuzz target's parser by its corpus; fails below 80 % (MISSED=1 names the lines)
	@$(PYTHON) tests/fuzz/coverage.py

# A mistake planted in a copy of a parser, which its target has to find.
build/fuzz/planted/%.c: tests/fuzz/plants tests/fuzz/plant.py tests/fuzz/targets.py build/fuzz.a
	@mkdir -p $(@D)
	@$(PYTHON) tests/fuzz/plant.py $* >$@

build/fuzz/planted/%.o: build/fuzz/planted/%.c
	@echo "  FUZZ    $<"
	@clang $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -c $< -o $@

build/fuzz/planted/%: build/fuzz/planted/%.o build/fuzz/tests/fuzz/%_fuzz.o build/fuzz.a
	@echo "  LINK    $@"
	@$(FUZZ_LINK)

.PHONY: test-fuzz
test-fuzz: build/coverage/replay $(addprefix build/fuzz/bin/,$(FUZZ_TARGETS)) $(addprefix build/fuzz/planted/,$(FUZZ_TARGETS)) ## Each fuzz target covers its parser, and finds a mistake planted in it (long)
	@$(PYTHON) -m pytest -c tests/pytest.ini tests/fuzz

# ---- a machine to look at, and the tests that boot one
PYTHON := /usr/bin/python3
USER_DATA ?= configs/examples/single-node.yaml
ifneq (,$(filter run,$(MAKECMDGOALS)))
$(if $(shell [ -f "$(USER_DATA)" ] && echo there),,$(error USER_DATA=$(USER_DATA): expected a file, found none))
endif
PYTEST := VERSION=$(VERSION) $(PYTHON) -m pytest -c tests/pytest.ini

.PHONY: run
run: deps ## Boot the image in QEMU and show it to Ready (PROFILE=qemu, USER_DATA=file, DETACH=1)
	@$(PYTHON) tests/vm/run.py idle
	@$(MAKE) --no-print-directory build/keelson
	@build/keelson validate "$(USER_DATA)"
	@$(MAKE) --no-print-directory image kubernetes
	@$(PYTHON) tests/vm/run.py "$(PROFILE)" "$(VERSION)" "$(USER_DATA)" $(if $(DETACH),detach,attach)

.PHONY: stop
stop: ## Power the machine of `make run` off, cleanly
	@$(PYTHON) tests/vm/run.py stop

.PHONY: test-vm
test-vm: image kubernetes ## Boot the real image and try it: a node's life, and trouble
	@$(PYTEST) -m "not long" tests/vm

.PHONY: test-vm-long
test-vm-long: kubernetes ## Power cuts at named moments, other subnets, wrong clocks, profile qemu (70 minutes)
	@$(MAKE) --no-print-directory image PROFILE=default
	@$(MAKE) --no-print-directory image PROFILE=qemu
	@$(PYTEST) -m long tests/vm

.PHONY: test-conformance
test-conformance: build/init build/keelson build/mkimage build/pause ## Run upstream's conformance cases against the booted image (long; ONLY=regex)
	@server=$${KUBERNETES:-$$($(THIRD_PARTY)/build_kubernetes.sh server)}; tests=$$($(THIRD_PARTY)/build_kubernetes.sh test); apt=$$($(THIRD_PARTY)/apt_root.sh $(SUITE)); \
	image=$$(tests/conformance/make_image.sh $(VERSION) "$$tests" "$$server" "$$apt"); \
	$(PYTHON) tests/conformance/boot.py "$$image" "$$tests" "$$server" $(if $(ONLY),--only '$(ONLY)')

.PHONY: test-reproducible
test-reproducible: ## Build programs and image twice, in different folders, and compare the bytes (long)
	@tests/image/reproducible.sh $(VERSION) $(PROFILE)

.PHONY: test
test: ## Everything that must pass before a change lands
	+@tests/all.sh test-unit test-init test-vm

.PHONY: test-long
test-long: ## What is too long for `make test`
	+@tests/all.sh test-fuzz test-mutants test-init-long test-vm-long test-conformance test-reproducible

# ---- comparisons: each writes out/bench-NAME.json
build/bench/bare_init: tests/bench/bare_init.c $(call obj,$(wildcard init/boot/*.c)) build/lib.a
	@mkdir -p $(@D)
	@$(MUSL_CC) $(MUSL_CFLAGS) $(MUSL_LDFLAGS) -s $^ -o $@

.PHONY: bench-ready
bench-ready: image build/bench/bare_init ## Seconds to a ready containerd, against containerd under a bare static init on the same root (BOOTS=3)
	@$(PYTHON) tests/bench/bench_ready.py --version $(VERSION) --bare build/bench/bare_init --boots $(or $(BOOTS),3)

# The program that says when a machine is ready, the same on both: it asks containerd as `keelson probe cri` does.
build/bench/boot_ready: tests/bench/boot_ready.c $(call obj,$(addprefix init/cluster/,cri.c grpc_frame.c protobuf.c)) build/lib.a
	@mkdir -p $(@D)
	@$(MUSL_CC) $(filter-out -MMD -MP,$(MUSL_CFLAGS)) $(MUSL_LDFLAGS) -s $^ -o $@

.PHONY: bench-boot
bench-boot: build/init build/keelson build/mkimage build/pause build/bench/boot_ready ## Seconds to a ready node, against Debian 12 with systemd and cloud-init (root; BOOTS=3)
	@kubernetes=$${KUBERNETES:-$$($(THIRD_PARTY)/build_kubernetes.sh server)}; apt=$$($(THIRD_PARTY)/apt_root.sh $(SUITE)); \
	ours=$$(tests/bench/keelson/make_image.sh $(VERSION) "$$kubernetes" "$$apt"); \
	debian=$$(tests/bench/debian/build.sh "$$apt" build/bench/boot_ready); \
	$(PYTHON) tests/bench/bench_boot.py --keelson "$$ours" --debian "$$debian" --boots $(or $(BOOTS),3)

# What runs in the namespaces of bench-init: ours as build/init is linked, a service, and what starts them.
BENCH_INIT := build/bench/bare_supervisor build/bench/enter build/bench/beat build/bench/log_run

build/bench/bare_supervisor: tests/bench/bare_supervisor.c $(call obj,$(wildcard init/supervise/*.c)) build/lib.a
	@mkdir -p $(@D)
	@$(MUSL_CC) $(filter-out -MMD -MP,$(MUSL_CFLAGS)) $(MUSL_LDFLAGS) -Wl,-z,noseparate-code -s $^ -o $@

build/bench/enter build/bench/beat build/bench/log_run: build/bench/%: tests/bench/%.c tests/bench/beat.h
	@mkdir -p $(@D)
	@$(MUSL_CC) $(filter-out -MMD -MP,$(MUSL_CFLAGS)) $(MUSL_LDFLAGS) -s $< -o $@

.PHONY: bench-init
bench-init: build/init build/sim/make_table $(BENCH_INIT) ## Size, memory, restarts, starts and idling of PID 1, against s6, runit, finit and BusyBox init (root; 4 minutes)
	@$(PYTHON) tests/bench/bench_init.py

.PHONY: bench
bench: ## Every comparison, one after the other
	@for name in init ready boot; do $(MAKE) --no-print-directory bench-$$name; done

# ---- what looks at the sources
LINT_SRC := $(LIB_SRC) $(INIT_SRC) $(KEELSON_SRC) $(MKIMAGE_SRC)
LINT_SH := $(wildcard $(THIRD_PARTY)/*.sh tests/*/*.sh tests/bench/*/*.sh)

compile_commands.json: export FLAGS = $(filter-out -MMD -MP,$(CHECK_CFLAGS)) -Wno-unknown-warning-option
compile_commands.json: Makefile $(LINT_SRC) $(UNIT_SRC) ## For editors and lint: how each file is compiled
	@printf '%s\n' $(LINT_SRC) $(UNIT_SRC) | jq -R --arg top "$(CURDIR)" '{directory: $$top, file: ., command: "gcc \(env.FLAGS) -c \(.)"}' | jq -s . >$@

.PHONY: lint
lint: compile_commands.json ## Look for mistakes with clang-tidy, cppcheck and shellcheck (7 minutes)
	@cppcheck -q -j2 -D__x86_64__=1 --include=tests/lint/macros.h --project=compile_commands.json -itests --enable=warning,performance,portability --inline-suppr --suppressions-list=tests/lint/cppcheck.suppressions --error-exitcode=1
	@shellcheck -S warning -e SC2155 -x -P SCRIPTDIR $(LINT_SH)
	@clang-tidy -quiet -p . init/lib/err.c 2> >(grep -v 'warnings\? generated\.$$' >&2)
	@printf '%s\n' $(filter-out init/lib/err.c,$(LINT_SRC)) | xargs -P 2 -n 8 clang-tidy -quiet -p . --extra-arg=-include --extra-arg=tests/lint/contract.h 2> >(grep -v 'warnings\? generated\.$$' >&2)

.PHONY: clean
clean: ## Remove build/ and out/ (the cache outside the clone stays)
	rm -rf build out

-include $(shell find build/obj build/check build/coverage build/fuzz -name '*.d' 2>/dev/null)
