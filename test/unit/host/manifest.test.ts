import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { COMMANDS } from '../../../src/host/commands.ts';
import { CUSTOM_EDITORS, DEBUG_TYPE, NAMESPACE, PANELS, TRAIN_TASK, VIEWS } from '../../../src/host/ids.ts';
import { SETTINGS } from '../../../src/host/settings.ts';
import { TrainTask } from '../../../src/host/train/task-definition.ts';
import { LaunchArguments } from '../../../src/protocol/dap.ts';
import { SUITE_ENDING } from '../../../src/protocol/dataset.ts';

const root = new URL('../../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');

const Property = z.looseObject({
  type: z.string(),
  default: z.unknown(),
  enum: z.optional(z.array(z.string())),
  minimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
  order: z.number(),
  scope: z.string(),
  markdownDescription: z.string(),
  markdownEnumDescriptions: z.optional(z.array(z.string())),
});
const MenuItem = z.object({ command: z.string(), when: z.optional(z.string()), group: z.optional(z.string()) });
const Manifest = z.object({
  icon: z.string(),
  main: z.string(),
  activationEvents: z.array(z.string()),
  capabilities: z.object({
    untrustedWorkspaces: z.object({ supported: z.literal('limited'), restrictedConfigurations: z.array(z.string()) }),
    virtualWorkspaces: z.object({ supported: z.literal(false), description: z.string() }),
  }),
  contributes: z.object({
    configuration: z.array(z.object({ title: z.string(), properties: z.record(z.string(), Property) })),
    commands: z.array(z.object({ command: z.string(), category: z.string(), title: z.string() })),
    customEditors: z.array(z.object({ viewType: z.string(), priority: z.string() })),
    breakpoints: z.array(z.object({ language: z.string() })),
    debuggers: z.array(
      z.object({
        type: z.string(),
        languages: z.array(z.string()),
        configurationAttributes: z.object({ launch: z.object({ properties: z.record(z.string(), z.unknown()) }) }),
      }),
    ),
    taskDefinitions: z.array(
      z.object({ type: z.string(), required: z.array(z.string()), properties: z.record(z.string(), z.unknown()) }),
    ),
    views: z.record(z.string(), z.array(z.object({ id: z.string() }))),
    viewsWelcome: z.array(z.object({ view: z.string(), contents: z.string() })),
    menus: z.record(z.string(), z.array(MenuItem)),
  }),
});

const manifest = Manifest.parse(JSON.parse(read('package.json')));
const words: Record<string, string> = JSON.parse(read('package.nls.json'));
const { contributes } = manifest;
const properties = Object.assign({}, ...contributes.configuration.map((group) => group.properties)) as Record<
  string,
  z.infer<typeof Property>
>;
const views = Object.values(contributes.views).flat();
const sorted = (names: Iterable<string>) => [...names].sort();

/** Every command that a text of the manifest links to or a menu shows. */
function commandsNamed(): string[] {
  const text = `${read('package.json')}${read('package.nls.json')}`;
  const linked = [...text.matchAll(/command:(sqlAgent\.\w+)/g)].map((match) => match[1] ?? '');
  return [...linked, ...Object.values(contributes.menus).flatMap((items) => items.map(({ command }) => command))];
}

