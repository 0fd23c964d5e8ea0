#!/usr/bin/env bash
# Takes a data change through review, from CI or by hand.
#
#   stage-change.sh open FILE...            stage the SQL scripts, propose, and write the diff to stage-diff.md
#   stage-change.sh wait SESSION            wait until a person has approved
#   stage-change.sh approve SESSION DIGEST  approve exactly the diff that was shown, after a person has agreed elsewhere
#   stage-change.sh run FILE...             open, then wait
#
# Ends with stage's exit codes: 0 done, or nothing to change; 1 a script failed (its session is deleted); 3 conflict with
# production or another diff than the reviewed one, nothing applied; 4 not permitted; 6 rejected; 7 the daemon cannot be
# reached; 8 nobody has decided in time; 64 wrong usage.
#
# Environment: STAGE_SERVER and STAGE_TOKEN as for stage itself; PGUSER and PGPASSWORD for the database;
#   STAGE_PROJECT   project of the session (default)       STAGE_RUN       what the session is about, kept with it
#   STAGE_TIMEOUT   how long `wait` waits (24h)            STAGE_APPROVER  name for the audit (the account's)
#   STAGE_POST      command that is given the diff's file, to show it to people
# `open` appends session=... and digest=... to the file that GITHUB_OUTPUT names, and prints them.
set -euo pipefail

usage() {
  sed -n '4,7s/^# *//p' "$0" >&2
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
    if ! stage psql "$session" -- --no-psqlrc --quiet --set ON_ERROR_STOP=1 --single-transaction --file "$file"; then
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
  stage propose "$session" >&2
  stage diff "$session" --output markdown > stage-diff.md
  digest=$(stage diff "$session" --summary | sed -n 's/^digest //p')
  printf 'session=%s\ndigest=%s\n' "$session" "$digest" | tee -a "${GITHUB_OUTPUT:-/dev/null}"
  if [ -n "${STAGE_POST:-}" ]; then "$STAGE_POST" stage-diff.md >&2; fi
  opened=$session
}

wait_for() {
  [ $# -eq 1 ] || usage
  stage wait "$1" --for approved --timeout "${STAGE_TIMEOUT:-24h}"
}

approve_change() {
  [ $# -eq 2 ] || usage
  stage approve "$1" --digest "$2" --by "${STAGE_APPROVER:-$(id -un)}" --yes
}

verb=${1:-}
[ $# -eq 0 ] || shift
case $verb in
  open) open_change "$@" ;;
  wait) wait_for "$@" ;;
  approve) approve_change "$@" ;;
  run)
    open_change "$@"
    wait_for "$opened"
    ;;
  *) usage ;;
esac
