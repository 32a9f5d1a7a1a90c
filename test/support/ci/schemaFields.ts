import { z } from 'zod';
import {
  accountIdSchema,
  apiKeyIdSchema,
  instantSchema,
  microDollarsSchema,
  positionSchema,
  sealedSchema,
} from '../../../src/domain/core/schemas.ts';

export interface Field {
  /** For instance `attempts[].outcome`. */
  readonly path: string;
  readonly kind: string;
  readonly isOptional: boolean;
}

/** Schemas that are better described by a name than by their shape. */
const NAMED: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [instantSchema(z), 'time'],
  [positionSchema(z), 'position'],
  [microDollarsSchema(z), 'micro-dollars'],
  [sealedSchema(z), 'sealed text'],
  [accountIdSchema(z), 'account id'],
  [apiKeyIdSchema(z), 'API key id'],
]);

/** The parts of a zod schema's definition that are used here. */
interface Definition {
  readonly type: string;
  readonly format?: string;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly valueType?: Schema;
  readonly items?: readonly Schema[];
  readonly entries?: Readonly<Record<string, string>>;
  readonly values?: readonly unknown[];
}
type Schema = z.ZodType;

const definitionOf = (schema: Schema) => schema.def as unknown as Definition;

/** All fields of an object schema, each followed by the fields of its nested object. */
export function fieldsOf(schema: Schema, prefix = ''): Field[] {
  return Object.entries(definitionOf(schema).shape ?? {}).flatMap(([name, given]) => {
    const { inner, isOptional } = withoutOptional(given);
    const path = prefix + name;
    const nested = objectIn(inner);
    const field = { path, kind: kindOf(inner), isOptional };
    return nested ? [field, ...fieldsOf(nested.schema, `${path}${nested.suffix}.`)] : [field];
  });
}

/** Data in which the value of each field is its name in braces: `{name}`. */
export const placeholdersOf = (schema: Schema): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(definitionOf(schema).shape ?? {}).map(([name, given]) => {
      const nested = objectIn(withoutOptional(given).inner);
      return [name, nested?.suffix === '' ? placeholdersOf(nested.schema) : `{${name}}`];
    }),
  );

function withoutOptional(schema: Schema): { inner: Schema; isOptional: boolean } {
  const { type, innerType } = definitionOf(schema);
  return type === 'optional' && innerType
    ? { inner: innerType, isOptional: true }
    : { inner: schema, isOptional: false };
}

/** The object schema in a schema: itself, or the element of a list. */
function objectIn(schema: Schema, suffix = ''): { schema: Schema; suffix: string } | undefined {
  const { type, innerType, element } = definitionOf(schema);
  if (type === 'object') return { schema, suffix };
  if (type === 'nullable' && innerType) return objectIn(innerType, suffix);
  return type === 'array' && element ? objectIn(element, `${suffix}[]`) : undefined;
}

/** @throws Error for a kind of schema that no event uses yet */
function kindOf(schema: Schema): string {
  const named = NAMED.get(schema);
  if (named !== undefined) return named;
  const definition = definitionOf(schema);
  const { type, format, innerType, element, valueType, items = [], entries = {}, values = [] } = definition;
  switch (type) {
    case 'string':
      return format === 'uuid' ? 'UUID' : 'text';
    case 'number':
      return format === 'safeint' ? 'whole number' : 'number';
    case 'boolean':
      return 'true or false';
    case 'enum':
      return Object.values(entries)
        .map((value) => `\`${value}\``)
        .join(', ');
    case 'literal':
      return values.map((value) => `\`${String(value)}\``).join(', ');
    case 'object':
      return 'object';
    case 'nullable':
      return `${kindOf(innerType as Schema)} or null`;
    case 'optional':
      return kindOf(innerType as Schema);
    case 'array':
      return `list of ${kindOf(element as Schema)}`;
    case 'tuple':
      return `[${items.map(kindOf).join(', ')}]`;
    case 'record':
      return `text to ${kindOf(valueType as Schema)}`;
    default:
      throw new Error(`a field of kind "${type}" has no name for docs/events.md yet: see kindOf in this file`);
  }
}
