#!/bin/sh
# Measures an adapter of `small` or `coder` on Spider's development questions that all share, and compares it with a run before it:
#   nice sh bench/variants/evaluate.sh NAME ADAPTER [greedy|retries|repair]
# NAME is a variant's: one that begins with coder- is for `coder`, any other for `small`. ADAPTER is a GGUF file, the folder with
# its pieces, or answers that `greedy.ts` wrote (a .json: no model is needed, seconds). Goes on where it was broken off. Greedy on
# two quiet cores: `small` 8 minutes, `coder` half an hour; EVERY=4 asks each fourth question, LIMIT=60 the first 60.
# BASELINE names the run to compare with, on the questions of both (default: the shipped adapter's, greedy or as it is asked),
# RESULTS the folder of runs. NODE names another node.
set -eu
NODE="${NODE:-node} --disable-warning=ExperimentalWarning"
name=$1
adapter=$2
way=${3:-greedy}
RESULTS="${RESULTS:-results}"
DATA="${DATA:-../shared/data/spider}"
case $name in coder-*) model=coder ;; *) model=small ;; esac
case $way in
  greedy) options="--retries 0" ;;
  retries) options="--retries 3 --no-repair" ;;
  repair) options="--retries 3 --repair" ;;
  *) echo "greedy, retries or repair, not $way" >&2; exit 2 ;;
esac
# The published runs of the adapters that are shipped.
case $model-$way in
  small-greedy) before=20261130-123612-small-dev_shared-980b ;;
  small-*) before=20261130-121935-small-dev_shared-15c4 ;;
  coder-greedy) before=20261130-120844-coder-dev_shared-e137 ;;
  coder-*) before=20261130-123729-coder-dev_shared-9739 ;;
esac
run="$RESULTS/variant-$name-$way"
if [ -d "$adapter" ]; then
  cat "$adapter"/adapter.gguf.* > "$adapter.lora.gguf"
  adapter="$adapter.lora.gguf"
fi
case $adapter in
  *.json)
    [ "$way" = greedy ] || { echo "$adapter has greedy answers alone" >&2; exit 2; }
    run="$run-answers"
    set -- --provider scripted --script "$adapter" --concurrency 1
    ;;
  *) set -- --model "$model" --adapter "$adapter" ${EVERY:+--every "$EVERY"} ${LIMIT:+--limit "$LIMIT"} ;;
esac
[ -f "$run/run.json" ] && options="$options --resume"
# shellcheck disable=SC2086
$NODE src/cli/main.ts eval --dataset "$DATA/dev_shared.json" --db-root "$DATA/database" "$@" \
  --results "$RESULTS" --out "$run" $options
$NODE src/cli/main.ts compare "${BASELINE:-results/published/$before}" "$run" --flips 5
