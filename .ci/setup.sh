# Shared by scenarios/run and tests/run: install what is missing, configure, build. Source it; `root` must be set.

# need PACKAGE...: installs those Debian packages that are missing, and says which. Ubuntu has the same names (untested).
need() {
  local missing=() p
  for p in "$@"; do
    if ! dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed'; then missing+=("$p"); fi
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if ! command -v apt-get >/dev/null; then
    echo "missing, and there is no apt-get here to install them; moesim needs these Debian packages or their like:" >&2
    printf '  %s\n' "${missing[@]}" >&2
    exit 2
  fi
  echo "installing ${missing[*]}" >&2
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "not root and no sudo: install these yourself: ${missing[*]}" >&2; exit 2; }
    as_root=(sudo)
  fi
  local log
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update && DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    echo "cannot install: ${missing[*]}" >&2
    exit 2
  fi
  rm -f "$log"
}

simulator_packages=(g++ cmake ninja-build nlohmann-json3-dev libboost-dev libboost-program-options-dev)

# build FOLDER TARGET [CMAKE OPTION...]: quiet when it works, the compiler's words when it does not.
build() {
  local folder=$1 target=$2
  shift 2
  local log=$folder.log
  mkdir -p "$(dirname "$folder")"
  if [ ! -f "$folder/build.ninja" ] || [ "$root/CMakeLists.txt" -nt "$folder/build.ninja" ]; then
    cmake -G Ninja -S "$root" -B "$folder" "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 3; }
  fi
  cmake --build "$folder" --target "$target" >"$log" 2>&1 || { grep -E 'error|FAILED|warning' "$log" >&2 || cat "$log" >&2; exit 3; }
}
