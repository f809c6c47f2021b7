import { readableBytes } from '../../runtime/model/errors.ts';
import type { PullProgress } from '../../runtime/model/progress.ts';

const STEPS: Record<PullProgress['step'], string> = {
  adapter: 'adapter',
  downloading: 'downloaded',
  copying: 'copied',
  checking: 'checked',
};

/** Progress for people: "412.0 MB of 1.12 GB downloaded, 5.1 MB/s, 2 min left". */
export function progressText({ step, bytes, total, bytesPerSecond, secondsLeft }: PullProgress): string {
  const parts = [`${readableBytes(bytes)} of ${readableBytes(total)} ${STEPS[step]}`];
  if (bytesPerSecond !== null) parts.push(`${readableBytes(bytesPerSecond)}/s`);
  if (secondsLeft !== null)
    parts.push(secondsLeft < 90 ? `${Math.ceil(secondsLeft)} s left` : `${Math.ceil(secondsLeft / 60)} min left`);
  return parts.join(', ');
}
