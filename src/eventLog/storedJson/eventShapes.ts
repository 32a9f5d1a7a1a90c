import type { z } from 'zod';
import type { Schema } from '../../domain/core/schema.ts';
import { eventTypes } from '../../domain/eventTypes.ts';
import { jsonShapeOf, type ObjectShape } from './jsonShape.ts';

/** By definition instead of type, because tests register definitions of their own. */
const shapes = new WeakMap<object, ObjectShape>();

/** The shape of the current schema of an event type; undefined for a type that this build does not know. */
export function eventShape(type: string): ObjectShape | undefined {
  const definition = eventTypes.get(type);
  if (!definition) return undefined;
  let shape = shapes.get(definition);
  if (!shape) {
    shape = jsonShapeOf(definition.data as unknown as Schema<z.ZodObject>);
    shapes.set(definition, shape);
  }
  return shape;
}
