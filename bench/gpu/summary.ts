/** How one proof ended, and the lines of JSON that it printed. */
export interface Result {
  name: string;
  outcome: string;
  seconds: number;
  /** Most memory of the GPU that it took, context included; null: not seen. */
  deviceGiB: number | null;
  lines: Record<string, unknown>[];
}

/** Fields that tell most of a line, where it has them. */
const TOLD = [
  'what',
  'value',
  'shape',
  'workload',
  'seconds',
  'tokensPerSecond',
  'peakGiB',
  'who',
  'ratio',
  'deviceGiB',
];

function told(line: Record<string, unknown>): string {
  return TOLD.flatMap((field) => (line[field] === undefined ? [] : [String(line[field])])).join(' ');
}

/** A line for people: name, outcome, time, and what is off or, of a proof of few lines, all that it found. */
export function summaryLine({ name, outcome, seconds, deviceGiB, lines }: Result): string {
  const judged = lines.filter(({ pass }) => typeof pass === 'boolean');
  const off = judged.filter(({ pass }) => pass === false);
  const head = `${name.padEnd(28)} ${outcome.padEnd(14)} ${seconds.toFixed(0).padStart(4)} s  ${deviceGiB ?? '-'} GiB`;
  const counts = judged.length === 0 ? '' : `  ${judged.length - off.length} of ${judged.length} as they should be`;
  const shown = off.length > 0 || lines.length > 12 ? off : lines;
  return [head + counts, ...shown.map((line) => `    ${told(line)}`).filter((text) => text.trim() !== '')].join('\n');
}

/** Our steps beside PyTorch's: by tokens a second, since the texts of (ii) are not the same, and by memory. */
export function stepRatios(results: readonly Result[]): string[] {
  const peers = results.filter(({ name }) => name.startsWith('peer-'));
  return results.flatMap(({ name, deviceGiB, lines }) => {
    const ours = lines.find(({ bench }) => bench === 'step');
    const peer = peers.find((one) => one.name === `peer-${ours?.['shape']}-${ours?.['workload']}`);
    const theirs = peer?.lines.find(({ tok_s }) => typeof tok_s === 'number');
    if (ours === undefined || peer === undefined || theirs === undefined) return [];
    const faster = Number(ours['tokensPerSecond']) / Number(theirs['tok_s']);
    const own = `allocated alone ${ours['peakGiB']} and ${theirs['peak_GiB']}`;
    return [
      `${name}: ${ours['seconds']} s, PyTorch ${theirs['step_s']} s: ${faster.toFixed(2)} times its tokens a second`,
      `${name}: ${deviceGiB} GiB of the GPU, PyTorch ${peer.deviceGiB} GiB (${own})`,
    ];
  });
}
