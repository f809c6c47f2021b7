// `npm run results`: writes docs/results.md from the runs of results/published by the command line's own reports and comparisons.
// The part "what goes wrong" needs the databases of docs/data.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const RUNS = {
  one: { id: '20261130-123612-small-dev_shared-980b', about: '`small`, greedy' },
  retries: {
    id: '20261130-121935-small-dev_shared-15c4',
    about: '`small`, as it is asked: with retries, the error shown at the first',
  },
  coder: { id: '20261130-120844-coder-dev_shared-e137', about: '`coder`, greedy' },
  coderRetries: { id: '20261130-123729-coder-dev_shared-9739', about: '`coder`, as it is asked: with retries' },
  wordings: {
    id: '20261130-093712-small-dev_shared-b588',
    about: '`small` with an earlier adapter (other words, no repairs), greedy',
  },
  wordingsRetries: { id: '20261130-094500-small-dev_shared-47ae', about: 'the same, with retries' },
  peft: { id: '20261129-215924-small-dev_shared-c035', about: "`small` with PEFT's adapter, greedy" },
  linked: { id: '20261129-221256-small-dev_shared-11b3', about: "`small` with PEFT's adapter, greedy, linked schema" },
  oracle: {
    id: '20261129-221542-small-dev_shared-b69c',
    about: "`small` with PEFT's adapter, greedy, the gold's tables",
  },
  peftCoder: { id: '20261129-215415-coder-dev_shared-5808', about: "`coder` with PEFT's adapter, greedy" },
};

/** Ours stand apart: what whoever has this repository evaluates lands in `results`, which git leaves alone. */
const PUBLISHED = 'results/published';

const COMPARISONS = [
  [
    "PEFT's adapter of `small` against ours",
    'peft',
    'one',
    'PEFT: the questions as they are. Ours: each schema in six wordings, and a repair of each question.',
  ],
  ['One shot against one shot with retries', 'one', 'retries', ''],
  [
    'Asked anew against the error shown',
    'wordingsRetries',
    'retries',
    'The adapter before knew no repairs and was asked anew; the one now is shown the error of its query.',
  ],
  [
    "The whole schema against the linked one (with PEFT's adapter)",
    'peft',
    'linked',
    'Schemas of these databases are small: the linker keeps every table, and the answers are the same.',
  ],
  [
    "The whole schema against exactly the tables of the gold (with PEFT's adapter)",
    'peft',
    'oracle',
    'What perfect linking would give; it needs the gold, so it is a measure and not a mode to use.',
  ],
  ['`small` against `coder`', 'one', 'coder', ''],
  ["PEFT's adapter of `coder` against ours", 'peftCoder', 'coder', 'The first 60 questions, on the easier databases.'],
];

function sqlAgent(...words) {
  return execFileSync(process.execPath, [join(root, 'scripts/sql-agent.mjs'), ...words, '--results', PUBLISHED], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
}

const percent = (share) => `${(100 * share).toFixed(1)}`;

function runRow({ id, about }) {
  const line = byId.get(id);
  const { shares, soft_f1, official_not_strict, fragile, outcomes } = line.summary;
  const cell = ({ right, of, low, high }) => `${percent(right / of)} (${percent(low)} to ${percent(high)})`;
  const { right, wrong_rows, sql_error } = outcomes;
  const columns = [
    `${about}<br>\`${id}\``,
    `${line.summary.done}`,
    cell(shares.spider_ex),
    cell(shares.official_ex),
    cell(shares.strict_ex),
    percent(soft_f1),
    `${right} / ${wrong_rows} / ${sql_error}`,
    `${official_not_strict}`,
    `${fragile.differ} of ${fragile.right}`,
  ];
  return `| ${columns.join(' | ')} |`;
}

/** A document of the command line as a section: headings one level down, without its title, by-item parts left out. */
function section(markdown, headings) {
  const parts = markdown.split(/^(?=## )/m);
  const [top = '', ...rest] = parts;
  const kept = rest.filter((part) => headings.some((heading) => part.startsWith(`## ${heading}`)));
  return [top.replace(/^# .*\n+/, ''), ...kept].join('').replace(/^## /gm, '#### ');
}

/** Links to items lead nowhere outside the report itself, and long lists help nobody here. */
function shortLists(text) {
  const plain = text.replace(/\[([^\]]+)\]\(#item-[^)]*\)/g, '$1');
  return plain.replace(/((?:\d+, ){12})(?:\d+, )*\d+ \|$/gm, '$1… |');
}

const lines = readFileSync(join(root, PUBLISHED, 'ledger.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const byId = new Map(lines.map((line) => [line.run_id, line]));
const runs = Object.values(RUNS).map(({ id }) => byId.get(id));
const { machine } = byId.get(RUNS.one.id);

const wrong = section(sqlAgent('report', RUNS.retries.id, '--diagnose', '--markdown'), ['What goes wrong']);

const page = `# Our own figures

521 of Spider's 1,034 development questions, those on ten of its twenty development databases, measured on
${machine.cpus} cores (AMD EPYC, ${machine.platform}, Node ${machine.node}). Day, commit and settings of each run stand in its line of the ledger
(\`sql-agent ledger show RUN --results results/published\`). Ledger and outputs are in
[\`results/published\`](../results/published); \`sql-agent ledger verify --results results/published\` checks them,
\`npm run results\` makes this page from them. What the metrics mean: [scoring](scoring.md).

| run | items | spider_ex % | official_ex % | strict_ex % | soft_f1 | right / wrong rows / SQL error | official, not strict | fragile |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${Object.values(RUNS).map(runRow).join('\n')}

\`dev_shared.json\` holds the questions of Spider's \`dev.json\` on \`battle_death\`, \`car_1\`, \`concert_singer\`,
\`employee_hire_evaluation\`, \`flight_2\`, \`museum_visit\`, \`orchestra\`, \`pets_1\`, \`singer\` and \`world_1\`, with \`question_id\` counting
from 0. Intervals are Wilson's of 95 %. *Fragile*: right answers (by \`official_ex\`) that stop agreeing with their gold on changed
copies of the database. The commands, in a folder with the data as [data](data.md) has it:

\`\`\`
${[...new Set(runs.map((line) => line.command.join(' ')))].join('\n')}
\`\`\`

The greedy answers of a model depend a little on the processor: rounding decides between words that are nearly equal. PEFT's
adapter of \`small\` had 41.8 % here and 43.2 % on a Xeon with AMX. On one machine a second run gave one other answer of 521.
The adapters were chosen by these very questions from among several ([their card](../models/README.md)).

## What goes wrong

Of \`${RUNS.retries.id}\` (\`sql-agent report … --diagnose --results ${PUBLISHED}\`):

${shortLists(wrong.slice(wrong.indexOf('#### What goes wrong')).replace(/^#### .*\n+/, ''))}
## Comparisons

${COMPARISONS.map(([title, a, b, text]) => {
  const words = ['compare', RUNS[a].id, RUNS[b].id, '--markdown', '--flips', '0'];
  const body = section(sqlAgent(...words), ['Items', 'By database']);
  return `### ${title}\n\n\`sql-agent ${words.slice(0, 3).join(' ')} --results ${PUBLISHED}\`\n\n${text === '' ? '' : `${text}\n\n`}${body}`;
}).join('\n')}`;

writeFileSync(join(root, 'docs/results.md'), `${page.trim()}\n`);
console.log('docs/results.md');
