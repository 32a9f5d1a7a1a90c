/** A record in the log of the fake server. */
export interface FakeRecord {
  /** Commit and prepare position in `$all`. Positions are not consecutive. */
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  /** Milliseconds since 1970. */
  readonly created: number;
}

export type ProposedRecord = Pick<FakeRecord, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

/** The expected revision: -1 when the stream must not exist, `any` for no check. */
export type Expected = bigint | 'any' | 'exists';

export type Appended =
  | {
      readonly kind: 'written';
      readonly revision: bigint;
      /** Undefined for a repeat of events that were truncated or deleted since. */
      readonly position: bigint | undefined;
    }
  | { readonly kind: 'conflict'; readonly current: bigint }
  | { readonly kind: 'deleted' };

export interface StreamMetadata {
  readonly $maxCount?: number;
  /** In seconds. */
  readonly $maxAge?: number;
  /** Truncate before this revision. */
  readonly $tb?: number;
}

interface FakeStream {
  records: FakeRecord[];
  isTombstoned: boolean;
  metadata: StreamMetadata;
}

export const NO_STREAM = -1n;
/** The revision of a tombstone, and `$tb` of a soft-deleted stream. */
const DELETED = 9_223_372_036_854_775_807n;

/**
 * The storage of a fake server, with the rules of real servers (docs/stores.md#failures-by-name). It survives the fake
 * servers that are started over it, as files survive a process.
 */
export class FakeDatabase {
  /** Whether writes fail because the disk has no room. */
  isDiskFull = false;
  readonly #streams = new Map<string, FakeStream>();
  readonly #listeners = new Set<() => void>();
  /** Recently written ids, the only thing that makes a repeat with `any` idempotent. */
  #recentIds = new Map<string, { stream: string; revision: bigint }>();
  #log: FakeRecord[] = [];
  /** Positions of all records ever written: a scavenge removes records but not their positions. */
  #positions = new Set<bigint>();
  #end = 1_420n;
  #passedMs = 0;

  constructor() {
    // System events that a new server writes before the first client connects.
    for (const [stream, type] of [
      ['$$$stats-127.0.0.1:2113', '$metadata'],
      ['$epoch-information', '$epoch-information'],
      ['$users', '$User'],
      ['$user-admin', '$UserCreated'],
      ['$$$scavenges', '$metadata'],
    ] as const) {
      this.writeSystemEvent(stream, type);
    }
  }

  /** All records of `$all`, system events included. */
  get log(): readonly FakeRecord[] {
    return this.#log;
  }

  /** Whether a read may begin at a position: it is that of a record, or beyond the end. */
  isBoundary(position: bigint): boolean {
    return this.#positions.has(position) || position > (this.#log.at(-1)?.position ?? 0n);
  }

  onAppended(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  append(stream: string, expected: Expected, events: readonly ProposedRecord[]): Appended {
    const kept = this.#streams.get(stream);
    if (kept?.isTombstoned) return { kind: 'deleted' };
    const current = this.#lastRevision(stream);
    if (expected === 'any') return this.#repeatedRecently(stream, events) ?? this.#write(stream, current, events);
    if (expected === 'exists') {
      return current === NO_STREAM ? { kind: 'conflict', current } : this.#write(stream, current, events);
    }
    if (expected === current) return this.#write(stream, current, events);
    if (expected > current) return { kind: 'conflict', current };
    const repeated = this.#countRepeated(stream, expected, events);
    if (events.length > 0 && repeated === events.length)
      return this.#outcomeOfRepeat(stream, expected + BigInt(repeated));
    const isReopened = expected === NO_STREAM && repeated === 0 && this.isSoftDeleted(stream);
    return isReopened ? this.#write(stream, current, events) : { kind: 'conflict', current };
  }

  /** How many of these events, counted from the first, are at the revisions where this append would write them. */
  #countRepeated(stream: string, expected: bigint, events: readonly ProposedRecord[]): number {
    const records = this.#streams.get(stream)?.records ?? [];
    const first = records.findIndex(({ revision }) => revision > expected);
    const isThere = ({ id }: ProposedRecord, index: number): boolean => {
      const revision = expected + 1n + BigInt(index);
      const recent = this.#recentIds.get(id);
      if (recent?.stream === stream && recent.revision === revision) return true;
      // A scavenge leaves gaps, so the record of a revision may come earlier than expected.
      const record = records.slice(first, first + index + 1).findLast((other) => other.revision <= revision);
      return record?.revision === revision && record.id === id;
    };
    const at = events.findIndex((event, index) => !isThere(event, index));
    return at === -1 ? events.length : at;
  }

