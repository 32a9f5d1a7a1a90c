import shared from '@eventstore/db-client/generated/shared_pb.js';
import grpcStatus from '@eventstore/db-client/generated/status_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { AppendReq, BatchAppendReq, DeleteReq, TombstoneReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import type { Appended, Expected, FakeDatabase, ProposedRecord } from './fakeDatabase.ts';
import { NO_STREAM } from './fakeDatabase.ts';
import type { Call, Status } from './grpcServer.ts';
import { statuses } from './statuses.ts';

/** A fault of an append: whether the events are written, and how the call ends. */
export interface AppendFault {
  readonly isWritten: boolean;
  readonly end: Status | 'never' | 'reset';
}

export interface AppendRules {
  readonly database: FakeDatabase;
  /** Maximum bytes of data in one append. */
  readonly maxAppendBytes: number;
  /** Whether metadata and type count too, as from version 24.10.4 on. */
  readonly countsMetadata: boolean;
  /** Maximum bytes of one event. */
  readonly maxEventBytes: number;
  /** Called for each append; undefined lets it succeed. */
  readonly nextFault: () => AppendFault | undefined;
}

const MAX_MESSAGE_BYTES = 17 * 1_048_576;
const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** The classic append: one call per append. The first message has the options, each further one an event. */
export async function append(call: Call, rules: AppendRules): Promise<void> {
  const { options, events, tooLarge } = await received(call);
  if (tooLarge) return call.end({ code: 8, message: 'Received message exceeds the maximum configured message size.' });
  const stream = nameOf(options?.getStreamIdentifier()?.getStreamName_asU8());
  const fault = rules.nextFault();
  if (fault && !fault.isWritten) return end(call, fault.end);
  const refusal = refusalOf(events, rules);
  if (refusal) return call.end(refusal);
  const expected = expectedOf(options as AppendReq.Options);
  const outcome = rules.database.append(stream, expected, events);
  if (fault) return end(call, fault.end);
  if (outcome.kind === 'deleted') return call.end(statuses.streamDeleted(stream));
  const response = StreamsService.append.responseSerialize(responseOf(outcome, expected));
  await call.send(response);
  call.end();
}

async function received(call: Call) {
  let options: AppendReq.Options | undefined;
  let tooLarge = false;
  const events: ProposedRecord[] = [];
  for await (const message of call.messages) {
    if (message.length > MAX_MESSAGE_BYTES) tooLarge = true;
    const request = StreamsService.append.requestDeserialize(message);
    if (request.hasOptions()) options = request.getOptions();
    const proposed = request.getProposedMessage();
    if (proposed) events.push(recordOf(proposed));
  }
  return { options, events, tooLarge };
}

function end(call: Call, how: AppendFault['end']): void {
  if (how === 'reset') call.reset();
  else if (how !== 'never') call.end(how);
}

function refusalOf(events: readonly ProposedRecord[], rules: AppendRules): Status | undefined {
  if (events.some(({ id }) => !UUID.test(id))) return statuses.unknown('Unrecognized Guid format.');
  if (events.some(({ type }) => type === '')) return statuses.unknown('Value cannot be null. (Parameter "eventType")');
  const { maxAppendBytes, maxEventBytes, countsMetadata } = rules;
  const sizes = events.map(
    ({ data, metadata, type }) => data.length + (countsMetadata ? metadata.length + type.length : 0),
  );
  const largest = Math.max(...sizes);
  if (largest > maxEventBytes) return statuses.eventTooBig(maxEventBytes, largest);
  return sizes.reduce((sum, size) => sum + size, 0) > maxAppendBytes
    ? statuses.appendTooBig(maxAppendBytes)
    : undefined;
}

function expectedOf(options: AppendReq.Options): Expected {
  if (options.hasAny()) return 'any';
  if (options.hasStreamExists()) return 'exists';
  return options.hasNoStream() ? NO_STREAM : BigInt(options.getRevision());
}

function responseOf(outcome: Exclude<Appended, { kind: 'deleted' }>, expected: Expected) {
  const response = new streams.AppendResp();
  if (outcome.kind === 'written') {
    const success = new streams.AppendResp.Success().setCurrentRevision(String(outcome.revision));
    if (outcome.position === undefined) return response.setSuccess(success.setNoPosition(new shared.Empty()));
    const position = new streams.AppendResp.Position();
    position.setCommitPosition(String(outcome.position)).setPreparePosition(String(outcome.position));
    return response.setSuccess(success.setPosition(position));
  }
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (outcome.current === NO_STREAM) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(outcome.current));
  if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
  else if (expected === 'exists') wrong.setExpectedStreamExists(new shared.Empty());
  else if (expected === NO_STREAM) wrong.setExpectedNoStream(new shared.Empty());
  else wrong.setExpectedRevision(String(expected));
  return response.setWrongExpectedVersion(wrong);
}

