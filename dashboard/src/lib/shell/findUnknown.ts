/** A parameter of the URL whose id names nothing. */
export interface UnknownId {
  readonly name: string;
  readonly id: string;
}

/**
 * Finds a link that leads nowhere, for example to a key that was deleted.
 * @param names of parameters that hold an id
 * @param ids of what is there; undefined until it is loaded
 */
export function findUnknown(
  query: Pick<URLSearchParams, 'get'>,
  names: readonly string[],
  ids: readonly string[] | undefined,
): UnknownId | undefined {
  if (ids === undefined) return undefined;
  for (const name of names) {
    const id = query.get(name);
    if (id !== null && !ids.includes(id)) return { name, id };
  }
  return undefined;
}
