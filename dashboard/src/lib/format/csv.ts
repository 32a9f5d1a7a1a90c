/**
 * A cell by RFC 4180. An apostrophe turns text that a spreadsheet would run as a formula (CWE-1236) into
 * plain text: names, error messages and models are untrusted.
 */
export function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const plain = /^[\s\p{Cf}]*[=+\-@\t\r]/u.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) || plain !== plain.trim() ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** A line with its end. */
export const csvRow = (values: readonly (string | number | null)[]): string => `${values.map(cell).join(',')}\r\n`;
