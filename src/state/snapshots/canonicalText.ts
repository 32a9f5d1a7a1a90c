/** Equal states give equal texts, however often the fold was interrupted. The order of maps counts, because folds depend on it. */
export const canonicalText = (data: unknown): string => JSON.stringify(data, asLists);

function asLists(_name: string, value: unknown): unknown {
  if (value instanceof Map) return [...value];
  return ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
}
