import { leafHash } from '../merkle/hashes.ts';

/** What identifies a log, or its part after an accepted loss (docs/decisions/0074-origins-of-a-log.md). */
export interface LogOrigin {
  /** The first line of its checkpoints and the name of its key. */
  readonly origin: string;
  /** The same for all parts of a log: the beginning of the hash of its first leaf. */
  readonly installation: string;
  /** 1 for a log that lost nothing, one more after each accepted loss. */
  readonly number: number;
  /** Below the folder that checkpoints are published to: `<installation>/<part>`. */
  readonly folder: string;
}

const PREFIX = 'svc';
const ORIGIN = /^svc\/([0-9a-f]{16})(?:\/((\d+)-[0-9a-f]{8}))?$/;

/**
 * Derives the origin from the log alone, so that every node and every auditor finds the same one. After an accepted loss it
 * contains the hash of the event that accepted it: two copies of a log that each go on have different origins.
 * @param firstEntry the leaf entry of the first event
 * @param losses how many losses the log has accepted, and the leaf entry of the last of these events
 */
export function logOrigin(
  firstEntry: Buffer,
  losses?: { readonly count: number; readonly lastEntry: Buffer },
): LogOrigin {
  const installation = leafHash(firstEntry).toString('hex', 0, 8);
  const suffix = losses ? `/${losses.count + 1}-${leafHash(losses.lastEntry).toString('hex', 0, 4)}` : '';
  return parseOrigin(`${PREFIX}/${installation}${suffix}`) as LogOrigin;
}

/** @returns undefined for an origin that is not one of svc */
export function parseOrigin(origin: string): LogOrigin | undefined {
  const [, installation, part = '1', number = '1'] = ORIGIN.exec(origin) ?? [];
  if (installation === undefined || !Number.isSafeInteger(Number(number))) return undefined;
  return { origin, installation, number: Number(number), folder: `${installation}/${part}` };
}
