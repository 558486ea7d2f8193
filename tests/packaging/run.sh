#!/usr/bin/env bash
# Usage: run.sh BUILD_FOLDER COMPILER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prefix="$1/packaging/prefix"
rm -rf "$1/packaging"
cmake --install "$1" --prefix "$prefix" >/dev/null

cmake -S "$here/consumer" -B "$1/packaging/consumer" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="$2" -Dstepcast_ROOT="$prefix"
cmake --build "$1/packaging/consumer"
"$1/packaging/consumer/consumer"
"$prefix/bin/stepcast" --help >/dev/null
said=$(STEPCAST_LOG=debug "$prefix/bin/stepcast" version 2>&1)
[[ $said == *"from $prefix/lib"* ]] || {
  echo "the installed program does not load the module beside it: $said" && exit 1
}

# An installed program reads the data beside it, even where the source tree is still there.
echo '{}' >"$prefix/share/stepcast/configs/clusters/only-here.json"
complaint=$("$prefix/bin/stepcast" list clusters 2>&1 || true)
[[ $complaint == *only-here.json* ]] || {
  echo "the installed program does not read the data beside it" && exit 1
}
rm "$prefix/share/stepcast/configs/clusters/only-here.json"

for path in share/stepcast/configs/clusters share/stepcast/traces/workloads include/stepcast/models/base/units.hpp \
  share/man/man1/stepcast.1 share/man/man1/stepcast-run.1 share/bash-completion/completions/stepcast; do
  [ -e "$prefix/$path" ] || { echo "not installed: $path" && exit 1; }
done
if [ -e "$prefix/include/stepcast/sim/cli" ]; then
  echo "the headers of the command line are installed; they are for nobody else" && exit 1
fi
