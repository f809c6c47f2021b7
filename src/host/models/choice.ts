import type { LocalModelName } from '../../runtime/model/manifest.ts';

/** A model of this machine. */
export interface LocalChoice {
  provider: 'local';
  name: LocalModelName;
  /** Absolute path of an adapter (GGUF) in place of the model's own; null: its own. */
  adapter: string | null;
}

/** What answers: as the settings say it, with nothing left open. */
export type ModelChoice =
  | LocalChoice
  | { provider: 'openai'; address: string; name: string }
  | { provider: 'scripted'; path: string };