/** Batch append: one call for the lifetime of a client; responses name the id of their request. */
export async function batchAppend(call: Call, rules: AppendRules): Promise<void> {
  const pending = new Map<string, { options: BatchAppendReq.Options; events: ProposedRecord[] }>();
  for await (const message of call.messages) {
    const request = StreamsService.batchAppend.requestDeserialize(message);
    const id = request.getCorrelationId()?.getString() ?? '';
    const options = request.getOptions() ?? pending.get(id)?.options;
    if (!options) return call.end(statuses.unknown('no options'));
    const events = [...(pending.get(id)?.events ?? []), ...request.getProposedMessagesList().map(recordOf)];
    pending.set(id, { options, events });
    if (!request.getIsFinal()) continue;
    pending.delete(id);
    const fault = rules.nextFault();
    const stream = nameOf(options.getStreamIdentifier()?.getStreamName_asU8());
    const outcome =
      fault?.isWritten === false ? undefined : rules.database.append(stream, batchExpectedOf(options), events);
    if (fault) {
      end(call, fault.end);
      continue;
    }
    const response = new streams.BatchAppendResp().setCorrelationId(request.getCorrelationId());
    response.setStreamIdentifier(options.getStreamIdentifier());
    if (outcome?.kind === 'written') {
      const success = new streams.BatchAppendResp.Success().setCurrentRevision(String(outcome.revision));
      if (outcome.position === undefined) success.setNoPosition(new empty.Empty());
      else {
        const position = new shared.AllStreamPosition();
        position.setCommitPosition(String(outcome.position)).setPreparePosition(String(outcome.position));
        success.setPosition(position);
      }
      response.setSuccess(success);
    } else {
      const details = new any.Any();
      const current = outcome?.kind === 'conflict' ? outcome.current : NO_STREAM;
      const wrong = new shared.WrongExpectedVersion().setCurrentStreamRevision(String(current));
      details.pack(wrong.serializeBinary(), 'event_store.client.WrongExpectedVersion');
      response.setError(new grpcStatus.Status().setCode(9 as never).setDetails(details));
    }
    await call.send(StreamsService.batchAppend.responseSerialize(response));
  }
  call.end();
}

function batchExpectedOf(options: BatchAppendReq.Options): Expected {
  if (options.hasAny()) return 'any';
  if (options.hasStreamExists()) return 'exists';
  return options.hasNoStream() ? NO_STREAM : BigInt(options.getStreamPosition());
}

/** A hard delete. */
export async function tombstone(call: Call, rules: AppendRules): Promise<void> {
  for await (const message of call.messages) {
    const options = StreamsService.tombstone.requestDeserialize(message).getOptions() as TombstoneReq.Options;
    const position = deletion(call, rules, options, (...args) => rules.database.tombstone(...args));
    if (position === undefined) return;
    const { commit, prepare } = position;
    const native = new streams.TombstoneResp.Position().setCommitPosition(commit).setPreparePosition(prepare);
    await call.send(StreamsService.tombstone.responseSerialize(new streams.TombstoneResp().setPosition(native)));
    return call.end();
  }
}

export async function softDelete(call: Call, rules: AppendRules): Promise<void> {
  for await (const message of call.messages) {
    const options = StreamsService.delete.requestDeserialize(message).getOptions() as DeleteReq.Options;
    const position = deletion(call, rules, options, (...args) => rules.database.softDelete(...args));
    if (position === undefined) return;
    const { commit, prepare } = position;
    const native = new streams.DeleteResp.Position().setCommitPosition(commit).setPreparePosition(prepare);
    await call.send(StreamsService.delete.responseSerialize(new streams.DeleteResp().setPosition(native)));
    return call.end();
  }
}

/** @returns the position of the deletion; undefined when the call was ended */
function deletion(
  call: Call,
  { nextFault }: AppendRules,
  options: TombstoneReq.Options | DeleteReq.Options,
  work: (stream: string, expected: Expected) => Appended,
): { readonly commit: string; readonly prepare: string } | undefined {
  const stream = nameOf(options.getStreamIdentifier()?.getStreamName_asU8());
  const fault = nextFault();
  if (fault && !fault.isWritten) {
    end(call, fault.end);
    return undefined;
  }
  const expected = deletionExpectedOf(options);
  const outcome = work(stream, expected);
  if (fault) end(call, fault.end);
  else if (outcome.kind === 'deleted') call.end(statuses.streamDeleted(stream));
  else if (outcome.kind === 'conflict') {
    call.end(statuses.wrongExpectedVersion(stream, expected as bigint, outcome.current));
  } else return { commit: String(outcome.position), prepare: String(outcome.position) };
  return undefined;
}

function deletionExpectedOf(options: TombstoneReq.Options | DeleteReq.Options): Expected {
  if (options.hasAny() || options.hasStreamExists()) return 'any';
  return options.hasNoStream() ? NO_STREAM : BigInt(options.getRevision());
}

function recordOf(message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage): ProposedRecord {
  const properties = message.getMetadataMap();
  return {
    // The server stores a GUID, not the text, so it returns the id in lower case.
    id: (message.getId()?.getString() ?? '').toLowerCase(),
    type: properties.get('type') ?? '',
    contentType: properties.get('content-type') ?? 'application/octet-stream',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

export const nameOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
