export function ensureBuilt(options: {
  say: (line: string) => void;
}): Promise<'built' | 'up to date' | 'no sources' | 'no tools'>;
