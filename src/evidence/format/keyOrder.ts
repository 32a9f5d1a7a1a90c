import type { Json } from '../../domain/core/redact.ts';

// Stored JSON has its keys in the order in which svc writes them, and the digest of the log is that of the stored text. A payload
// in canonical form has lost this order, so it is kept beside the payload.

/**
 * Describes the order of the keys of a value: for each object with two or more keys, in the order in which the canonical form
 * has the objects, the places that its sorted keys have in it; objects are separated by `;`.
 */
export function keyOrderOf(value: Json): string {
  const orders: string[] = [];
  collect(value, orders);
  return orders.join(';');
}

function collect(value: Json, orders: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, orders);
    return;
  }
  const object = value as { readonly [name: string]: Json };
  const stored = Object.keys(object);
  const sorted = stored.toSorted();
  if (sorted.length > 1) {
    const places = new Map(stored.map((name, place) => [name, place]));
    orders.push(sorted.map((name) => places.get(name)).join());
  }
  for (const name of sorted) collect(object[name] as Json, orders);
}

/**
 * Writes a value with its keys in the described order: the stored text.
 * @returns undefined when the description is not one of this value
 */
export function restoreKeyOrder(value: Json, description: string): string | undefined {
  const orders = description === '' ? [] : description.split(';');
  let next = 0;
  const write = (part: Json): string | undefined => {
    if (typeof part !== 'object' || part === null) return JSON.stringify(part);
    if (Array.isArray(part)) return joined(part.map(write), '[', ']');
    const object = part as { readonly [name: string]: Json };
    const sorted = Object.keys(object).sort();
    const places = sorted.length > 1 ? placesOf(orders[next++], sorted.length) : [0];
    if (!places) return undefined;
    const fields = new Array<string | undefined>(sorted.length);
    for (const [index, name] of sorted.entries()) {
      const written = write(object[name] as Json);
      fields[places[index] as number] = written === undefined ? undefined : `${JSON.stringify(name)}:${written}`;
    }
    return joined(fields, '{', '}');
  };
  const text = write(value);
  return next === orders.length ? text : undefined;
}

function joined(parts: readonly (string | undefined)[], open: string, close: string): string | undefined {
  return parts.includes(undefined) ? undefined : `${open}${parts.join(',')}${close}`;
}

/** @returns undefined unless each place from 0 on is there once, in the only spelling */
function placesOf(order: string | undefined, length: number): number[] | undefined {
  const places = order?.split(',').map(Number);
  if (places?.length !== length || new Set(places).size !== length || places.join() !== order) return undefined;
  return places.every((place) => Number.isInteger(place) && place >= 0 && place < length) ? places : undefined;
}
