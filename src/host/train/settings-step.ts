import * as vscode from 'vscode';
import { lastPart } from '../../core/training/facts.ts';
import type { TrainingChoices } from '../../runtime/trainer/settings.ts';
import { type Left, type Place, pickStep, typeStep } from '../runs/steps.ts';

/** What the user has said so far. */
export type TrainingDraft = Partial<TrainingChoices>;

type NumberName = 'epochs' | 'lr' | 'r' | 'batch' | 'maxLength' | 'seed';

/** A setting that is a number. */
interface NumberSetting {
  name: NumberName;
  label: string;
  /** What it is where nothing is said. */
  unset: string;
  isWhole: boolean;
}

const NUMBERS: readonly NumberSetting[] = [
  { name: 'epochs', label: 'Passes over the data', unset: '3; 6 for models of 20 to 600 M parameters', isWhole: false },
  { name: 'lr', label: 'Learning rate', unset: '2e-4; 1e-3 for models of up to 600 M parameters', isWhole: false },
  { name: 'r', label: 'Rank of the adapter', unset: '16; 64 for models of 20 to 600 M parameters', isWhole: true },
  { name: 'batch', label: 'Examples of a step', unset: '16', isWhole: true },
  { name: 'maxLength', label: 'Longest example, in tokens', unset: '4096', isWhole: true },
  { name: 'seed', label: 'Seed', unset: '0', isWhole: true },
];
const DEVICES: readonly { device: NonNullable<TrainingChoices['device']>; text: string }[] = [
  { device: 'auto', text: 'the GPU where there is one' },
  { device: 'cpu', text: 'the processor' },
  { device: 'cuda', text: 'an NVIDIA GPU, or not at all' },
];

interface SettingItem extends vscode.QuickPickItem {
  /** Asks for the setting; null: start. */
  ask: (() => Promise<Left>) | null;
}

async function askNumber(draft: TrainingDraft, { name, label, unset, isWhole }: NumberSetting, place: Place) {
  const least = name === 'seed' ? 0 : isWhole ? 1 : Number.MIN_VALUE;
  const fits = (text: string) => Number(text) >= least && (!isWhole || /^\d+$/.test(text));
  const said = isWhole ? `A whole number from ${least} on` : 'A number above 0';
  const answer = await typeStep(place, `${label}; empty: ${unset}`, {
    value: draft[name] === undefined ? '' : String(draft[name]),
    problemOf: (text) => (text === '' || fits(text) ? null : said),
  });
  if (typeof answer === 'string') return answer;
  if (answer.text === '') delete draft[name];
  else draft[name] = Number(answer.text);
  return 'next';
}

async function askDevice(draft: TrainingDraft, place: Place): Promise<Left> {
  const items = DEVICES.map(({ device, text }) => ({ label: device, description: text, device }));
  const picked = await pickStep(place, 'What computes', items);
  if (typeof picked === 'string') return picked;
  draft.device = picked.device;
  return 'next';
}

async function askEvalData(draft: TrainingDraft): Promise<Left> {
  const filters = { 'JSON lines': ['jsonl', 'gz'], 'All files': ['*'] };
  const title = 'Data for Evaluation';
  const [chosen] = (await vscode.window.showOpenDialog({ title, openLabel: 'Use File', filters })) ?? [];
  if (chosen !== undefined) draft.evalData = chosen.fsPath;
  return 'next';
}

function settingItems(draft: TrainingDraft, place: Place): SettingItem[] {
  const inner = { ...place, isFirst: false };
  const numbers = NUMBERS.map((setting): SettingItem => {
    const value = draft[setting.name];
    const description = value === undefined ? `default: ${setting.unset}` : String(value);
    return { label: `$(edit) ${setting.label}`, description, ask: () => askNumber(draft, setting, inner) };
  });
  const evalData = draft.evalData === undefined ? 'default: 5 % of the data, set apart' : lastPart(draft.evalData);
  return [
    {
      label: '$(play) Start',
      detail: `${lastPart(draft.base ?? '')} on ${lastPart(draft.data ?? '')}; the run goes on when this window is closed`,
      ask: null,
    },
    ...numbers,
    { label: '$(edit) Device', description: draft.device ?? 'default: auto', ask: () => askDevice(draft, inner) },
    { label: '$(file) Data for evaluation', description: evalData, ask: () => askEvalData(draft) },
  ];
}

/** Shows the settings of a run, which can be changed one by one, until it is to start. */
export async function askSettings(draft: TrainingDraft, place: Place): Promise<Left> {
  for (;;) {
    const picked = await pickStep<SettingItem>(place, 'Start, or change a setting', settingItems(draft, place));
    if (typeof picked === 'string') return picked;
    if (picked.ask === null) return 'next';
    if ((await picked.ask()) === 'cancel') return 'cancel';
  }
}
