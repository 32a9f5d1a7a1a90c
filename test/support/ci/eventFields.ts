import { readFileSync } from 'node:fs';
import { eventTypes } from '../../../src/domain/eventTypes.ts';
import { jsonShapeOf } from '../../../src/eventLog/storedJson/jsonShape.ts';

/** A line for each top-level field of the current version of an event type. */
export function fieldLines(type: string): string[] {
  const definition = eventTypes.get(type);
  if (!definition) return [];
  const { fields } = jsonShapeOf(definition.data as unknown as Parameters<typeof jsonShapeOf>[0]);
  return fields.map(
    ({ name, shape, isOptional }) =>
      `${type} ${definition.version}: ${name}${isOptional ? '?' : ''} ${JSON.stringify(shape)}`,
  );
}

/** The lines of every recorded version, as `test/histories/fields.txt` has them. */
export const recordedFieldLines = (): string[] =>
  readFileSync(new URL('../../histories/fields.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');

/** The recorded lines, and those of types and versions that are new: recorded versions never change. */
export function eventFields(): string {
  const recorded = recordedFieldLines();
  const added = [...eventTypes.values()]
    .filter(({ type, version }) => !recorded.some((line) => line.startsWith(`${type} ${version}: `)))
    .flatMap(({ type }) => fieldLines(type));
  const nameOf = (line: string) => line.slice(0, line.indexOf(':'));
  const lines = [...recorded, ...added].toSorted((a, b) =>
    nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0,
  );
  return `${lines.join('\n')}\n`;
}
