/** One field that an event changed, in words. */
export interface FieldChange {
  /** e.g. `rules, 1st, max value` */
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
 * What the API says that differs, taken apart to single fields: a subject that was made shows each of its fields, a list
 * of limits the one number in it that is another one.
 */
export function fieldChanges(changes: readonly Change[], timeText: (ms: number) => string): FieldChange[] {
  return changes.flatMap(({ path, before, after }) => {
    const names = path.split('/').slice(1).map(unescaped);
    const [was, is] = [leaves(before, names), leaves(after, names)];
    const places = [...new Set([...was.keys(), ...is.keys()])];
    return places.flatMap((place) => {
      const name = place.split('\n').at(-1) ?? '';
      const [from, to] = [was.get(place), is.get(place)].map((value) => text(value, name, timeText)) as [
        string,
        string,
      ];
      // A secret that became another one is told, though neither is shown.
      if (from === to && from !== HIDDEN) return [];
      if (from === HIDDEN && to === HIDDEN && !isOwnChange(places, place)) return [];
      const kind = from === NOTHING ? 'added' : to === NOTHING ? 'removed' : 'changed';
      return [{ field: fieldName(place.split('\n')), before: from, after: to, kind }];
    });
  });
}

const HIDDEN = '[hidden]';

/** The API names a changed secret by its own path; within a list or an object that differs it may be the same. */
const isOwnChange = (places: readonly string[], place: string) => places.length === 1 && places[0] === place;

/** Each single value by its path; lists of plain values are one. */
function leaves(value: unknown, path: readonly string[], found = new Map<string, unknown>()): Map<string, unknown> {
  if (value === null || value === undefined) return found;
  if (Array.isArray(value) && value.some((item) => typeof item === 'object')) {
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
  return typeof value === 'number' ? new Intl.NumberFormat('en').format(value) : String(value);
}

const fieldName = (names: readonly string[]) => names.map(inWords).join(', ') || 'value';

/** `maxValue` is "max value", the first item of a list "no. 1". */
function inWords(name: string): string {
  if (/^\d+$/.test(name)) return `no. ${name}`;
  return /^[a-z][a-zA-Z]+$/.test(name) ? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) : name;
}

const unescaped = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~');
