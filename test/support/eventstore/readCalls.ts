import shared from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { nameOf } from './appendCalls.ts';
import type { FakeDatabase, FakeRecord } from './fakeDatabase.ts';
import type { Call } from './grpcServer.ts';
import { statuses } from './statuses.ts';

const BACKWARDS = 1;
const TICKS_PER_MS = 10_000n;
/** How many events a live subscriber may fall behind before a server older than 24.2 drops it. */
const LIVE_BUFFER = 32;

export interface ReadRules {
  readonly database: FakeDatabase;
  /** Whether slow live subscribers are dropped, as by servers older than 24.2. */
  readonly dropsSlowConsumers: boolean;
  /** Subscriptions that stay open but receive nothing. */
  readonly muted: ReadonlySet<Call>;
}

/** Handles reads of a stream or of `$all`, and subscriptions, which are reads without an end. */
export async function read(call: Call, rules: ReadRules): Promise<void> {
  for await (const message of call.messages) {
    const options = StreamsService.read.requestDeserialize(message).getOptions() as ReadReq.Options;
    // Filters are not implemented: svc does not use them, and they would need correct checkpoints.
    if (!options.hasNoFilter()) return call.end(statuses.unimplemented);
    if (options.hasSubscription())
      return options.hasAll() ? follow(call, options, rules) : call.end(statuses.unimplemented);
    return options.hasAll() ? readAll(call, options, rules) : readStream(call, options, rules);
  }
}

async function readStream(call: Call, options: ReadReq.Options, { database }: ReadRules): Promise<void> {
  const from = options.getStream() as ReadReq.Options.StreamOptions;
  const name = nameOf(from.getStreamIdentifier()?.getStreamName_asU8());
  if (database.isTombstoned(name)) return call.end(statuses.streamDeleted(name));
  const records = database.visible(name);
  if (!records) {
    const missing = new streams.ReadResp.StreamNotFound().setStreamIdentifier(from.getStreamIdentifier());
    await call.send(StreamsService.read.responseSerialize(new streams.ReadResp().setStreamNotFound(missing)));
    return call.end();
  }
  const isBackwards = options.getReadDirection() === BACKWARDS;
  const bound = from.hasRevision() ? BigInt(from.getRevision()) : undefined;
  const ordered = isBackwards ? records.toReversed() : records;
  const selected =
    bound === undefined
      ? ordered.slice(0, isBackwards === from.hasEnd() ? undefined : 0)
      : ordered.filter(({ revision }) => (isBackwards ? revision <= bound : revision >= bound));
  await sendAll(call, selected.slice(0, Number(options.getCount())));
  call.end();
}

async function readAll(call: Call, options: ReadReq.Options, { database }: ReadRules): Promise<void> {
  const isBackwards = options.getReadDirection() === BACKWARDS;
  const at = options.getAll()?.getPosition();
  const bound = at && BigInt(at.getCommitPosition());
  if (bound !== undefined && !database.isBoundary(bound)) {
    return call.end(statuses.unknown('Log record at actual pos is not a record boundary.'));
  }
  const { log } = database;
  const count = Number(options.getCount());
  // Inclusive forwards, exclusive backwards.
  const middle = bound === undefined ? (isBackwards ? log.length : 0) : indexAfter(log, bound - 1n);
  const selected = isBackwards
    ? log.slice(Math.max(0, middle - count), middle).toReversed()
    : log.slice(middle, middle + count);
  await sendAll(call, selected);
  call.end();
}

/** Excludes the event at the start position. A position beyond the end waits silently, as in 24.2. */
async function follow(call: Call, options: ReadReq.Options, rules: ReadRules): Promise<void> {
  const { database } = rules;
  const all = options.getAll() as ReadReq.Options.AllOptions;
  const at = all.getPosition();
  let after = at ? BigInt(at.getCommitPosition()) : -1n;
  if (all.hasEnd()) after = database.log.at(-1)?.position ?? -1n;
  if (at && !database.isBoundary(after)) {
    return call.end(statuses.unknown('Log record at actual pos is not a record boundary.'));
  }
  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(crypto.randomUUID());
  await call.send(StreamsService.read.responseSerialize(new streams.ReadResp().setConfirmation(confirmation)));
  let wake = () => {};
  const stopListening = database.onAppended(() => wake());
  let isLive = false;
  try {
    while (!call.signal.aborted) {
      const records = rules.muted.has(call) ? [] : database.log.slice(indexAfter(database.log, after));
      if (isLive && rules.dropsSlowConsumers && records.length > LIVE_BUFFER) return call.end(statuses.consumerTooSlow);
      if (records.length === 0) {
        if (!isLive) await call.send(serialised(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())));
        isLive = true;
        await new Promise<void>((resolve) => {
          wake = resolve;
          call.signal.addEventListener('abort', () => resolve(), { once: true });
          if (!rules.muted.has(call) && indexAfter(database.log, after) < database.log.length) resolve();
        });
        continue;
      }
      await sendAll(call, records);
      after = records.at(-1)?.position ?? after;
    }
  } finally {
    stopListening();
  }
}

/** Index of the first record after a position. */
function indexAfter(log: readonly FakeRecord[], after: bigint): number {
  let [low, high] = [0, log.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((log[middle] as FakeRecord).position > after) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Records per write: one frame per record would cost more than the record itself. */
const RECORDS_PER_WRITE = 32;

async function sendAll(call: Call, records: readonly FakeRecord[]): Promise<void> {
  for (let at = 0; at < records.length && !call.signal.aborted; at += RECORDS_PER_WRITE) {
    await call.send(...records.slice(at, at + RECORDS_PER_WRITE).map(bytesOf));
  }
}

const serialised = (response: InstanceType<typeof streams.ReadResp>) => StreamsService.read.responseSerialize(response);

const bytes = new WeakMap<FakeRecord, Uint8Array>();

/** Cached, because each record is sent many times. */
function bytesOf(record: FakeRecord): Uint8Array {
  const known = bytes.get(record) ?? serialised(eventOf(record));
  bytes.set(record, known);
  return known;
}

function eventOf(record: FakeRecord) {
  const event = new streams.ReadResp.ReadEvent.RecordedEvent();
  event.setId(new shared.UUID().setString(record.id));
  event.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(record.stream)));
  event.setStreamRevision(String(record.revision));
  event.setCommitPosition(String(record.position)).setPreparePosition(String(record.position));
  event.setData(record.data).setCustomMetadata(record.metadata);
  event.getMetadataMap().set('type', record.type);
  event.getMetadataMap().set('content-type', record.contentType);
  event.getMetadataMap().set('created', String(BigInt(record.created) * TICKS_PER_MS));
  const resolved = new streams.ReadResp.ReadEvent().setEvent(event).setCommitPosition(String(record.position));
  return new streams.ReadResp().setEvent(resolved);
}
