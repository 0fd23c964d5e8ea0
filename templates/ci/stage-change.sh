#!/usr/bin/env bash
# Takes a data change through review, from CI or by hand.
#
#   stage-change.sh open FILE...            stage the SQL scripts, propose, and write diff and rehearsal to stage-diff.md
#   stage-change.sh open-commits BASE HEAD  the same with the scripts changes/*.sql that these commits add or change
#   stage-change.sh wait SESSION            wait until a person has approved
#   stage-change.sh approve SESSION DIGEST  approve exactly the diff that was shown, after a person has agreed elsewhere
#   stage-change.sh run FILE...             open, then wait
#
# Scripts are data: each goes to the server as it is, where commands of psql (\!, \copy, ...) are syntax errors. `open-commits`
# takes them out of git's store, so that it needs no files of the commits beside itself, and runs none.
#
# Ends with stage's exit codes: 0 done, or nothing to change; 1 a script failed (its session is deleted); 3 conflict with
# production or another diff than the reviewed one, nothing applied; 4 not permitted; 6 rejected; 7 the daemon cannot be
# reached; 8 nobody has decided in time; 64 wrong usage.
#
# Environment: STAGE_SERVER and STAGE_TOKEN as for stage itself; PGUSER and PGPASSWORD for the database;
#   STAGE_PROJECT   project of the session (default)       STAGE_RUN       what the session is about, kept with it
#   STAGE_TIMEOUT   how long `wait` waits (24h)            STAGE_APPROVER  who has agreed, for `approve`
#   STAGE_POST      command that is given the diff's file, to show it to people
# `open` and `open-commits` append session=... and digest=... to the file that GITHUB_OUTPUT names, and print them.
set -euo pipefail

usage() {
  sed -n '4,8s/^# *//p' "$0" >&2
  exit 64
}

open_change() {
  [ $# -ge 1 ] || usage
  local session digest file
  for file; do
    [ -r "$file" ] || { echo "stage-change: cannot read $file" >&2; exit 64; }
  done
  session=$(stage session new --project "${STAGE_PROJECT:-default}" --metadata "run=${STAGE_RUN:-$(hostname)}")
  for file; do
    if ! stage run --session "$session" "$file"; then
      stage session delete "$session" --yes >&2
      echo "stage-change: $file failed; nothing is left of it" >&2
      exit 1
    fi
  done
  if [ -z "$(stage diff "$session" --name-only)" ]; then
    stage session delete "$session" --yes >&2
    echo 'stage-change: nothing to change' >&2
    exit 0
  fi
  # from here on nothing can be staged in it: diff and digest are of the same rows
  stage propose "$session" >&2
  stage diff "$session" --output markdown > stage-diff.md
  { look_ahead "$session"; links "$session"; } >> stage-diff.md
  digest=$(stage diff "$session" --summary | sed -n 's/^digest //p')
  printf 'session=%s\ndigest=%s\n' "$session" "$digest" | tee -a "${GITHUB_OUTPUT:-/dev/null}"
  if [ -n "${STAGE_POST:-}" ]; then "$STAGE_POST" stage-diff.md >&2; fi
  opened=$session
}

# What approval would meet now: a rehearsal, or, where the token may have none, the conflicts alone.
look_ahead() {
  local found code=0
  found=$(stage check "$1" --rehearse 2>&1) || code=$?
  if [ "$code" -eq 4 ]; then
    code=0
    found=$(stage check "$1" 2>&1) || code=$?
  fi
  case $code in
    0) printf '\n**Approval would find no conflict with production.**\n' ;;
    3) printf '\n**As production is now, approval would be refused.**\n' ;;
    *) printf '\n**Whether approval would be refused is not known.**\n' ;;
  esac
  # indented, so that nothing in it acts
  if [ -n "$found" ]; then printf '\n%s\n' "$found" | sed 's/^/    /'; fi
}

# Where to go on from here: the review page, if the daemon serves one, and the run.
links() {
  local page
  if page=$(stage review-link "$1" --no-login 2>/dev/null); then printf '\nReview: %s\n' "$page"; fi
  case ${STAGE_RUN:-} in http*) printf '\nRun: %s\n' "$STAGE_RUN" ;; esac
}

open_commits() {
  [ $# -eq 2 ] || usage
  local base=$1 head=$2 file
  local -a files=()
  scripts=$(mktemp -d)
  trap 'rm -rf "$scripts"' EXIT
  git diff -z --name-only --diff-filter=AM "$base...$head" -- 'changes/*.sql' > "$scripts/list"
  while IFS= read -r -d '' file; do
    mkdir -p "$scripts/$(dirname "$file")"
    # of a link this is the text that says where it leads
    git cat-file blob "$head:$file" > "$scripts/$file"
    files+=("$scripts/$file")
  done < "$scripts/list"
  if [ ${#files[@]} -eq 0 ]; then
    echo 'stage-change: no script is added or changed' >&2
  else
    open_change "${files[@]}"
  fi
}

wait_for() {
  [ $# -eq 1 ] || usage
  stage wait "$1" --for approved --timeout "${STAGE_TIMEOUT:-24h}"
}

approve_change() {
  [ $# -eq 2 ] || usage
  # the account that runs this has not agreed to anything
  stage approve "$1" --digest "$2" --by "${STAGE_APPROVER:-not told to stage-change.sh}" --yes
}

verb=${1:-}
[ $# -eq 0 ] || shift
case $verb in
  open) open_change "$@" ;;
  open-commits) open_commits "$@" ;;
  wait) wait_for "$@" ;;
  approve) approve_change "$@" ;;
  run)
    open_change "$@"
    wait_for "$opened"
    ;;
  *) usage ;;
esac
