import { SUITE_ENDING } from '../../protocol/dataset.ts';

const MOST_CHARACTERS = 40;

/** A name as it stands in the name of a folder. */
function slug(name: string): string {
  const safe = name.replaceAll(/[^A-Za-z0-9._]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '');
  return safe.slice(0, MOST_CHARACTERS) || 'unnamed';
}

function stem(file: string): string {
  return file.endsWith(SUITE_ENDING) ? file.slice(0, -SUITE_ENDING.length) : file.replace(/(?<=.)\.[^.]*$/, '');
}

/**
 * The id of a run, e.g. `20261129-213005-small-dev_shared-4f2a`. Ids sort by time.
 *
 * @param time when the run begins; shown in UTC, to the second
 * @param dataset file name
 * @param random four hex digits that keep two runs of one second apart
 */
export function runId(time: Date, model: string, dataset: string, random: string): string {
  const [day = '', clock = ''] = time.toISOString().replaceAll(/[-:]/g, '').split(/[T.]/);
  return `${day}-${clock}-${slug(model)}-${slug(stem(dataset))}-${random}`;
}
