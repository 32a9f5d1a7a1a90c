const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' });

/** "14:00", at midnight the new day: "Sat 21". */
export function dayAndTime(ms: number): string {
  const date = new Date(ms);
  return date.getHours() === 0 && date.getMinutes() === 0 ? day.format(date) : clock.format(date);
}

/** "Sat 21, 14:10–14:20" */
export const intervalText = (ms: number, stepMs: number): string =>
  `${day.format(ms)}, ${clock.format(ms)}–${clock.format(ms + stepMs)}`;
