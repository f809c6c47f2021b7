/** A canonical text without what changes case or white space. */
export function withoutCase(text: string): string {
  const bare = text.replace(/\b(?:lower|upper|trim|ltrim|rtrim) \( ([^()]+) \)/g, '$1');
  if (bare !== text) return withoutCase(bare);
  return text
    .replace(/ collate nocase\b/g, '')
    .replace(/'((?:[^']|'')*)'/g, (_, value: string) => `'${value.toLowerCase().replace(/\s+/g, ' ').trim()}'`);
}
