import type { z } from 'zod';
import type { Schema, Zod } from '../../domain/core/schema.ts';

/** What the JSON of a schema looks like. Fields are in the order in which the schema declares them. */
export type JsonShape =
  | { readonly kind: 'text'; readonly minLength: number; readonly format?: 'uuid'; readonly prefix?: string }
  | { readonly kind: 'integer'; readonly min: number | undefined }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'nullable'; readonly inner: JsonShape }
  | { readonly kind: 'list'; readonly item: JsonShape }
  | { readonly kind: 'tuple'; readonly items: readonly JsonShape[] }
  /** An object whose field names are data. */
  | { readonly kind: 'map'; readonly value: JsonShape }
  | ObjectShape;

export interface ObjectShape {
  readonly kind: 'object';
  readonly fields: readonly FieldShape[];
}

export interface FieldShape {
  readonly name: string;
  readonly shape: JsonShape;
  readonly isOptional: boolean;
}

/**
 * Records the shape of an object schema without loading zod: builds the schema with recorders instead of zod's functions.
 * @throws Error when the schema uses a function of zod that has no recorder
 */
export function jsonShapeOf(schema: Schema<z.ZodObject>): ObjectShape {
  const { json } = schema(recorders as unknown as Zod) as unknown as Recorder;
  if (json.kind !== 'object') throw new Error(`Only object schemas have fields; this one is of kind "${json.kind}"`);
  return json;
}

type Fields = Readonly<Record<string, Recorder>>;

/** Replaces a zod schema while its shape is recorded. */
interface Recorder {
  readonly json: JsonShape;
  readonly isOptional: boolean;
  readonly min: (value: number) => Recorder;
  readonly max: (value: number) => Recorder;
  readonly length: (value: number) => Recorder;
  readonly regex: (pattern: RegExp) => Recorder;
  readonly startsWith: (prefix: string) => Recorder;
  readonly nullable: () => Recorder;
  readonly optional: () => Recorder;
  /** The fields of an object, as zod names them. */
  readonly shape: Fields;
  readonly extend: (fields: Fields) => Recorder;
  readonly partial: () => Recorder;
}

const recorder = (json: JsonShape, isOptional = false, fields: Fields = {}): Recorder =>
  failOnUnknown('a schema', {
    json,
    isOptional,
    min: (value: number) => recorder(withMinimum(json, value), isOptional),
    max: () => recorder(json, isOptional),
    length: () => recorder(json, isOptional),
    regex: () => recorder(json, isOptional),
    startsWith: (prefix: string) => recorder(withPrefix(json, prefix), isOptional),
    nullable: () => recorder({ kind: 'nullable', inner: json }, isOptional),
    optional: () => recorder(json, true, fields),
    shape: fields,
    extend: (added: Fields) => objectRecorder({ ...fields, ...added }),
    partial: () => objectRecorder(mapFields(fields, (field) => field.optional())),
  });

const mapFields = (fields: Fields, change: (field: Recorder) => Recorder): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)]));

function objectRecorder(fields: Fields): Recorder {
  const shapes = Object.entries(fields).map(([name, { json, isOptional }]) => ({ name, shape: json, isOptional }));
  return recorder({ kind: 'object', fields: shapes }, false, fields);
}

const recorders = failOnUnknown('z', {
  string: () => recorder({ kind: 'text', minLength: 0 }),
  uuid: () => recorder({ kind: 'text', minLength: 36, format: 'uuid' }),
  base64: () => recorder({ kind: 'text', minLength: 0 }),
  enum: () => recorder({ kind: 'text', minLength: 0 }),
  number: () => recorder({ kind: 'number' }),
  int: () => recorder({ kind: 'integer', min: undefined }),
  boolean: () => recorder({ kind: 'boolean' }),
  literal: (value: unknown) => recorder({ kind: 'literal', value }),
  array: (item: Recorder) => recorder({ kind: 'list', item: item.json }),
  tuple: (items: readonly Recorder[]) => recorder({ kind: 'tuple', items: items.map(({ json }) => json) }),
  record: (_names: Recorder, value: Recorder) => recorder({ kind: 'map', value: value.json }),
  object: objectRecorder,
  strictObject: objectRecorder,
});

function withPrefix(shape: JsonShape, prefix: string): JsonShape {
  if (shape.kind === 'text') return { ...shape, prefix };
  throw new Error(`No prefix can be recorded for a schema of kind "${shape.kind}"`);
}

function withMinimum(shape: JsonShape, min: number): JsonShape {
  if (shape.kind === 'text') return { ...shape, minLength: min };
  if (shape.kind === 'integer') return { ...shape, min };
  if (shape.kind === 'number') return shape;
  throw new Error(`No minimum can be recorded for a schema of kind "${shape.kind}"`);
}

function failOnUnknown<Functions extends object>(owner: string, functions: Functions): Functions {
  return new Proxy(functions, {
    get(target, name) {
      if (name in target) return target[name as keyof Functions];
      throw new Error(
        `The fast readers of stored events do not support "${String(name)}" of ${owner}. Add it to jsonShape.ts, or do not ` +
          'create a fast reader for this version of the event.',
      );
    },
  });
}
