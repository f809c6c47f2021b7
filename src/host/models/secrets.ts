import type * as vscode from 'vscode';

/** The name under which the key for a server is kept: by origin, so that another address is never sent this key. */
function secretName(address: string): string {
  return `sqlAgent.key:${new URL(address).origin}`;
}

/** The key for the server at `address`; null where none is kept. */
export async function readKey(secrets: vscode.SecretStorage, address: string): Promise<string | null> {
  return (await secrets.get(secretName(address))) ?? null;
}

/** Keeps the key for the server at `address`, or forgets it where it is ''. */
export async function keepKey(secrets: vscode.SecretStorage, address: string, key: string): Promise<void> {
  if (key === '') await secrets.delete(secretName(address));
  else await secrets.store(secretName(address), key);
}
