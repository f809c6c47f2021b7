#!/bin/sh
# Trains variants one after the other, on the machine with the GPU:
#   FILES=.gpu/variants BASE=base.gguf OUT=out sh bench/variants/train.sh phrased phrased-repairs …
# OUT/NAME gets the adapter in pieces of 15 MB, the run's record, its events and what the trainer printed;
# OUT/ledger the lines of the ledger. NODE names another node.
set -u
NODE="${NODE:-node} --disable-warning=ExperimentalWarning"
WORK="${WORK:-/tmp/variants}"
for name in "$@"; do
  run="$WORK/$name"
  out="$OUT/$name"
  mkdir -p "$out"
  rm -rf "$run"
  $NODE bench/variants/prepare.ts "$name" "$run" --files "$FILES" --base "$BASE" --results "$OUT/ledger" || continue
  started=$(date +%s)
  $NODE python-free-trainer/src/cli.ts train "$run" > "$out/train.log" 2>&1
  status=$?
  echo "$name: exit $status after $(($(date +%s) - started)) s"
  grep -E 'evaluation|loss' "$out/train.log" | tail -2
  [ -f "$run/adapter.gguf" ] && split -b 15000000 -d "$run/adapter.gguf" "$out/adapter.gguf."
  cp "$run/config.json" "$run/run.json" "$out/" 2> /dev/null
  [ -f "$run/events.jsonl" ] && gzip -c "$run/events.jsonl" > "$out/events.jsonl.gz"
done
