import { UnknownEventType } from '../domain/eventTypes.ts';
import { LogBroken } from '../eventLog/continuity.ts';
import { EventDamaged } from '../eventLog/storedJson/invalidField.ts';
import { UnknownField } from '../eventLog/storedJson/unknownField.ts';
import type { Finding } from './finding.ts';

/** What a fold that failed says about a log whose hashes are intact. */
export interface FoldFailure {
  readonly finding?: Finding;
  readonly note?: string;
}

/**
 * Runs a fold of the log.
 * @returns why the log cannot be folded: a finding, or a note when a newer version of svc wrote it
 * @throws any other error of the fold
 */
export async function foldFailure(fold: () => Promise<void> | void): Promise<FoldFailure> {
  try {
    await fold();
    return {};
  } catch (error) {
    if (error instanceof UnknownEventType || error instanceof UnknownField) {
      return { note: `The log was not folded: ${error.message}` };
    }
    if (error instanceof EventDamaged) {
      const { position, stream, message } = error;
      return { finding: { kind: 'edited', position, stream, expected: 'an event that svc writes', found: message } };
    }
    if (error instanceof LogBroken) {
      const { position, stream, reason } = error.found;
      const expected = 'an event that continues those before it';
      return { finding: { kind: 'deleted', position, stream, expected, found: `the event ${reason}` } };
    }
    throw error;
  }
}
