import * as vscode from 'vscode';
import type { Provider } from '../../core/ports.ts';
import { cancelled } from '../errors.ts';

/** Short, and answered by every model: nothing of the user's is sent. */
const GREETING = 'Reply with the word ready.';
const MOST_TOKENS = 64;

/** An AbortSignal that follows a cancellation token. */
export function signalOf(token: vscode.CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}

/**
 * Asks a model for a word, with a notification that can be cancelled. @returns how long the answer took, in milliseconds.
 * @throws AppError of the provider, or `cancelled`.
 */
export async function tryModel(provider: Provider): Promise<number> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: `Testing ${provider.model.name}`,
    cancellable: true,
  };
  return await vscode.window.withProgress(options, async (progress, token) => {
    const started = performance.now();
    const request = {
      messages: [{ role: 'user' as const, content: GREETING }],
      stablePrefix: 0,
      prefixKey: null,
      temperature: 0,
      seed: null,
      maxTokens: MOST_TOKENS,
    };
    const onPhase = (phase: string, detail: string | null) => progress.report({ message: detail ?? `${phase} …` });
    await provider.chat(request, { onPhase }, signalOf(token));
    if (token.isCancellationRequested) throw cancelled();
    return performance.now() - started;
  });
}
