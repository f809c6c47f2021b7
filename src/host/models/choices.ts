import { readableBytes } from '../../runtime/model/errors.ts';
import type { ModelStatus } from '../../runtime/model/models.ts';
import { timeInShort } from '../runs/look.ts';
import type { KnownAdapter } from './adapters.ts';
import type { ModelChoice } from './choice.ts';
import { choiceInWords } from './choice-words.ts';

/** One line of "Choose Model…". */
export interface ModelLine {
  /** `heading`: stands above those that follow. `adapterFile`: any adapter, by its file. */
  what: ModelStatus['name'] | 'adapter' | 'adapterFile' | 'server' | 'test' | 'heading';
  label: string;
  description: string;
  detail: string;
  /** Path of the adapter that the line stands for. */
  adapter?: string;
}

/** What the lines are made from. */
export interface ModelSituation {
  /** null where the settings leave something open. */
  current: ModelChoice | null;
  local: readonly ModelStatus[];
  /** Adapters of the user's, the newest first. */
  adapters: readonly KnownAdapter[];
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

const heading = (label: string): ModelLine => ({ what: 'heading', label, description: '', detail: '' });

function localLine(model: ModelStatus, current: ModelChoice | null): ModelLine {
  const isCurrent = current?.provider === 'local' && current.name === model.name && current.adapter === null;
  // A line has room for the first clause; the rest stands below every answer.
  const detail = model.accuracy.split(/[;,(]/)[0]?.trim() ?? '';
  return {
    what: model.name,
    label: `$(chip) ${model.name}`,
    description: joined(isCurrent && 'current', model.title, whereabouts(model)),
    detail,
  };
}

/** How good an adapter is, or why it cannot answer. */
export function adapterDetail({ base, evaluated }: Pick<KnownAdapter, 'base' | 'evaluated'>): string {
  if (base === null) return 'Its model is none of those that answer here';
  return evaluated ?? 'Not evaluated yet';
}

function adapterLine(adapter: KnownAdapter, current: ModelChoice | null): ModelLine {
  const { path, title, base, baseName, changed } = adapter;
  const isCurrent = current?.provider === 'local' && current.adapter === path;
  const trained = `trained for ${baseName}, ${timeInShort(new Date(changed).toISOString())}`;
  return {
    what: 'adapter',
    label: `$(${base === null ? 'circle-slash' : 'layers'}) ${title}`,
    description: joined(isCurrent && 'current', trained),
    detail: adapterDetail(adapter),
    adapter: path,
  };
}

function serverLine({ current, server }: ModelSituation): ModelLine {
  const isCurrent = current?.provider === 'openai';
  const named = server.name !== '' && `${server.name} at ${server.address}`;
  return {
    what: 'server',
    label: '$(server) Server…',
    description: joined(isCurrent && 'current', named),
    detail: SERVER_DETAIL,
  };
}

/**
 * The lines of "Choose Model…": every model and adapter with its measured accuracy, and which one answers now.
 */
export function modelLines(situation: ModelSituation): ModelLine[] {
  const { current, local, adapters } = situation;
  return [
    ...local.map((model) => localLine(model, current)),
    heading('Your adapters'),
    ...adapters.map((adapter) => adapterLine(adapter, current)),
    { what: 'adapterFile', label: '$(file) Adapter from a File…', description: '', detail: 'GGUF, for small or coder' },
    heading('Elsewhere'),
    serverLine(situation),
    ...(current === null ? [] : [testLine(current)]),
  ];
}

function testLine(current: ModelChoice): ModelLine {
  const label = '$(plug) Test the current model';
  return { what: 'test', label, description: choiceInWords(current), detail: 'Asks it for one word' };
}
