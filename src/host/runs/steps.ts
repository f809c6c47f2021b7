import * as vscode from 'vscode';

/** What a step was left by. */
export type Left = 'next' | 'back' | 'cancel';

/** A question of a sequence. @returns how it was left; what was answered it keeps itself */
export interface Step {
  /** Whether the question comes at all, with what is known by then. */
  isNeeded(): boolean | Promise<boolean>;
  ask(place: Place): Promise<Left>;
}

/** Where a step stands. */
export interface Place {
  title: string;
  isFirst: boolean;
}

/** Asks a sequence of questions; "Back" leads to the last one that came. @returns false where the user left */
export async function runSteps(title: string, steps: readonly Step[]): Promise<boolean> {
  const came: number[] = [];
  for (let index = 0; index < steps.length; ) {
    const step = steps[index];
    if (step === undefined || !(await step.isNeeded())) {
      index += 1;
      continue;
    }
    const left = await step.ask({ title, isFirst: came.length === 0 });
    if (left === 'cancel') return false;
    if (left === 'next') {
      came.push(index);
      index += 1;
    } else index = await lastNeeded(steps, came);
  }
  return true;
}

/** Takes back steps that came until one that still comes: what it asked for may have been found meanwhile. */
async function lastNeeded(steps: readonly Step[], came: number[]): Promise<number> {
  for (let index = came.pop(); index !== undefined; index = came.pop())
    if (await steps[index]?.isNeeded()) return index;
  return 0;
}

/** Shows a list until a line is picked or left. @returns the line, or how it was left */
export function pickStep<T extends vscode.QuickPickItem>(
  { title, isFirst }: Place,
  placeholder: string,
  items: readonly T[],
  active?: T,
): Promise<T | 'back' | 'cancel'> {
  const pick = vscode.window.createQuickPick<T>();
  Object.assign(pick, { title, placeholder, items, ignoreFocusOut: true });
  Object.assign(pick, { matchOnDescription: true, matchOnDetail: true });
  if (active !== undefined) pick.activeItems = [active];
  return shown(pick, isFirst, () => pick.selectedItems[0]);
}

/** Shows a box until something that is valid was typed. @returns the text, or how it was left */
export async function typeStep(
  { title, isFirst }: Place,
  prompt: string,
  { value, problemOf }: { value: string; problemOf(text: string): string | null },
): Promise<{ text: string } | 'back' | 'cancel'> {
  const box = vscode.window.createInputBox();
  Object.assign(box, { title, prompt, value, ignoreFocusOut: true });
  box.onDidChangeValue(() => {
    box.validationMessage = undefined;
  });
  return await shown(box, isFirst, () => {
    const problem = problemOf(box.value.trim());
    if (problem === null) return { text: box.value.trim() };
    box.validationMessage = problem;
    return undefined;
  });
}

interface Shown extends vscode.QuickInput {
  buttons: readonly vscode.QuickInputButton[];
  onDidAccept: vscode.Event<void>;
  onDidTriggerButton: vscode.Event<vscode.QuickInputButton>;
}

/** @param accepted what was answered; undefined: it stays open */
function shown<T>(input: Shown, isFirst: boolean, accepted: () => T | undefined): Promise<T | 'back' | 'cancel'> {
  return new Promise((resolve) => {
    const end = (answer: T | 'back' | 'cancel') => {
      resolve(answer);
      input.dispose();
    };
    if (!isFirst) input.buttons = [vscode.QuickInputButtons.Back];
    input.onDidTriggerButton(() => end('back'));
    input.onDidAccept(() => {
      const answer = accepted();
      if (answer !== undefined) end(answer);
    });
    input.onDidHide(() => end('cancel'));
    input.show();
  });
}
