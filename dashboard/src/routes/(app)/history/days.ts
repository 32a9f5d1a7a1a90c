/** Events of one day in the viewer’s time zone. */
export interface Day<Event> {
  readonly key: string;
  readonly title: string;
  readonly events: readonly Event[];
}

/** Groups events by day, in their order: newest first. */
export function byDay<Event extends { readonly time: string }>(
  events: readonly Event[],
  now: number,
  timeZone?: string,
): Day<Event>[] {
  const zone = timeZone ? { timeZone } : {};
  const keys = new Intl.DateTimeFormat('en-CA', zone);
  const titles = new Intl.DateTimeFormat('en-GB', {
    ...zone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  });
  const [today, yesterday] = [keys.format(now), keys.format(now - 86_400_000)];
  const days: { key: string; title: string; events: Event[] }[] = [];
  for (const event of events) {
    const time = Date.parse(event.time);
    const key = keys.format(time);
    const last = days.at(-1);
    // A node whose clock lags may date an event a day earlier: the order is that of the log.
    if (last?.key === key) last.events.push(event);
    else {
      const title = key === today ? 'Today' : key === yesterday ? 'Yesterday' : titles.format(time);
      days.push({ key, title, events: [event] });
    }
  }
  return days.map((day, index) => ({ ...day, key: `${index} ${day.key}` }));
}
