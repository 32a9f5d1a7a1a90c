import type { Json } from '../../domain/core/redact.ts';
import { forgottenIn } from './forgottenFields.ts';

/** What names an item of a list, so that it stays the same when others are added or removed. */
const KEYS = ['id', 'ip_address', 'slug', 'model'] as const;

/**
 * The fields of a state at the deepest level, by JSON Pointer. Items of a list of objects go by their own id in place of their
 * index; any other list is one field.
 */
export function fieldsOf(state: Json): Map<string, Json> {
  const fields = new Map<string, Json>();
  const add = (value: Json, path: string): void => {
    const parts = partsOf(value);
    if (!parts || parts.length === 0) fields.set(path, value);
    else for (const [name, part] of parts) add(part, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  };
  add(state, '');
  return fields;
}

function partsOf(value: Json): [name: string, part: Json][] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  // What was forgotten is said of the fields themselves.
  if (!Array.isArray(value))
    return Object.entries(value).filter(([name]) => name !== 'forgotten' || forgottenIn(value).length === 0);
  const names = value.map(nameOf);
  const isKeyed = names.every((name) => name !== undefined) && new Set(names).size === names.length;
  return isKeyed ? value.map((item: Json, index) => [names[index] as string, item]) : undefined;
}

function nameOf(item: Json): string | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined;
  const fields = item as { readonly [name: string]: Json };
  const key = KEYS.find((name) => typeof fields[name] === 'string' || typeof fields[name] === 'number');
  return key === undefined ? undefined : String(fields[key]);
}
