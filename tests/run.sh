#!/usr/bin/env bash
# Runs all tests against a real PostgreSQL and SQLite. Installs what is missing where it can, and
# fails where it can't: no test is ever skipped. The tests start their own servers in temporary
# folders and stop them again.
set -euo pipefail
cd "$(dirname "$0")/.."

# Debian's packages for what is missing, as root or by sudo.
install() {
    local sudo=()
    [ "$(id -u)" = 0 ] || sudo=(sudo)
    echo "installing: $*" >&2
    if ! command -v apt-get >/dev/null; then
        echo "please install what Debian calls: $*" >&2
        exit 1
    fi
    "${sudo[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

postgres_server() {
    command -v postgres >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null
}

if ! command -v cargo >/dev/null; then
    echo "cargo is missing: install Rust from https://rustup.rs" >&2
    exit 1
fi
missing=()
postgres_server || missing+=(postgresql)
command -v cc >/dev/null || missing+=(gcc libc6-dev)   # SQLite is built from its source
command -v script >/dev/null || missing+=(bsdutils)    # a terminal for the tests of progress bars
command -v fish >/dev/null || missing+=(fish)          # completions are tried in real shells
command -v zsh >/dev/null || missing+=(zsh)
command -v pgbouncer >/dev/null || missing+=(pgbouncer)   # doctor sees a pooler
command -v mandoc >/dev/null || missing+=(mandoc)      # the lint of the manual
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)   # docs/examples
[ ${#missing[@]} = 0 ] || install "${missing[@]}"
if ! postgres_server; then
    echo "there is no PostgreSQL server to test against" >&2
    exit 1
fi

# The packages of the examples, apart from the machine's own.
python="${CARGO_TARGET_DIR:-target}/python"
if ! cmp -s docs/examples/requirements.txt "$python/installed.txt"; then
    python3 -m venv --clear "$python"
    "$python/bin/pip" install --quiet --disable-pip-version-check -r docs/examples/requirements.txt
    cp docs/examples/requirements.txt "$python/installed.txt"
fi

exec cargo test --locked "$@"
