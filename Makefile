# The front door.  Meson does the work; each target sets up what it needs.

BUILD ?= build

.PHONY: all playground demo test test-cross bench ablation databases fuzz coverage mutate format install dist clean setup

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet assay

$(BUILD)/build.ninja: | setup
	@meson setup $(BUILD) >/dev/null

setup:
	@tools/setup

# One page with the checker in it, for a browser: build/playground/playground.html
playground: $(BUILD)/build.ninja
	@tools/setup test
	@ninja -C $(BUILD) --quiet playground/playground.html

demo: all
	@tools/demo $(BUILD)/assay

test:
	@tools/setup test
	@tools/test

test-cross:
	@tools/test-cross

bench: all
	@bench/run $(BUILD)/assay

ablation: all
	@bench/ablation $(BUILD)/assay

databases: all
	@tools/databases $(BUILD)

fuzz: | setup
	@tools/fuzz

coverage:
	@tools/setup test
	@tools/coverage

mutate: all
	@tools/mutate --build $(BUILD)

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

install: all
	@tools/install $(BUILD)

# What a release consists of, in dist/
dist:
	@tools/dist

clean:
	@rm -rf build build-*
