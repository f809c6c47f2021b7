/** Builds everything into dist/, with `tests` also dist-test/. @returns sizes of the webview scripts in bytes. */
export function build(options?: { tests?: boolean }): Promise<{ file: string; bytes: number }[]>;
