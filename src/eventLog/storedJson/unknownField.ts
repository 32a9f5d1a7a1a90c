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

/** @returns the paths of all fields that the current schema does not have */
export function findUnknownFields(type: string, data: unknown): readonly string[] {
  const shape = eventShape(type);
  return shape ? allUnknownIn(shape, data) : [];
}

/** Called for every value of every event that is read in full, so it makes no objects. */
function unknownIn(shape: JsonShape, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const shapeOf = shapesIn(shape);
  if (!shapeOf) return undefined;
  for (const name of Object.keys(value)) {
    const inner = (value as Readonly<Record<string, unknown>>)[name];
    const innerShape = shapeOf(name);
    if (!innerShape) return name;
    if (typeof inner !== 'object' || inner === null) continue;
    const below = unknownIn(innerShape, inner);
    if (below !== undefined) return `${name}.${below}`;
  }
  return undefined;
}

function allUnknownIn(shape: JsonShape, value: unknown): readonly string[] {
  const shapeOf = typeof value === 'object' && value !== null ? shapesIn(shape) : undefined;
  if (!shapeOf) return [];
  return Object.entries(value as object).flatMap(([name, inner]) => {
    const innerShape = shapeOf(name);
    return innerShape ? allUnknownIn(innerShape, inner).map((below) => `${name}.${below}`) : [name];
  });
}

/**
 * The shapes of what a value of this shape holds, by name or index.
 * @returns a function that returns undefined for a field that is not known; undefined if the shape holds nothing
 */
function shapesIn(shape: JsonShape): ShapeOf | undefined {
  const known = lookups.get(shape);
  if (known !== undefined) return known ?? undefined;
  const made = lookupOf(shape);
  lookups.set(shape, made ?? null);
  return made;
}

type ShapeOf = (name: string) => JsonShape | undefined;

/** By shape: there is one of each for all events. Null if it holds nothing. */
const lookups = new WeakMap<JsonShape, ShapeOf | null>();

function lookupOf(shape: JsonShape): ShapeOf | undefined {
  switch (shape.kind) {
    case 'nullable':
      return shapesIn(shape.inner);
    case 'list':
      return () => shape.item;
    case 'tuple':
      return (index) => shape.items[Number(index)];
    case 'map':
      return () => shape.value;
    case 'object': {
      const shapes = new Map(shape.fields.map((field) => [field.name, field.shape]));
      return (name) => shapes.get(name);
    }
    default:
      return undefined;
  }
}
