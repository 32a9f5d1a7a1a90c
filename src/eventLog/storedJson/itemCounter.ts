import type { FieldShape, JsonShape, ObjectShape } from './jsonShape.ts';

/** @param from position in the JSON to start at @returns undefined when the list is absent */
export type ItemCounter = (json: string, from: number) => number | undefined;

/**
 * Derives from the shape of an object a counter for the items of one of its lists, which must be objects. It counts the
 * occurrences of a field name that every item has, and only items. Quotes in texts are escaped, so no text matches.
 * @param after a field before the list; the counter starts after it
 * @throws Error when the shape has no such list, or no such field
 */
export function createItemCounter({ fields }: ObjectShape, list: string, after: string): ItemCounter {
  const tail = fields.slice(fields.findIndex(({ name }) => name === after) + 1);
  const shape = tail.find(({ name }) => name === list)?.shape;
  const item = shape?.kind === 'list' ? shape.item : undefined;
  if (item?.kind !== 'object') throw new Error(`There is no list of objects "${list}" after "${after}"`);
  const names = tail.flatMap(namesIn);
  const isUnique = (name: string) => names.filter((other) => other === name).length === 1;
  const marker = item.fields.find(({ name, isOptional }) => !isOptional && isUnique(name));
  if (!marker || !isUnique(list)) throw new Error(`No field name occurs only in items of "${list}"`);
  const [start, part] = [`"${list}":[`, `"${marker.name}":`];
  return (json, from) => {
    const begin = json.indexOf(start, from);
    if (begin === -1) return undefined;
    let count = 0;
    for (let at = json.indexOf(part, begin); at !== -1; at = json.indexOf(part, at + part.length)) count++;
    return count;
  };
}

/** Names of a field and of all below it. */
const namesIn = ({ name, shape }: FieldShape): string[] => [name, ...namesBelow(shape)];

function namesBelow(shape: JsonShape): string[] {
  switch (shape.kind) {
    case 'object':
      return shape.fields.flatMap(namesIn);
    case 'list':
      return namesBelow(shape.item);
    case 'nullable':
      return namesBelow(shape.inner);
    case 'map':
      return namesBelow(shape.value);
    case 'tuple':
      return shape.items.flatMap(namesBelow);
    default:
      return [];
  }
}
