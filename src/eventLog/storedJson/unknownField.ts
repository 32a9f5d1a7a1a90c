import { eventShape } from './eventShapes.ts';
import type { JsonShape } from './jsonShape.ts';

/** An event has a field that its schema does not know; going on would ignore what it says. */
export class UnknownField extends Error {
  override readonly name = 'UnknownField';
  constructor(at: number, type: string, version: number, field: string) {
    super(
      `The event "${type}" at position ${at} has a field "${field}", which this version of svc does not know in schema version ` +
        `${version}. Start a newer version.`,
    );
  }
}

/**
 * Finds a field that the current schema of an event's type does not have.
 * @param data upcast to the current version, so that fields which an older version had are known
 * @returns its path, for example `admission.share`; undefined when all fields are known
 */
export function findUnknownField(type: string, data: unknown): string | undefined {
  const shape = eventShape(type);
  return shape && unknownIn(shape, data);
}

function unknownIn(shape: JsonShape, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  switch (shape.kind) {
    case 'nullable':
      return unknownIn(shape.inner, value);
    case 'list':
      return firstIn(Object.entries(value), () => shape.item);
    case 'tuple':
      return firstIn(Object.entries(value), (index) => shape.items[Number(index)]);
    case 'map':
      return firstIn(Object.entries(value), () => shape.value);
    case 'object':
      return firstIn(Object.entries(value), (name) => shape.fields.find((field) => field.name === name)?.shape);
    default:
      return undefined;
  }
}

/** @param shapeOf undefined for a field that is not known */
function firstIn(
  entries: readonly (readonly [string, unknown])[],
  shapeOf: (name: string) => JsonShape | undefined,
): string | undefined {
  for (const [name, value] of entries) {
    const shape = shapeOf(name);
    if (!shape) return name;
    const below = unknownIn(shape, value);
    if (below !== undefined) return `${name}.${below}`;
  }
  return undefined;
}
