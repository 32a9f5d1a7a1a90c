import type { Position } from '../../domain/core/brands.ts';
import type { PreparedAppend } from '../prepareAppend.ts';
import type { BatchText } from './batchText.ts';

/** What the writer needs of an append; the data as objects stays behind. */
export type WrittenAppend = Omit<PreparedAppend, 'data'>;

export type WriterOutcome =
  | {
      readonly kind: 'committed';
      readonly revision: number;
      readonly position: Position;
      /** The events had been written before. */
      readonly isRepeat: boolean;
    }
  | { readonly kind: 'conflict'; readonly actualRevision: number }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** Events that stand elsewhere by now: all up to and with `upTo`, except those at `kept`. */
export interface Forgotten {
  readonly upTo: Position;
  readonly kept: readonly Position[];
}

/** From the main thread to the writer: a batch for one transaction, what to forget, or the end. */
export type ToWriter = { readonly batch: BatchText } | { readonly forget: Forgotten } | 'close';

/** From the writer: its start, or the outcomes of a batch in the order of its appends. */
export type FromWriter =
  | { readonly kind: 'started'; readonly head: Position }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'settled'; readonly outcomes: readonly WriterOutcome[] };
