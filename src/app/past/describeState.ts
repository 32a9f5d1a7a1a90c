import type { Json } from '../../domain/core/redact.ts';

/** Fields of a state as lines, each with the path of the field and its value in JSON. */
export function describeState(state: Json): string[] {
  const fields = [...flatten(state)];
  const width = Math.min(MAX_WIDTH, Math.max(0, ...fields.map(([path]) => path.length)));
  return fields.map(([path, value]) => `${path.padEnd(width)}  ${valueText(value)}`);
}

const MAX_WIDTH = 40;

function* flatten(value: Json, path = ''): Generator<[path: string, value: Json]> {
  const items = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (items.length === 0) yield [path, value];
  for (const [name, item] of items) yield* flatten(item as Json, path === '' ? name : `${path}/${name}`);
}

/** A value in JSON, as a line shows it. */
export const valueText = (value: Json): string => JSON.stringify(value);

/** A change as a line. */
export const changeText = ({ path, before, after }: { path: string; before: Json; after: Json }): string =>
  `${path === '' ? '(all of it)' : path.slice(1)}: ${valueText(before)} -> ${valueText(after)}`;
