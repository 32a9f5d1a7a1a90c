import { type Json, redact } from './redact.ts';

export interface Change {
  /** JSON Pointer (RFC 6901): names may hold dots, addresses do. */
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
}

/** Fields that differ, each at its deepest; null where there is nothing. A secret that changed is named, never shown. */
export function difference(before: Json, after: Json, path = '', name = ''): Change[] {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((field) =>
      difference(before[field] ?? null, after[field] ?? null, `${path}/${escaped(field)}`, field),
    );
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ path, before: redact(before, name), after: redact(after, name) }];
}

const isObject = (value: Json): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
