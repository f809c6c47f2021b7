/** Names that the manifest and the code share; a test compares them. Commands are in `commands.ts`, settings in `settings.ts`. */

/** Prefix of every setting, command and view. */
export const NAMESPACE = 'sqlAgent';

/** View types of the read-only database editor: one identifier for each priority (https://github.com/microsoft/vscode/issues/141562). */
export const CUSTOM_EDITORS = {
  /** `*.sqlite`, `*.sqlite3`: opened by default. */
  database: 'sqlAgent.database',
  /** `*.db` and the like: by "Reopen With", after a look at the first bytes. */
  databaseOption: 'sqlAgent.databaseOption',
} as const;

export const VIEWS = { databases: 'sqlAgent.databases', runs: 'sqlAgent.runs' } as const;

/** View types of webview panels that VS Code restores after a reload. */
export const PANELS = {
  ask: 'sqlAgent.ask',
  item: 'sqlAgent.item',
  compare: 'sqlAgent.compare',
  report: 'sqlAgent.report',
  diagnosis: 'sqlAgent.diagnosis',
  training: 'sqlAgent.training',
} as const;

/** The test controller: its name stands before tags in the filter of the Test Explorer (`@sqlAgent.evals:wrong-rows`). */
export const TESTS = 'sqlAgent.evals';

/** The debug type of queries, in launch.json and in the manifest. */
export const DEBUG_TYPE = 'sql-trace';

/** The type of tasks that train, in tasks.json and in the manifest. */
export const TRAIN_TASK = 'sql-agent-train';
