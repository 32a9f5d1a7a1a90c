import { STRETCHES, type TimeRange } from './timeRange.ts';

/** One condition that holds: what it says, and what its removal changes in the query of the URL. */
export interface Chip {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly without: Readonly<Record<string, string | readonly string[] | null>>;
}

/** A chip for each value of a list. */
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

/** A chip for a condition that has one value. */
export const singleChip = (name: string, label: string, value: string): Chip => ({
  id: name,
  name: label,
  value,
  without: { [name]: null },
});

/** @param text how a moment is shown */
export function timeChips({ last, since, until }: TimeRange, text: (iso: string) => string): Chip[] {
  const stretch = STRETCHES.find(({ value }) => value === last);
  return [
    ...(stretch ? [singleChip('last', 'Time', stretch.label.toLowerCase())] : []),
    ...(since ? [singleChip('since', 'From', text(since))] : []),
    ...(until ? [singleChip('until', 'To', text(until))] : []),
  ];
}
