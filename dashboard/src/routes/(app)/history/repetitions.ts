/** Events that follow each other and say the same. */
export interface Repetition<Event> {
  /** The position of the oldest: it stays while newer ones join. */
  readonly key: number;
  readonly newest: Event;
  /** All of them, newest first. */
  readonly events: readonly Event[];
}

/**
 * Groups neighbours that say the same, in their order.
 * @param meaningOf equal for events that say the same
 */
export function groupRepetitions<Event extends { readonly position: number }>(
  events: readonly Event[],
  meaningOf: (event: Event) => string,
): Repetition<Event>[] {
  const groups: { key: number; newest: Event; meaning: string; events: Event[] }[] = [];
  for (const event of events) {
    const meaning = meaningOf(event);
    const last = groups.at(-1);
    if (last?.meaning === meaning) {
      last.events.push(event);
      last.key = event.position;
    } else groups.push({ key: event.position, newest: event, meaning, events: [event] });
  }
  return groups;
}
