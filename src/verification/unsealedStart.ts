import { type CheckedSegments, checkSegments, type OpenArchive } from './archive.ts';
import { findSealedStart, type SealedStart } from './sealedStart.ts';

export interface UnsealedStart {
  readonly start?: SealedStart | undefined;
  readonly checked: CheckedSegments;
  readonly notes: readonly string[];
}

/** Where to begin behind archived days; everything is verified where the archive is not what the log says. */
export function findUnsealedStart(log: string, archive: OpenArchive): UnsealedStart {
  const checked = checkSegments(log, archive.events, true);
  const found = checked.findings.length === 0 ? findSealedStart(log, archive, checked.segments) : undefined;
  if (found && 'start' in found) {
    const { upTo, day } = found.start;
    const note =
      `Only what is unsealed was verified: up to position ${upTo} the tree was taken from the seal of ${day}, which the log has. ` +
      'To find changed leaf entries of archived days, leave out --unsealed.';
    return { start: found.start, checked, notes: [note] };
  }
  const whole = checkSegments(log, archive.events);
  // A day that was restored meanwhile takes its tiles with it.
  if (found && 'finding' in found && whole.segments.length < checked.segments.length)
    return { checked: whole, notes: [] };
  const findings = [...whole.findings, ...(found && 'finding' in found ? [found.finding] : [])];
  return { checked: { ...whole, findings }, notes: found && 'note' in found ? [found.note] : [] };
}
