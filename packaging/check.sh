#!/usr/bin/env bash
# Checks the packaging. `check.sh`: the systemd units and the alert rules. `check.sh all`: also the
# Debian package, which is built, and installed, removed and purged in a fresh Debian.
#
# Installs what it needs where that is missing: Debian's packages by apt; promtool and cargo-deb
# under target/tools, where the next run finds them.
set -euo pipefail
cd "$(dirname "$0")/.."
target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
tools="$target/tools"
export PATH="$tools/bin:$PATH"
mkdir -p "$tools/bin"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

step() { printf -- '-- %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

sudo=(); [ "$(id -u)" = 0 ] || sudo=(sudo)
updated=
update() {
    command -v apt-get >/dev/null || fail "please install what Debian calls: $*"
    [ -n "$updated" ] || "${sudo[@]}" apt-get update -qq
    updated=yes
}
# needs COMMAND PACKAGE
needs() {
    command -v "$1" >/dev/null && return
    update "$2"
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "$2" >/dev/null
}

units=(idemctl-janitor.service idemctl-janitor-once.service idemctl-janitor-once.timer)

step "systemd units"
needs systemd-analyze systemd
needs /bin/kill procps
# The units name /usr/bin/idemctl. A stand-in takes its place, so that this needs no build.
mkdir "$work/units"
for unit in "${units[@]}"; do
    sed 's|^ExecStart=/usr/bin/idemctl |ExecStart=/bin/true |' "packaging/systemd/$unit" >"$work/units/$unit"
done
said="$(systemd-analyze verify "${units[@]/#/$work/units/}" 2>&1)" || fail "systemd-analyze verify: $said"
[ -z "$said" ] || fail "systemd-analyze verify: $said"
for unit in "${units[@]}"; do
    case "$unit" in *.timer) continue ;; esac
    # The threshold is in tenths.
    report="$(systemd-analyze security --offline=yes --threshold=20 --no-pager "packaging/systemd/$unit" 2>&1)" ||
        fail "$report"
    [[ "$report" == *"Overall exposure level"* ]] || fail "$report"
    tail -n 1 <<<"$report"
done
hardening() { sed -n '/^CapabilityBoundingSet=/,/^$/p' "packaging/systemd/$1" | sed '/^$/d'; }
[ -n "$(hardening idemctl-janitor.service)" ] || fail "the daemon's unit has no hardening"
diff <(hardening idemctl-janitor.service) <(hardening idemctl-janitor-once.service) ||
    fail "the two services are not hardened alike"

step "alert rules"
if ! command -v promtool >/dev/null; then
    # Out of the package by hand: installed, it would start a server.
    update prometheus
    (cd "$work" && apt-get download -qq prometheus)
    dpkg-deb --fsys-tarfile "$work"/prometheus_*.deb |
        tar -x -C "$tools/bin" --strip-components=3 ./usr/bin/promtool
fi
promtool check rules packaging/prometheus/idemctl.rules.yml
promtool test rules packaging/prometheus/idemctl.rules.test.yml

[ "${1:-}" = all ] || exit 0

step "the Debian package"
needs dpkg-shlibdeps dpkg-dev
if ! command -v cargo-deb >/dev/null; then
    CARGO_TARGET_DIR="$tools/build" cargo install --quiet --locked --root "$tools" --version 3.8.0 cargo-deb
    rm -rf "$tools/build"
fi
version="$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)"
# One version, said twice.
grep -q "^idemctl ($version-1) " packaging/debian/changelog || fail "packaging/debian/changelog is not at $version"
cargo build --release --locked --quiet
cargo deb --no-build --quiet --output "$work/idemctl.deb"
dpkg-deb --info "$work/idemctl.deb"
cp "$work/idemctl.deb" "$target/idemctl.deb"

step "lintian"
needs lintian lintian
lintian --fail-on error,warning --suppress-tags-from-file packaging/debian/lintian-suppressed "$work/idemctl.deb"

step "a fresh Debian"
needs mmdebstrap mmdebstrap
base="$tools/bookworm.tar"
if [ ! -f "$base" ] || [ -n "$(find "$base" -mtime +7)" ]; then
    # apt's lists stay in, for the package's dependencies; init-system-helpers is what its scripts call.
    "${sudo[@]}" mmdebstrap --variant=minbase --quiet --include=ca-certificates,init-system-helpers \
        --skip=cleanup/apt/lists bookworm "$tools/bookworm.new.tar"
    mv "$tools/bookworm.new.tar" "$base"
fi
root="$work/root"
mkdir "$root"
trap '"${sudo[@]}" rm -rf "$work"' EXIT
"${sudo[@]}" tar -x -C "$root" -f "$base"
in_root() { "${sudo[@]}" chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
inventory() { (cd "$root" && "${sudo[@]}" find etc usr lib var -not -path 'var/lib/dpkg/*' -not -path 'var/lib/apt/*' \
    -not -path 'var/cache/*' -not -path 'var/log/*' | sort); }
inventory >"$work/before"
"${sudo[@]}" cp "$work/idemctl.deb" "$root/tmp/"

step "install"
in_root apt-get install -y -qq --no-install-recommends /tmp/idemctl.deb >"$work/apt.log" 2>&1 || fail "$(cat "$work/apt.log")"
for file in /usr/bin/idemctl /etc/idemctl/idemctl.toml "${units[@]/#//usr/lib/systemd/system/}" \
    /usr/share/bash-completion/completions/idemctl /usr/share/zsh/vendor-completions/_idemctl \
    /usr/share/fish/vendor_completions.d/idemctl.fish /usr/share/idemctl/prometheus/idemctl.rules.yml \
    /usr/share/doc/idemctl/copyright /usr/share/doc/idemctl/packaging.md; do
    [ -f "$root$file" ] || fail "$file is not there"
done
for page in man/*; do
    name="${page##*/}"
    [ -f "$root/usr/share/man/man${name##*.}/$name.gz" ] || fail "$name is not in the package: see assets in Cargo.toml"
done
[ "$(in_root idemctl --version)" = "idemctl $version" ] || fail "idemctl --version"
in_root env HOME=/root idemctl config show >/dev/null
# Nobody's settings: every line is a comment, a section or empty.
if grep -vE '^(#.*|\[.*\]|)$' "$root/etc/idemctl/idemctl.toml"; then fail "idemctl.toml sets something"; fi
in_root dpkg-query --showformat='${Conffiles}\n' --show idemctl | grep -q '^ /etc/idemctl/idemctl.toml ' ||
    fail "idemctl.toml is no conffile"
for unit in "${units[@]}"; do
    state="$(systemctl --root="$root" is-enabled "$unit" 2>&1)" || true
    [ "$state" = "disabled" ] || [ "$unit/$state" = "idemctl-janitor-once.service/static" ] || fail "$unit is $state"
done
in_root dpkg --verify idemctl

step "remove"
in_root apt-get remove -y -qq idemctl >"$work/apt.log" 2>&1 || fail "$(cat "$work/apt.log")"
[ ! -e "$root/usr/bin/idemctl" ] || fail "the command is still there"
[ -f "$root/etc/idemctl/idemctl.toml" ] || fail "remove took the configuration along"

step "purge"
in_root apt-get purge -y -qq idemctl >"$work/apt.log" 2>&1 || fail "$(cat "$work/apt.log")"
in_root apt-get autoremove -y -qq >/dev/null 2>&1
inventory >"$work/after"
# Folders and state files that other packages' tools keep are none of ours.
left="$(comm -13 "$work/before" "$work/after" | grep -i idemctl || true)"
[ -z "$left" ] || fail "left behind: $left"
step "the packaging is sound"
