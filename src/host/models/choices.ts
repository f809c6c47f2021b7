import { readableBytes } from '../../runtime/model/errors.ts';
import type { ModelStatus } from '../../runtime/model/models.ts';
import type { ModelChoice } from './provider.ts';

/** One line of "Choose Model…". */
export interface ModelLine {
  what: ModelStatus['name'] | 'server' | 'test';
  label: string;
  description: string;
  detail: string;
}

/** What the lines are made from. */
export interface ModelSituation {
  /** null where the settings leave something open. */
  current: ModelChoice | null;
  local: readonly ModelStatus[];
  server: { address: string; name: string };
}

const SERVER_DETAIL = 'Ollama, llama-server, vLLM, LM Studio, a hosted one: any OpenAI-compatible server';

function joined(...parts: (string | false | undefined)[]): string {
  return parts.filter((part) => part).join(' · ');
}

/** Where a local model is, for people. */
export function whereabouts({ state, bytes, partialBytes }: ModelStatus): string {
  switch (state) {
    case 'bundled':
      return 'comes with the extension';
    case 'absent':
      return `${readableBytes(bytes)} to fetch once`;
    case 'partial':
      return `${readableBytes(partialBytes)} of ${readableBytes(bytes)} are here`;
    case 'no_adapter':
      return 'its adapter is missing';
    case 'ready':
    case 'unchecked':
      return 'on this machine';
  }
}

/** The lines of "Choose Model…": every model with its measured accuracy, and which one answers now. */
export function modelLines({ current, local, server }: ModelSituation): ModelLine[] {
  const lines: ModelLine[] = local.map((model) => {
    const isCurrent = current?.provider === 'local' && current.name === model.name;
    // A line has room for the first clause; the rest stands below every answer.
    const detail = model.accuracy.split(/[;,(]/)[0]?.trim() ?? '';
    return {
      what: model.name,
      label: `$(chip) ${model.name}`,
      description: joined(isCurrent && 'current', model.title, whereabouts(model)),
      detail,
    };
  });
  const isServer = current?.provider === 'openai';
  const named = server.name !== '' && `${server.name} at ${server.address}`;
  lines.push({
    what: 'server',
    label: '$(server) Server…',
    description: joined(isServer && 'current', named),
    detail: SERVER_DETAIL,
  });
  if (current !== null) lines.push(testLine(current));
  return lines;
}

function testLine(current: ModelChoice): ModelLine {
  const description = current.provider === 'scripted' ? 'the script' : current.name;
  return { what: 'test', label: '$(plug) Test the current model', description, detail: 'Asks it for one word' };
}
