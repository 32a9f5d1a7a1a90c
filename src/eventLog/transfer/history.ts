import type { Position } from '../../domain/core/brands.ts';
import type { WrappedKeys } from '../../vault/envelope.ts';
import type { StoredEvent } from '../eventLog.ts';
import type { EventTuple } from '../sqlite/eventTuple.ts';

/** A store whose history can be exported. */
export interface HistorySource {
  head(): Promise<Position>;
  readAll(after: Position): AsyncIterable<StoredEvent>;
  readKeys(): Promise<WrappedKeys>;
  /** Days whose events are archived, and not among those that are read; absent: none. */
  readonly archivedDays?: readonly string[];
  close(): Promise<void>;
}

/** A store that a history can be imported into: an empty one, or one in which an earlier import was interrupted. */
export interface HistoryTarget extends HistorySource {
  /** All events, in order, page by page. */
  readPages(): AsyncIterable<readonly EventTuple[]>;
  /** What one append may have. */
  readonly batches: BatchLimits;
  /** Writes keys, durable when it resolves. Existing keys are kept. @throws TransferFailed when there is another vault */
  writeKeys(keys: WrappedKeys): Promise<void>;
  /**
   * Appends consecutive events unchanged, at the end of the log. Durable when it resolves.
   * @throws TransferFailed
   */
  append(events: readonly EventTuple[]): Promise<void>;
}

/** Limits of one append. A larger event is one of its own. */
export interface BatchLimits {
  readonly events: number;
  readonly bytes: number;
  /** Whether all events of an append must be of one stream. */
  readonly isOneStream: boolean;
}

/** An export or import failed; the message says why and what to do. */
export class TransferFailed extends Error {
  override readonly name = 'TransferFailed';
}

/** Called with the number of transferred events and their total. */
export type OnProgress = (done: number, total: number) => void;

export const WRONG_MASTER_KEY =
  'the keys in the file are wrapped by another master key. Set SVC_ENCRYPTION_KEY to its value in the exported ' +
  'installation, or to the content of master.key there.';
