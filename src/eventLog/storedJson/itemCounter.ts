import type { FieldShape, JsonShape, ObjectShape } from './jsonShape.ts';

/** @param from where to begin in the JSON @returns undefined when the list is not there */
export type ItemCounter = (json: string, from: number) => number | undefined;

/**
 * Derives from the shape of an object a counter of the items of one of its lists, which must be objects. It looks for the
 * name of a field that every item has and nothing else: a quote within a text is escaped, so no text is taken for a name.
 * @param after field in front of the list, behind which the counter begins
 * @throws Error when the shape has no such list, or no such field
 */
export function createItemCounter({ fields }: ObjectShape, list: string, after: string): ItemCounter {
  const tail = fields.slice(fields.findIndex(({ name }) => name === after) + 1);
  const shape = tail.find(({ name }) => name === list)?.shape;
  const item = shape?.kind === 'list' ? shape.item : undefined;
  if (item?.kind !== 'object') throw new Error(`There is no list of objects "${list}" behind "${after}"`);
  const names = tail.flatMap(namesIn);
  const isUnique = (name: string) => names.filter((other) => other === name).length === 1;
  const marker = item.fields.find(({ name, isOptional }) => !isOptional && isUnique(name));
  if (!marker || !isUnique(list)) throw new Error(`Nothing tells items of "${list}" from other fields`);
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
    case 'tuple':
      return shape.items.flatMap(namesBelow);
    default:
      return [];
  }
}
