/** The value of a cell; null is empty. */
export type Cell = string | number | null;

/**
 * A line of RFC 4180, without its end. An apostrophe turns text that a spreadsheet would run as a formula (CWE-1236) into plain
 * text: names of models and keys are untrusted.
 */
export const csvLine = (cells: readonly Cell[]): string => cells.map(csvCell).join(',');

function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const plain = /^[\s\p{Cf}]*[=+\-@\t\r]/u.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) || plain !== plain.trim() ? `"${plain.replaceAll('"', '""')}"` : plain;
}
