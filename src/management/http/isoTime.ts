import { type Instant, instant } from '../../domain/core/brands.ts';

const ISO_8601 =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:(Z)|([+\- ])(\d\d):?(\d\d)?)?)?$/i;

/**
 * Parses an ISO 8601 date, or date and time in any zone; without a zone it is UTC. Treats a space before the offset as
 * `+`, because decoding a query string turns `+` into a space.
 * @returns undefined for anything else, e.g. the 30th of February
 */
export function parseTime(text: string): Instant | undefined {
  const match = ISO_8601.exec(text.trim());
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const millisecond = Math.floor(Number(`0.${match[7] ?? 0}`) * 1_000);
  const [sign, zoneHours, zoneMinutes] = [match[9] === '-' ? -1 : 1, Number(match[10] ?? 0), Number(match[11] ?? 0)];
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isDay || hour > 23 || minute > 59 || second > 59 || zoneHours > 18 || zoneMinutes > 59) return undefined;
  const local = Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
  return instant(local - sign * (zoneHours * 60 + zoneMinutes) * 60_000);
}
