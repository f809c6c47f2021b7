/** A value with its times and ids made the same in every run, and the folder it ran in named. */
export function normalised(value: unknown, folder: string): unknown {
  if (typeof value === 'string') return value.replaceAll(folder, '<folder>');
  if (Array.isArray(value)) return value.map((item) => normalised(item, folder));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key === 'ms') return [key, 0];
      if (key === 'id' && typeof item === 'string') return [key, '<id>'];
      if (key === 'time') return [key, '<time>'];
      return [key, normalised(item, folder)];
    }),
  );
}
