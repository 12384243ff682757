#!/usr/bin/env bash
# Backs a folder up.
set -euo pipefail

TARGET=/var/backups

usage() {
  cat <<EOF
usage: backup FOLDER

  keeps seven copies
EOF
}

# Removes the oldest ones.
prune() {
  local keep=$1
  for old in $(ls -t "$TARGET" | tail -n +$((keep + 1))); do
    if [[ -d "$TARGET/$old" ]]; then
      rm -r "$TARGET/$old"
    else
      echo "no folder: $old" >&2
    fi
  done
}

if [ $# -ne 1 ]; then
  usage
  exit 2
fi
rsync -a "$1" "$TARGET/$(date +%F)"
prune 7
