/** `address` without white space around it and slashes at its end. */
export function tidyAddress(address: string): string {
  return address.trim().replace(/\/+$/, '');
}

/** True for an address that a server can have. */
export function isServerAddress(address: string): boolean {
  return URL.canParse(address) && ['http:', 'https:'].includes(new URL(address).protocol);
}

/** True where what is sent to `address` stays on this machine. */
export function isLoopback(address: string): boolean {
  return URL.canParse(address) && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);
}
