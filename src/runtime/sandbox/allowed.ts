/** Functions that reach outside the database, change it or write to a log. Lower case. */
const DENIED_FUNCTIONS = new Set([
  'load_extension',
  'readfile',
  'writefile',
  'edit',
  'fsdir',
  'lsdir',
  'zipfile',
  'sqlar_compress',
  'sqlar_uncompress',
  'fts3_tokenizer',
  'icu_load_collation',
  'sqlite_log',
  // Merges the segments of an FTS3 table: a write behind a SELECT.
  'optimize',
]);

/** Pragmas that only read, whatever their argument: the argument names a table, an index or a count. */
const READING_PRAGMAS = new Set([
  'table_info',
  'table_xinfo',
  'table_list',
  'index_list',
  'index_info',
  'index_xinfo',
  'foreign_key_list',
  'foreign_key_check',
  'database_list',
  'collation_list',
  'function_list',
  'module_list',
  'pragma_list',
  'compile_options',
  'integrity_check',
  'quick_check',
]);

/** Pragmas that read without an argument and would set something with one. */
const READING_WITHOUT_ARGUMENT = new Set([
  'application_id',
  'auto_vacuum',
  'data_version',
  'encoding',
  'foreign_keys',
  'freelist_count',
  'page_count',
  'page_size',
  'schema_version',
  'user_version',
]);

/** Whether the sandbox refuses a SQL function. */
export function isDeniedFunction(name: string): boolean {
  return DENIED_FUNCTIONS.has(name.toLowerCase());
}

/** Whether the sandbox lets a pragma (also as `pragma_NAME(…)`) run with this argument; null: it has none. */
export function isAllowedPragma(name: string, argument: string | null): boolean {
  const lower = name.toLowerCase();
  return READING_PRAGMAS.has(lower) || (argument === null && READING_WITHOUT_ARGUMENT.has(lower));
}
