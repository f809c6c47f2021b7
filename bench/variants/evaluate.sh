#!/bin/sh
# Measures an adapter of `small` on Spider's development questions that all share, and compares it with a run before it:
#   nice sh bench/variants/evaluate.sh NAME ADAPTER [greedy|retries|repair]
# ADAPTER is a GGUF file or the folder with its pieces. Goes on where it was broken off. 13 minutes greedy on two quiet cores.
# BASELINE names the run to compare with (default: the shipped adapter's, greedy or with retries), RESULTS the folder of runs.
# NODE names another node.
set -eu
NODE="${NODE:-node} --disable-warning=ExperimentalWarning"
name=$1
adapter=$2
way=${3:-greedy}
RESULTS="${RESULTS:-results}"
DATA="${DATA:-../shared/data/spider}"
case $way in
  greedy) options="--retries 0"; before=20261129-215924-small-dev_shared-c035 ;;
  retries) options="--retries 3"; before=20261129-222107-small-dev_shared-81aa ;;
  repair) options="--retries 3 --repair"; before=20261129-222107-small-dev_shared-81aa ;;
  *) echo "greedy, retries or repair, not $way" >&2; exit 2 ;;
esac
if [ -d "$adapter" ]; then
  cat "$adapter"/adapter.gguf.* > "$adapter.lora.gguf"
  adapter="$adapter.lora.gguf"
fi
run="$RESULTS/variant-$name-$way"
[ -f "$run/run.json" ] && options="$options --resume"
# shellcheck disable=SC2086
$NODE src/cli/main.ts eval --dataset "$DATA/dev_shared.json" --db-root "$DATA/database" --model small --adapter "$adapter" \
  --results "$RESULTS" --out "$run" $options ${EVERY:+--every $EVERY}
$NODE src/cli/main.ts compare "${BASELINE:-results/published/$before}" "$run" --flips 5
