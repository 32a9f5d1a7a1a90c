const DAY_MS = 86_400_000;

/** Returns the stream for a time: the prefix and the UTC day, `yyyymmdd`. Caches the last result. */
export function dailyStream(prefix: string): (time: number) => string {
  let today = Number.NaN;
  let stream = '';
  return (time) => {
    const day = Math.floor(time / DAY_MS);
    if (day !== today) {
      today = day;
      stream = prefix + new Date(time).toISOString().slice(0, 10).replaceAll('-', '');
    }
    return stream;
  };
}
