// Numbers for display: short, with a unit, and only significant digits.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** 1,234 */
export const exact = (value: number): string => whole.format(value);

/** 1.23K, 45.6M; below 10,000 exact */
export const compact = (value: number): string =>
  Math.abs(value) < 10_000 ? whole.format(value) : short.format(value);

/** $0.000042, $1.20, $12,345: amounts below a cent keep their first two digits. */
export function dollars(value: number): string {
  const size = Math.abs(value);
  const fraction = size < 1_000 ? 2 : 0;
  const digits =
    size > 0 && size < 0.01
      ? { maximumSignificantDigits: 2 }
      : { minimumFractionDigits: fraction, maximumFractionDigits: fraction };
  return new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', ...digits }).format(value);
}

/** 42 %, 0.4 %, 100 % and 0 % only for exactly 100 and 0. */
export function percent(value: number): string {
  if (value > 0 && value < 0.1) return '<0.1 %';
  if (value < 100 && value > 99.9) return '99.9 %';
  return `${value < 10 && value % 1 !== 0 ? value.toFixed(1) : Math.abs(value - 100) < 0.5 && value < 100 ? value.toFixed(1) : Math.round(value)} %`;
}

/** 850 ms, 1.2 s, 3 min 5 s */
export function milliseconds(value: number): string {
  // Rounded before the unit is chosen: 59,700 ms are a minute, not 60 s.
  const ms = Math.round(value);
  if (ms < 1_000) return `${ms} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${ms < 9_950 ? (ms / 1_000).toFixed(1) : seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** 1 account, 2 accounts */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${exact(count)} ${count === 1 ? one : many}`;
