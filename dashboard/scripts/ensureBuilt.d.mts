export function ensureBuilt(options: {
  print: (line: string) => void;
}): Promise<'built' | 'up to date' | 'no sources' | 'no tools'>;
