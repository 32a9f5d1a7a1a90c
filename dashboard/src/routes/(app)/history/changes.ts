import { fieldLabel, isStoredLimit, storedLimitText, valueLabel } from './labels.ts';

/** One field that an event changed, formatted for display. */
export interface FieldChange {
  /** e.g. `Limit 1` */
  readonly field: string;
  readonly before: string;
  readonly after: string;
  readonly kind: 'added' | 'removed' | 'changed';
}

interface Change {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

const NOTHING = '–';

/**
 * Splits the differences that the API reports into single fields: a created subject shows each of its fields, a list of
 * limits only the limits that differ.
 * @param timeText formats a time in milliseconds since 1970
 */
export function fieldChanges(changes: readonly Change[], timeText: (ms: number) => string): FieldChange[] {
  return changes.flatMap(({ path, before, after }) => {
    const names = path.split('/').slice(1).map(unescaped);
    const [old, current] = [leaves(before, names), leaves(after, names)];
    const paths = [...new Set([...old.keys(), ...current.keys()])];
    return paths.flatMap((leaf) => {
      const name = leaf.split('\n').at(-1) ?? '';
      const [from, to] = [old.get(leaf), current.get(leaf)].map((value) => text(value, name, timeText)) as [
        string,
        string,
      ];
      // A changed secret is listed although neither value is shown.
      if (from === to && from !== HIDDEN) return [];
      if (from === HIDDEN && to === HIDDEN && !isOwnChange(paths, leaf)) return [];
      const kind = from === NOTHING ? 'added' : to === NOTHING ? 'removed' : 'changed';
      return [{ field: fieldLabel(leaf.split('\n')), before: from, after: to, kind }];
    });
  });
}

const HIDDEN = '[hidden]';

/** The API reports a changed secret by its own path; inside a list or an object that differs it may be unchanged. */
const isOwnChange = (paths: readonly string[], leaf: string) => paths.length === 1 && paths[0] === leaf;

/** Single values by path. A list of plain values and a limit count as one value. */
function leaves(value: unknown, path: readonly string[], found = new Map<string, unknown>()): Map<string, unknown> {
  if (value === null || value === undefined) return found;
  if (typeof value === 'object' && isStoredLimit(value)) {
    found.set(path.join('\n'), storedLimitText(value));
  } else if (Array.isArray(value) && value.some((item) => typeof item === 'object')) {
    for (const [index, item] of value.entries()) leaves(item, [...path, String(index + 1)], found);
  } else if (typeof value === 'object' && !Array.isArray(value)) {
    for (const [name, item] of Object.entries(value)) leaves(item, [...path, name], found);
  } else {
    found.set(path.join('\n'), value);
  }
  return found;
}

function text(value: unknown, name: string, timeText: (ms: number) => string): string {
  if (value === undefined || value === null) return NOTHING;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && /(At|Until)$/.test(name)) return timeText(value);
  if (typeof value === 'number' && name.endsWith('Percent')) return `${value} %`;
  return typeof value === 'number' ? new Intl.NumberFormat('en').format(value) : valueLabel(String(value));
}

const unescaped = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~');
