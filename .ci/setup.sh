# Shared by scenarios/run and tests/run: install what is missing, configure, build. Source it; `root` must be set.
# Debian 12. Ubuntu 24.04 has the same names (untested).

simulator_packages=(g++ cmake ninja-build nlohmann-json3-dev libboost-dev libboost-program-options-dev liblzma-dev)

# need PACKAGE...: installs those Debian packages that are missing, and says which.
need() {
  local missing=() p
  for p in "$@"; do
    dpkg-query -W -f '${Status}\n' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if ! command -v apt-get >/dev/null; then
    echo "moesim needs these Debian packages, or their like, and there is no apt-get here to install them:" >&2
    printf '  %s\n' "${missing[@]}" >&2
    echo "With them in place, plain CMake works: cmake -G Ninja -S . -B .build/release && cmake --build .build/release" >&2
    exit 2
  fi
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "not root, and no sudo here; have these packages installed: ${missing[*]}" >&2; exit 2; }
    as_root=(sudo)
  fi
  local log=$root/.build/apt.log
  mkdir -p "$root/.build"
  echo "installing ${missing[*]}" >&2
  if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    echo "cannot install ${missing[*]}; the whole log is .build/apt.log" >&2
    exit 2
  fi
}

# build FOLDER TARGET [CMAKE OPTION...]: quiet when it works, the compiler's words when it does not. Configures once for a place and a set
# of options.
build() {
  local folder=$root/.build/$1 target=$2
  shift 2
  local log=$folder.log
  mkdir -p "$folder"
  if [ ! -f "$folder/build.ninja" ] || [ "$(cat "$folder/options.txt" 2>/dev/null)" != "$root $*" ]; then
    rm -f "$folder/options.txt"
    cmake --fresh -G Ninja -S "$root" -B "$folder" "$@" >"$log" 2>&1 || { cat "$log" >&2; echo "cannot configure; the log is $log" >&2; exit 3; }
    echo "$root $*" >"$folder/options.txt"
  fi
  if ! cmake --build "$folder" --target "$target" >"$log" 2>&1; then
    grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking)|^ninja: ' "$log" | head -n 60 >&2
    echo "cannot build; the log is $log" >&2
    exit 3
  fi
}
