#!/bin/sh
# Trains variants one after the other, on the machine with the GPU:
#   export FILES=files BASE=base.gguf OUT=out
#   sh bench/variants/train.sh prepare phrased phrased-repairs &   # early, beside other work of the GPU: takes cores alone
#   sh bench/variants/train.sh phrased phrased-repairs
#   sh bench/variants/train.sh greedy phrased phrased-repairs   # then: answers by PyTorch into OUT/greedy, for evaluate.sh
# BASE is the base of the model whose variants they are: a call is for those of one model. OUT/NAME gets the adapter in pieces
# of 15 MB, the run's record, its events and what the trainer printed, OUT/ledger the lines of the ledger. Runs are made in WORK
# (default variants under TMPDIR), which must be a fresh folder. NODE names another node, PYTHON another python3 (with torch,
# transformers, peft and gguf).
set -u
NODE="${NODE:-node} --disable-warning=ExperimentalWarning"
WORK="${WORK:-${TMPDIR:-/tmp}/variants}"
mkdir -p "$WORK"

# Writes data and config.json and turns the data into tokens. Each variant once, whoever comes first.
prepare() {
  for name in "$@"; do
    mkdir "$WORK/$name.lock" 2> /dev/null || continue
    if $NODE bench/variants/prepare.ts "$name" "$WORK/$name" --files "$FILES" --base "$BASE" --results "$OUT/ledger"; then
      touch "$WORK/$name.ready"
    else
      touch "$WORK/$name.failed"
    fi
  done
}

train() {
  run="$WORK/$1"
  out="$OUT/$1"
  mkdir -p "$out"
  until [ -f "$run.ready" ] || [ -f "$run.failed" ]; do sleep 0.5; done
  [ -f "$run.ready" ] || return
  started=$(date +%s)
  $NODE python-free-trainer/src/cli.ts train "$run" > "$out/train.log" 2>&1
  echo "$1: exit $? after $(($(date +%s) - started)) s"
  grep '^evaluation' "$out/train.log" | tail -1
  tail -1 "$out/train.log"
  [ -f "$run/adapter.gguf" ] && split -b 15000000 -d "$run/adapter.gguf" "$out/adapter.gguf."
  cp "$run/config.json" "$run/run.json" "$out/"
  gzip -c "$run/events.jsonl" > "$out/events.jsonl.gz"
}

greedy() {
  for name in "$@"; do
    [ -d "$WORK/$name/adapter" ] && set -- "$@" "$name=$WORK/$name/adapter"
    shift
  done
  $NODE bench/variants/greedy.ts "$OUT/greedy" --files "$FILES" --base "$BASE" --python "${PYTHON:-python3}" "$@"
}

if [ "$1" = prepare ]; then
  shift
  prepare "$@"
elif [ "$1" = greedy ]; then
  shift
  greedy "$@"
else
  prepare "$@" &
  for name in "$@"; do train "$name"; done
fi
