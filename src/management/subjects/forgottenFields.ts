import type { Json } from '../../domain/core/redact.ts';

/** Names of the fields of an object that were forgotten, as it says itself (`src/management/http/forgotten.ts`). */
export function forgottenIn(value: Json): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const { forgotten: names } = value as { readonly [name: string]: Json };
  // A map may have an entry of this name.
  const isList = Array.isArray(names) && names.every((name) => typeof name === 'string' && Object.hasOwn(value, name));
  return isList ? (names as readonly string[]) : [];
}

/**
 * Fields of a state that were forgotten, by JSON Pointer, and the state without what stands in their place: the value of such a field
 * says nothing, so that two of them are not compared.
 */
export function withoutForgotten(state: Json): { readonly known: Json; readonly forgotten: readonly string[] } {
  const forgotten: string[] = [];
  const copy = (value: Json, path: string): Json => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item: Json, index) => copy(item, `${path}/${index}`));
    const names = forgottenIn(value);
    const pointerOf = (name: string) => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    for (const name of names) forgotten.push(pointerOf(name));
    const kept = Object.entries(value).filter(
      ([name]) => !names.includes(name) && (names.length === 0 || name !== 'forgotten'),
    );
    return Object.fromEntries(kept.map(([name, item]) => [name, copy(item as Json, pointerOf(name))]));
  };
  return { known: copy(state, ''), forgotten };
}
