import { eventShape } from './eventShapes.ts';
import type { FieldShape, JsonShape } from './jsonShape.ts';

/** What is wrong with a field of a stored event. */
export interface InvalidField {
  /** For example `admission.share`; empty for the event's data as a whole. */
  readonly path: string;
  readonly isMissing: boolean;
}

/** An event lacks a field, or has a value of another kind in it: it was changed after it was written. */
export class EventDamaged extends Error {
  override readonly name = 'EventDamaged';
  readonly code = 'EVENT_DAMAGED';
  readonly position: number;
  readonly stream: string;
  constructor(at: number, stream: string, type: string, problem: string) {
    super(
      `The event at position ${at} of the log ("${type}" in stream ${stream}) ${problem}: it was changed after it was ` +
        'written, or the disk has damaged it. Restore the data folder, or EventStoreDB if the log is there, from a backup.',
    );
    this.position = at;
    this.stream = stream;
  }
}

export const describeInvalidField = ({ path, isMissing }: InvalidField): string =>
  isMissing
    ? `lacks the field "${path}"`
    : `has a value of the wrong kind in ${path === '' ? 'its data' : `"${path}"`}`;

/**
 * Finds the first field that an event's data lacks, or whose value is of another kind than its type says. Only kinds are
 * compared, so that it costs little: what the values mean was validated when the event was written.
 * @param data upcast to the current version
 */
export function findInvalidField(type: string, data: unknown): InvalidField | undefined {
  const shape = eventShape(type);
  return shape && invalidIn(shape, data);
}

const WRONG_KIND: InvalidField = { path: '', isMissing: false };

function invalidIn(shape: JsonShape, value: unknown): InvalidField | undefined {
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string' ? undefined : WRONG_KIND;
    case 'integer':
    case 'number':
      return typeof value === 'number' ? undefined : WRONG_KIND;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : WRONG_KIND;
    case 'literal':
      return typeof value === typeof shape.value ? undefined : WRONG_KIND;
    case 'nullable':
      return value === null ? undefined : invalidIn(shape.inner, value);
    case 'list':
      return Array.isArray(value) ? firstIn(value, (index) => invalidIn(shape.item, value[index])) : WRONG_KIND;
    case 'tuple':
      return Array.isArray(value)
        ? firstIn(shape.items, (index) => invalidIn(shape.items[index] as JsonShape, value[index]))
        : WRONG_KIND;
    case 'map':
      return isObject(value) ? invalidInMap(shape.value, value) : WRONG_KIND;
    case 'object':
      return isObject(value) ? invalidInFields(shape.fields, value) : WRONG_KIND;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function firstIn(
  items: readonly unknown[],
  invalidAt: (index: number) => InvalidField | undefined,
): InvalidField | undefined {
  for (let index = 0; index < items.length; index += 1) {
    const invalid = invalidAt(index);
    if (invalid) return below(String(index), invalid);
  }
  return undefined;
}

function invalidInMap(shape: JsonShape, value: Record<string, unknown>): InvalidField | undefined {
  for (const [name, item] of Object.entries(value)) {
    const invalid = invalidIn(shape, item);
    if (invalid) return below(name, invalid);
  }
  return undefined;
}

function invalidInFields(fields: readonly FieldShape[], value: Record<string, unknown>): InvalidField | undefined {
  for (const { name, shape, isOptional } of fields) {
    const item = value[name];
    if (item === undefined) {
      if (!isOptional) return { path: name, isMissing: true };
      continue;
    }
    const invalid = invalidIn(shape, item);
    if (invalid) return below(name, invalid);
  }
  return undefined;
}

const below = (name: string, { path, isMissing }: InvalidField): InvalidField => ({
  path: path === '' ? name : `${name}.${path}`,
  isMissing,
});