describe('the manifest', () => {
  it('declares the commands of the command table, and no others', () => {
    assert.deepEqual(sorted(contributes.commands.map(({ command }) => command)), sorted(Object.keys(COMMANDS)));
  });

  it('names no command in a menu or a text that does not exist', () => {
    const known = new Set(Object.keys(COMMANDS));
    assert.deepEqual(
      commandsNamed().filter((command) => command.startsWith(NAMESPACE) && !known.has(command)),
      [],
    );
  });

  it('puts every command under the category "SQL Agent"', () => {
    assert.deepEqual(new Set(contributes.commands.map(({ category }) => category)), new Set(['SQL Agent']));
  });

  it('declares the settings of the code, and no others', () => {
    assert.deepEqual(
      sorted(Object.keys(properties)),
      sorted(Object.keys(SETTINGS).map((name) => `${NAMESPACE}.${name}`)),
    );
  });

  for (const [name, { schema, fallback }] of Object.entries(SETTINGS))
    it(`says of the setting ${name} what the code says`, () => {
      const property = properties[`${NAMESPACE}.${name}`];
      assert.ok(property);
      const { type, enum: choices, minimum, maximum } = z.toJSONSchema(schema as z.core.$ZodType);
      const declared = {
        type: property.type,
        enum: property.enum,
        minimum: property.minimum,
        maximum: property.maximum,
      };
      assert.deepEqual(declared, { type, enum: choices, minimum, maximum });
      assert.deepEqual(property.default, fallback);
      assert.equal(property.markdownEnumDescriptions?.length, property.enum?.length);
    });

  it('numbers the settings of a group in the order in which they stand', () => {
    for (const { title, properties: group } of contributes.configuration)
      assert.deepEqual(
        Object.values(group).map(({ order }) => order),
        Object.values(group).map((_, index) => index + 1),
        title,
      );
  });

  it('declares the custom editors and views of the code, and no others', () => {
    assert.deepEqual(
      sorted(contributes.customEditors.map(({ viewType }) => viewType)),
      sorted(Object.values(CUSTOM_EDITORS)),
    );
    assert.deepEqual(sorted(views.map(({ id }) => id)), sorted(Object.values(VIEWS)));
  });

  it('declares the debugger of the code, with the arguments that a launch takes', () => {
    const [only, ...others] = contributes.debuggers;
    assert.deepEqual([only?.type, only?.languages, others], [DEBUG_TYPE, ['sql'], []]);
    assert.deepEqual(contributes.breakpoints, [{ language: 'sql' }]);
    // The folder of results and the limit of time come from the settings.
    const taken = Object.keys(LaunchArguments.shape).filter((name) => name !== 'results' && name !== 'timeoutMs');
    assert.deepEqual(sorted(Object.keys(only?.configurationAttributes.launch.properties ?? {})), sorted(taken));
  });

  it('declares the task that trains, with the fields that it takes', () => {
    const [only, ...others] = contributes.taskDefinitions;
    assert.deepEqual([only?.type, only?.required, others], [TRAIN_TASK, ['base', 'data'], []]);
    const taken = Object.keys(TrainTask.shape).filter((name) => name !== 'type');
    assert.deepEqual(sorted(Object.keys(only?.properties ?? {})), sorted(taken));
  });

  it('has a welcome in every view', () => {
    const welcomed = new Set(contributes.viewsWelcome.map(({ view }) => view));
    assert.deepEqual(welcomed, new Set(views.map(({ id }) => id)));
  });

  it('activates on use alone: for a panel to restore, a query to debug, a task, a suite file or training runs in the folder, never at start-up', () => {
    const restored = Object.values(PANELS).map((panel) => `onWebviewPanel:${panel}`);
    const debugging = ['onDebugResolve', 'onDebugDynamicConfigurations'].map((event) => `${event}:${DEBUG_TYPE}`);
    const contained = [`**/*${SUITE_ENDING}`, SETTINGS['training.folder'].fallback];
    const expected = [
      ...restored,
      ...debugging,
      `onTaskType:${TRAIN_TASK}`,
      ...contained.map((pattern) => `workspaceContains:${pattern}`),
    ];
    assert.deepEqual(sorted(manifest.activationEvents), sorted(expected));
  });

  it('takes from an untrusted folder no setting that says where questions go', () => {
    const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
    assert.deepEqual(
      sorted(restricted),
      sorted(Object.keys(properties).filter((name) => name.startsWith('sqlAgent.model.'))),
    );
  });

  it('has a text for every %key% and a use for every text', () => {
    const used = [...read('package.json').matchAll(/%([\w.]+)%/g)].map((match) => match[1] ?? '');
    assert.deepEqual(sorted(new Set(used)), sorted(Object.keys(words)));
  });

  it('writes no Markdown where VS Code shows plain text', () => {
    const plain = Object.entries(words).filter(([key]) => /^(welcome|walkthrough|command|view)\./.test(key));
    assert.ok(plain.length > 0);
    assert.deepEqual(
      plain.filter(([, text]) => /[`*_]/.test(text.replaceAll(/\]\([^)]*\)/g, ''))),
      [],
    );
  });

  it('names only files that exist', () => {
    const files = [...read('package.json').matchAll(/"((?:media|docs)\/[^"]+)"/g)].map((match) => match[1] ?? '');
    assert.ok(files.includes(manifest.icon));
    assert.deepEqual(
      files.filter((path) => !existsSync(fileURLToPath(new URL(path, root)))),
      [],
    );
  });
});
