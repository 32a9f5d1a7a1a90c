import type { Json } from '../../domain/core/redact.ts';
import { forgottenIn } from '../../management/subjects/forgottenFields.ts';

/** Fields of a state as lines, each with the path of the field and its value in JSON. */
export function describeState(state: Json): string[] {
  const fields = [...flatten(state)];
  const width = Math.min(MAX_WIDTH, Math.max(0, ...fields.map(([path]) => path.length)));
  return fields.map(([path, value]) => `${path.padEnd(width)}  ${value === undefined ? FORGOTTEN : valueText(value)}`);
}

/** In place of a value that was forgotten. */
export const FORGOTTEN = '(forgotten)';

const MAX_WIDTH = 40;

/** Yields undefined in place of a value that was forgotten. */
function* flatten(value: Json, path = ''): Generator<[path: string, value: Json | undefined]> {
  const items = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (items.length === 0) yield [path, value];
  const forgotten = forgottenIn(value);
  for (const [name, item] of items) {
    if (name === 'forgotten' && forgotten.length > 0) continue;
    const at = path === '' ? name : `${path}/${name}`;
    if (forgotten.includes(name)) yield [at, undefined];
    else yield* flatten(item as Json, at);
  }
}

/** A value in JSON, as a line shows it. */
export const valueText = (value: Json): string => JSON.stringify(value);

/** A change as a line. */
export const changeText = ({ path, before, after }: { path: string; before: Json; after: Json }): string =>
  `${path === '' ? '(all of it)' : path.slice(1)}: ${valueText(before)} -> ${valueText(after)}`;
