/** @returns NaN without values */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] ?? Number.NaN;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** @param percent 0 to 100 @returns NaN without values */
export function percentile(ascending: readonly number[], percent: number): number {
  const index = Math.min(ascending.length - 1, Math.floor((ascending.length * percent) / 100));
  return ascending[index] ?? Number.NaN;
}

export const mean = (values: readonly number[]): number => sum(values) / values.length;

export const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** 12345.6 -> "12,346" */
export const integer = (value: number): string => Math.round(value).toLocaleString('en-US');

export const fixed = (value: number, digits: number): string => value.toFixed(digits);

export const print = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

/** Prints rows of cells: the first column is text, the others are right-aligned numbers. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    print(`  ${cells.join('  ')}`.trimEnd());
  }
}
