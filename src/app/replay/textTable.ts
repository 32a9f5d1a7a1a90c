import { escapeText } from '../../lib/log/escapeText.ts';

const MAX_WIDTH = 44;
const GAP = '  ';

/**
 * Lines of a table for the terminal. Texts are escaped first, so that columns stay aligned whatever clients have sent; long
 * ones are cut. Columns after the first `texts` are aligned to the right.
 */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[], texts: number): string[] {
  const cells = [header, ...rows].map((row) => row.map((text) => cut(escapeText(text))));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => lengthOf(row[column] ?? ''))));
  return cells.map((row) =>
    row
      .map((text, column) => {
        const padding = ' '.repeat((widths[column] ?? 0) - lengthOf(text));
        return column < texts ? text + padding : padding + text;
      })
      .join(GAP)
      .trimEnd(),
  );
}

const lengthOf = (text: string): number => [...text].length;

const cut = (text: string): string =>
  lengthOf(text) > MAX_WIDTH ? `${[...text].slice(0, MAX_WIDTH - 3).join('')}...` : text;
