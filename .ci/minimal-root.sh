# Sourced by scripts that test on a minimal Debian (debootstrap --variant=minbase): makes one in "$root". Needs root and
# network, no Docker.
fail() {
  echo "MINIMAL DEBIAN NOT TESTED: $1" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail 'this needs root'
if ! command -v debootstrap >/dev/null; then
  { apt-get update -qq && apt-get install -qq -y --no-install-recommends debootstrap; } ||
    fail 'debootstrap is missing and could not be installed (is there a network?)'
fi

root="$(mktemp -d)"
chmod 755 "$root" # as a root folder is: PostgreSQL runs as an ordinary user
# Mounts and processes live in namespaces of their own (see below) and end with them, so only files are left.
trap 'rm -rf --one-file-system "$root"' EXIT

debootstrap --variant=minbase "${DEBIAN_SUITE:-bookworm}" "$root" >"$root.log" 2>&1 ||
  { tail -5 "$root.log" >&2; rm -f "$root.log"; fail 'debootstrap failed'; }
rm -f "$root.log"
mkdir "$root/parley"
# A machine behind a proxy of its own has its certificates here; an empty file adds none.
cat "${NODE_EXTRA_CA_CERTS:-/dev/null}" >"$root/etc/extra-ca.pem"

# Runs a command in the minimal system, with nothing of our environment but where npm finds packages.
inside() {
  in_namespace --mount "$1"
}

inside_without_network() {
  command -v ip >/dev/null || apt-get install -qq -y --no-install-recommends iproute2
  in_namespace '--mount --net' "$1"
}

in_namespace() {
  unshare $1 --pid --fork --kill-child sh -c \
    'mount -t proc proc "$0/proc" && { ip link set lo up 2>/dev/null || true; } && exec chroot "$0" /usr/bin/env -i \
      PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root NODE_EXTRA_CA_CERTS=/etc/extra-ca.pem npm_config_registry="$1" \
      sh -c "cd /parley && $2"' "$root" "$(npm config get registry)" "$2"
}
