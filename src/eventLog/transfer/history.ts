import type { Position } from '../../domain/core/brands.ts';
import type { WrappedKeys } from '../../vault/envelope.ts';
import type { StoredEvent } from '../eventLog.ts';

/** Where a history is read from. */
export interface HistorySource {
  head(): Promise<Position>;
  readAll(after: Position): AsyncIterable<StoredEvent>;
  wrappedKeys(): Promise<WrappedKeys>;
  close(): Promise<void>;
}

/** Where a history is written to: an empty store, or one in which an earlier attempt was interrupted. */
export interface HistoryTarget extends HistorySource {
  /** Durable when it resolves; writing a key again does no harm. @throws TransferFailed when another vault is there */
  writeKeys(keys: WrappedKeys): Promise<void>;
  /** Appends neighbours of one stream as they are, behind everything else. Durable when it resolves. @throws TransferFailed */
  append(events: readonly StoredEvent[]): Promise<void>;
}

/** A history cannot be moved; the message says why and what to do. */
export class TransferFailed extends Error {
  override readonly name = 'TransferFailed';
}

/** Told as it goes on: how many events are done, of how many. */
export type OnProgress = (done: number, of: number) => void;

export const WRONG_MASTER_KEY =
  'the keys in the file are wrapped by another master key: set SVC_ENCRYPTION_KEY to what it was there, or to the content ' +
  'of the master.key that lay beside them';
