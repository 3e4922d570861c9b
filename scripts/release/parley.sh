#!/bin/sh
# Starts Parley with the Node beside it.
here=$(dirname "$(readlink -f "$0")")
# Otherwise glibc keeps up to 64 MB of freed memory, because some allocations at the start are large.
export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-1048576}"
exec "$here/node" "$here/parley.cjs" "$@"
