/** Cumulative sums: each part stacked on those before it. */
export function stacked(parts: readonly (readonly number[])[]): number[][] {
  let below: readonly number[] = [];
  return parts.map((values) => {
    const sums = values.map((value, index) => value + (below[index] ?? 0));
    below = sums;
    return sums;
  });
}
