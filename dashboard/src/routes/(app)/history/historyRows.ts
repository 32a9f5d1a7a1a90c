import type { Day } from './days.ts';
import type { Repetition } from './repetitions.ts';

/** One line of the list: the title of a day, or an event. */
export type HistoryRow<Event> = { readonly key: string; readonly day: string } & (
  | { readonly title: string }
  | {
      readonly event: Event;
      /** Of the repetition that the row stands for or belongs to. */
      readonly group: number;
      /** How many events in a row say the same, for the newest of them; 1 for the others. */
      readonly times: number;
      /** Place among the rows of its day, from 1. */
      readonly place: number;
      /** Number of rows of its day. */
      readonly of: number;
    }
);

/** The lines of the list, one below the other. @param isUnfolded whether the events of a repetition are shown one by one */
export function historyRows<Event extends { readonly position: number }>(
  days: readonly (Pick<Day<Event>, 'key' | 'title'> & { readonly groups: readonly Repetition<Event>[] })[],
  isUnfolded: (group: number) => boolean,
): HistoryRow<Event>[] {
  return days.flatMap(({ key: day, title, groups }) => {
    const events = groups.flatMap(({ key: group, events }) =>
      (isUnfolded(group) ? events : events.slice(0, 1)).map((event, index) => ({
        event,
        group,
        times: index === 0 ? events.length : 1,
      })),
    );
    const rows = events.map((row, index) => ({
      ...row,
      key: String(row.event.position),
      day,
      place: index + 1,
      of: events.length,
    }));
    return [{ key: `day ${day}`, day, title }, ...rows];
  });
}

/** Neighbours of the same day. */
export function byDayOfRow<Row extends { readonly day: string }>(rows: readonly Row[]): { day: string; rows: Row[] }[] {
  const days: { day: string; rows: Row[] }[] = [];
  for (const row of rows) {
    const last = days.at(-1);
    if (last?.day === row.day) last.rows.push(row);
    else days.push({ day: row.day, rows: [row] });
  }
  return days;
}
