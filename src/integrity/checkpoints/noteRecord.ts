/** A note that this log has signed: a checkpoint, or a change of its key. */
export interface NoteRecord {
  /** 1 for the first note of the log. Notes are published in this order. */
  readonly seq: number;
  readonly kind: 'checkpoint' | 'keyChange';
  readonly origin: string;
  /** Of a key change: that of the checkpoint before it. */
  readonly size: number;
  /** 64 hex digits. */
  readonly root: string;
  /** Without cosignatures. */
  readonly note: string;
  /** The key that signed it, of a key change the new one: 64 hex digits. */
  readonly publicKey: string;
  /** Milliseconds since 1970. */
  readonly signedAt: number;
}

/** What each target has taken: the number of the last note by the id of the target. */
export type PublishedUpTo = Readonly<Record<string, number>>;

/** Where nodes that share a log keep its notes together (docs/decisions/0008-side-streams.md). */
export interface SharedNotes {
  /**
   * Notes after this number, in order.
   * @returns undefined when there are fewer: the store was restored from an older copy
   * @throws when the store is unreachable
   */
  readAfter(seq: number): Promise<readonly SharedNote[] | undefined>;
  /**
   * Appends a note.
   * @returns false when another node has appended one with this number
   * @throws when it is not known whether the note was appended
   */
  append(shared: SharedNote): Promise<boolean>;
}

export interface SharedNote {
  readonly record: NoteRecord;
  /** As far as the node knew that signed it. */
  readonly published: PublishedUpTo;
}
