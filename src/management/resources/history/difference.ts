import { type Json, redact } from '../../../domain/core/redact.ts';

export interface Change {
  /** JSON Pointer (RFC 6901), since field names can contain dots: IP addresses do. */
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
}

/** Lists the fields that differ, at the deepest level, with null for absent ones, and redacts values of secret fields. */
export function difference(before: Json, after: Json, path = '', name = ''): Change[] {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((field) =>
      difference(before[field] ?? null, after[field] ?? null, `${path}/${escapeToken(field)}`, field),
    );
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ path, before: redact(before, name), after: redact(after, name) }];
}

const isObject = (value: Json): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const escapeToken = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
