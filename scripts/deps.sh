#!/bin/sh
# Installs what kgate is built and tested with, from the distribution's own packages: Debian 12, Ubuntu 22.04 and 24.04. CUDA is not among
# them: with its headers on the machine (cuda.h, nvrtc.h) the build has the GPU backend too.
set -eu

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

if ! command -v apt-get >/dev/null 2>&1; then
  echo "deps.sh: this script knows Debian and Ubuntu; on another system install the packages that it names" >&2
  exit 64
fi

. /etc/os-release
packages="build-essential g++ cmake ninja-build ccache pkg-config git ca-certificates python3
  libgit2-dev libtomlplusplus-dev nlohmann-json3-dev libssl-dev zlib1g-dev libfmt-dev catch2 libcli11-dev libmuparser-dev
  libboost-context-dev libboost-math-dev libseccomp-dev libelf-dev libcurl4-openssl-dev libeigen3-dev libpugixml-dev patchelf python3-yaml rsync shellcheck curl libxml2-utils"
# Ubuntu 22.04's own g++ is 11; kgate wants 12.
if [ "${ID:-}" = ubuntu ] && [ "${VERSION_ID:-}" = 22.04 ]; then packages="$packages g++-12"; fi

missing=""
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $package"
done
if [ -n "$missing" ]; then
  echo "deps.sh: installing:$missing"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
  # shellcheck disable=SC2086
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
fi
