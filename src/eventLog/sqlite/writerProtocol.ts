import type { Position } from '../../domain/core/brands.ts';
import type { PositionRange } from '../archive/segment.ts';
import type { PlacedRow } from './archivedRows.ts';
import type { BatchText } from './batchText.ts';
import type { WriterOutcome } from './batchWriter.ts';
import type { WritableOptions } from './database.ts';
import type { JournalFault } from './journalGuard.ts';
import type { MarkSettings } from './logMark.ts';
import type { Parked, ParkRequest } from './park.ts';
import type { PruneRange } from './prune.ts';

/** Messages between a log and its writer thread. */
export interface WriterThread {
  options: WritableOptions & {
    readonly mark?: MarkSettings | undefined;
    /** The file that knows the ends of streams without rows. */
    readonly archivePath?: string | undefined;
  };
  /** Position of the last event in the file. */
  ready: { readonly head: Position };
  requests: {
    /** Writes a batch in one transaction. Returns the outcomes in the order of its appends. */
    commit(batch: BatchText): readonly WriterOutcome[];
    /** Parks events of an outbox. */
    park(request: ParkRequest): Parked;
    /** Removes archived rows. */
    removeRows(ranges: readonly PositionRange[]): void;
    /** Puts archived rows back. */
    restoreRows(rows: readonly PlacedRow[]): void;
    /** Proves that a write is durable and that there is room for an event. */
    probe(): void;
  };
  notifications: {
    prune(ranges: readonly PruneRange[]): void;
  };
  reports: {
    /** The mark cannot be written, for this reason; undefined: it was written again after a failure. */
    markWritten(failure: string | undefined): void;
    /** Nothing may be written because of the write-ahead log; undefined: the file is in place again. */
    journalChecked(fault: (JournalFault & { readonly isCut: boolean }) | undefined): void;
  };
}
