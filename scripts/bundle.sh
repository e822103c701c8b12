#!/bin/sh
# Makes dist/kgate-VERSION-linux-x86_64.tar.gz: the release binaries and the libraries that they need, with run paths relative to themselves.
# It starts on any distribution whose glibc is at least the build machine's, without installing anything: build it on the oldest one that is
# to be served (Debian 12: glibc 2.36). glibc itself is not in it; CUDA's libraries are the user's own.
#
#   scripts/bundle.sh [CMAKE OPTIONS ...]
set -eu
cd "$(dirname "$0")/.."
scripts/build.sh release "$@" -- kgate kgate-runner test_cuda_device test_adversarial bench_lease device_counters

version=$(sed -n 's/^project(kgate VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=kgate-$version-linux-x86_64
stage=dist/$name
rm -rf "$stage"
mkdir -p "$stage/bin" "$stage/lib" "$stage/tests" "$stage/scripts"
cp build/release/bin/kgate build/release/bin/kgate-runner "$stage/bin/"
# The device tests travel too, so that a machine without a compiler can run them.
for test in build/release/tests/*/test_*_device build/release/tests/adversarial/test_adversarial build/release/bench/bench_lease \
            build/release/tests/search_evaluate/device_counters; do
  if [ -x "$test" ]; then cp "$test" "$stage/tests/"; fi
done
cp -R examples "$stage/examples"
cp scripts/make_demo_repo.sh scripts/demo.sh scripts/device-tests.sh scripts/follow.py "$stage/scripts/"
cp scripts/device_*.py "$stage/scripts/"
mkdir -p "$stage/share/man/man1" "$stage/share/bash-completion/completions" "$stage/share/zsh/site-functions" "$stage/share/fish/vendor_completions.d"
cp build/release/manual/kgate.1 "$stage/share/man/man1/"
cp build/release/manual/kgate "$stage/share/bash-completion/completions/"
cp build/release/manual/_kgate "$stage/share/zsh/site-functions/"
cp build/release/manual/kgate.fish "$stage/share/fish/vendor_completions.d/"
cp LICENSE README.md CHANGELOG.md "$stage/"
cp -R docs "$stage/docs"

# Everything that the binaries are linked with, less glibc's own.
for binary in "$stage"/bin/* "$stage"/tests/*; do
  [ -f "$binary" ] || continue
  ldd "$binary" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'
done | sort -u | while read -r library; do
  case $(basename "$library") in
    libc.so.*|libm.so.*|libdl.so.*|libpthread.so.*|librt.so.*|ld-linux*|libresolv.so.*) ;;
    *) cp -L "$library" "$stage/lib/" ;;
  esac
done
for library in "$stage"/lib/*; do patchelf --set-rpath '$ORIGIN' "$library"; done
for binary in "$stage"/bin/* "$stage"/tests/*; do
  [ -f "$binary" ] || continue
  strip "$binary"
  patchelf --set-rpath '$ORIGIN/../lib' "$binary"
done
tar -C dist -czf "dist/$name.tar.gz" --owner=0 --group=0 --sort=name "$name"
(cd dist && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
ls -l "dist/$name.tar.gz"
