import { adapterTitle } from '../../runtime/model/adapter-file.ts';
import type { ModelChoice } from './choice.ts';

/** What answers, in a few words: `small`, `small with first`, `the script`. */
export function choiceInWords(choice: ModelChoice): string {
  if (choice.provider === 'scripted') return 'the script';
  if (choice.provider === 'openai' || choice.adapter === null) return choice.name;
  return `${choice.name} with ${adapterTitle(choice.adapter)}`;
}