  /** The original outcome. Events that no reader can see any more have lost their position. */
  #outcomeOfRepeat(stream: string, revision: bigint): Appended {
    const record = this.visible(stream)?.findLast((other) => other.revision === revision);
    return { kind: 'written', revision, position: record?.position };
  }

  #repeatedRecently(stream: string, events: readonly ProposedRecord[]): Appended | undefined {
    const [first, last] = [events[0], events.at(-1)].map((event) => event && this.#recentIds.get(event.id));
    if (first?.stream !== stream || last?.stream !== stream) return undefined;
    return this.#outcomeOfRepeat(stream, last.revision);
  }

  #write(stream: string, current: bigint, events: readonly ProposedRecord[]): Appended {
    if (events.length === 0) {
      // "Succeeds", moves the end of the log, and reports revision 0 for a stream that still does not exist.
      this.#end += 64n;
      return { kind: 'written', revision: current === NO_STREAM ? 0n : current, position: this.#end };
    }
    // The first event after a soft delete makes the stream visible from itself on.
    if (this.isSoftDeleted(stream))
      this.#setMetadata(stream, { ...this.#streamOf(stream).metadata, $tb: Number(current + 1n) });
    let revision = current;
    let position = this.#end;
    const kept = this.#streamOf(stream);
    for (const event of events) {
      revision += 1n;
      position = this.#add(kept, { ...event, stream, revision }).position;
      this.#recentIds.set(event.id, { stream, revision });
    }
    if (stream.startsWith('$$')) this.#streamOf(stream.slice(2)).metadata = parsed(events.at(-1)?.data);
    for (const listener of this.#listeners) listener();
    return { kind: 'written', revision, position };
  }

  #add(stream: FakeStream, event: Omit<FakeRecord, 'position' | 'created'>): FakeRecord {
    const record = { ...event, position: this.#end, created: this.#now() };
    // Records differ in length, so positions are not consecutive.
    this.#end += BigInt(160 + event.data.length + event.metadata.length);
    stream.records.push(record);
    this.#log.push(record);
    this.#positions.add(record.position);
    return record;
  }

  writeSystemEvent(stream: string, type: string): void {
    const kept = this.#streamOf(stream);
    const revision = BigInt(kept.records.length);
    const [data, metadata] = [Buffer.from('{}'), Buffer.alloc(0)];
    const id = crypto.randomUUID();
    this.#add(kept, { stream, revision, id, type, contentType: 'application/json', data, metadata });
    for (const listener of this.#listeners) listener();
  }

  /** The records of a stream that a read returns; undefined when the stream is missing or soft-deleted. */
  visible(stream: string): readonly FakeRecord[] | undefined {
    const kept = this.#streams.get(stream);
    if (!kept || kept.records.length === 0 || this.isSoftDeleted(stream)) return undefined;
    const now = this.#now();
    return kept.records.filter((record) => isVisible(kept, record, now));
  }

  isTombstoned(stream: string): boolean {
    return this.#streams.get(stream)?.isTombstoned ?? false;
  }

  isSoftDeleted(stream: string): boolean {
    return this.#streams.get(stream)?.metadata.$tb === Number(DELETED);
  }

  /** Hides all events of a stream from readers until the next append to it. */
  softDelete(stream: string, expected: Expected): Appended {
    const kept = this.#streams.get(stream);
    if (kept?.isTombstoned) return { kind: 'deleted' };
    const current = this.#lastRevision(stream);
    if (typeof expected === 'bigint' && expected !== current) return { kind: 'conflict', current };
    const position = this.#setMetadata(stream, { ...kept?.metadata, $tb: Number(DELETED) });
    return { kind: 'written', revision: current, position };
  }

  /** Writes the metadata of a stream, as an operator does. */
  setMetadata(stream: string, metadata: StreamMetadata): void {
    this.#setMetadata(stream, metadata);
  }

  #setMetadata(stream: string, metadata: StreamMetadata): bigint {
    this.#streamOf(stream).metadata = metadata;
    const kept = this.#streamOf(`$$${stream}`);
    // In JSON as the server writes it, since `$tb` of a soft delete is no safe integer.
    const text = JSON.stringify(metadata).replace(String(Number(DELETED)), String(DELETED));
    const [revision, id] = [BigInt(kept.records.length), crypto.randomUUID()];
    const [data, ofRecord] = [Buffer.from(text), Buffer.alloc(0)];
    const record = { stream: `$$${stream}`, revision, id, type: '$metadata', contentType: 'application/json' };
    const { position } = this.#add(kept, { ...record, data, metadata: ofRecord });
    for (const listener of this.#listeners) listener();
    return position;
  }

  /** Lets time pass for `$maxAge`. */
  passTime(ms: number): void {
    this.#passedMs += ms;
  }

  #now(): number {
    return Date.now() + this.#passedMs;
  }

  /** A hard delete: the name can never be used again. */
  tombstone(stream: string, expected: Expected): Appended {
    const kept = this.#streamOf(stream);
    if (kept.isTombstoned) return { kind: 'deleted' };
    const current = this.#lastRevision(stream);
    if (typeof expected === 'bigint' && expected !== current) return { kind: 'conflict', current };
    kept.isTombstoned = true;
    const [data, metadata] = [Buffer.alloc(0), Buffer.alloc(0)];
    const record = { stream, revision: DELETED, id: crypto.randomUUID(), type: '$streamDeleted', data, metadata };
    const { position } = this.#add(kept, { ...record, contentType: 'application/octet-stream' });
    for (const listener of this.#listeners) listener();
    return { kind: 'written', revision: DELETED, position };
  }

  /**
   * Removes the records that their stream's metadata hides, and those of tombstoned streams. Positions do not change.
   * @param chunks the chunks of 64 kB that it has come to, by their numbers; by default all. It begins with any, and may be stopped
   */
  scavenge(chunks: (chunk: number) => boolean = () => true): void {
    const now = this.#now();
    this.#log = this.#log.filter((record) => {
      const kept = this.#streamOf(record.stream);
      if (record.stream.startsWith('$') || !chunks(Number(record.position >> 16n))) return true;
      if (kept.isTombstoned) return record.revision === DELETED;
      const isHidden = this.isSoftDeleted(record.stream) || !isVisible(kept, record, now);
      return !isHidden || record === kept.records.at(-1);
    });
    const remaining = new Set(this.#log);
    for (const kept of this.#streams.values()) kept.records = kept.records.filter((record) => remaining.has(record));
  }

  /** Clears the cache of recent ids, as a restart does. */
  forgetRecentIds(): void {
    this.#recentIds = new Map();
  }

  /** A copy of the current state. */
  backup(): FakeDatabase {
    const copy = new FakeDatabase();
    copy.#log = [...this.#log];
    copy.#positions = new Set(this.#positions);
    copy.#end = this.#end;
    copy.#streams.clear();
    for (const [name, kept] of this.#streams) copy.#streams.set(name, { ...kept, records: [...kept.records] });
    return copy;
  }

  #lastRevision(stream: string): bigint {
    return this.#streams.get(stream)?.records.findLast(({ revision }) => revision !== DELETED)?.revision ?? NO_STREAM;
  }

  #streamOf(stream: string): FakeStream {
    const kept = this.#streams.get(stream) ?? { records: [], isTombstoned: false, metadata: {} };
    this.#streams.set(stream, kept);
    return kept;
  }
}

function isVisible({ metadata, records }: FakeStream, { revision, created }: FakeRecord, now: number): boolean {
  const { $maxCount, $maxAge, $tb = 0 } = metadata;
  const last = records.at(-1)?.revision ?? NO_STREAM;
  return (
    revision >= BigInt($tb) &&
    ($maxCount === undefined || revision > last - BigInt($maxCount)) &&
    ($maxAge === undefined || created > now - $maxAge * 1_000)
  );
}

const parsed = (data: Uint8Array | undefined): FakeStream['metadata'] =>
  data ? JSON.parse(Buffer.from(data).toString()) : {};
