import type { z } from 'zod';
import type { Schema } from '../../domain/core/schema.ts';
import { eventTypes } from '../../domain/eventTypes.ts';
import { jsonShapeOf, type ObjectShape } from './jsonShape.ts';

const shapes = new Map<string, ObjectShape>();

/** The shape of the current schema of an event type; undefined for a type that this build does not know. */
export function eventShape(type: string): ObjectShape | undefined {
  const known = shapes.get(type);
  if (known) return known;
  const definition = eventTypes.get(type);
  if (!definition) return undefined;
  const shape = jsonShapeOf(definition.data as unknown as Schema<z.ZodObject>);
  shapes.set(type, shape);
  return shape;
}
