const PATTERNS: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w\-.~+/]+=*/gi, '$1 [secret]'],
  [
    /\b(authorization|api[-_ ]?key|x-api-key|token|secret|password)(["']?\s*[:=]\s*["']?)[^\s"',;&}]+/gi,
    '$1$2[secret]',
  ],
  [/\b(sk|pk|ghp|gho|hf|xox[abp])[-_][\w-]{8,}/g, '[secret]'],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@:]+:[^\s/@]+@/gi, '$1[secret]@'],
];

/** `text` without what is known to be secret (`known`) and without what looks like a key, token or password. */
export function redact(text: string, known: Iterable<string> = []): string {
  let clean = text;
  for (const secret of known) if (secret.length >= 4) clean = clean.replaceAll(secret, '[secret]');
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  return clean;
}
