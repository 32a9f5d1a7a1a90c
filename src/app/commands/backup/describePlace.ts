import type { LogPlace } from '../../../backup/format/manifest.ts';

/** A position with its time, for example `1342 (2026-11-23T07:50:12.000Z)`. */
export const describePlace = ({ position, time }: LogPlace): string =>
  position === 0 ? '0: it has no events' : `${position} (${new Date(time).toISOString()})`;
