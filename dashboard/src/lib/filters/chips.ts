import { TIME_PRESETS, type TimeRange } from './timeRange.ts';

/** An active filter, and the query changes that remove it. */
export interface Chip {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly without: Readonly<Record<string, string | readonly string[] | null>>;
}

/** One chip per value of a list. */
export const listChips = (
  name: string,
  label: string,
  values: readonly string[],
  text: (value: string) => string = (value) => value,
): Chip[] =>
  values.map((value) => ({
    id: `${name} ${value}`,
    name: label,
    value: text(value),
    without: { [name]: values.filter((other) => other !== value) },
  }));

/** A chip for a filter with a single value. */
export const singleChip = (name: string, label: string, value: string): Chip => ({
  id: name,
  name: label,
  value,
  without: { [name]: null },
});

/** @param text formats an ISO 8601 time */
export function timeChips({ last, since, until }: TimeRange, text: (iso: string) => string): Chip[] {
  const preset = TIME_PRESETS.find(({ value }) => value === last);
  return [
    ...(preset ? [singleChip('last', 'Time', preset.label.toLowerCase())] : []),
    ...(since ? [singleChip('since', 'From', text(since))] : []),
    ...(until ? [singleChip('until', 'To', text(until))] : []),
  ];
}
