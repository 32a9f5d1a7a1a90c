import { sentenceOf, subjectOf } from '../../../../projections/history.ts';
import { instant, iso } from '../../../domain/core/brands.ts';
import { type Json, redact, toJson } from '../../../domain/core/redact.ts';
import { type KnownEvent, upcast } from '../../../domain/eventTypes.ts';
import type { StoredEvent } from '../../../eventLog/eventLog.ts';
import { REFRESH_STREAM_PREFIX } from '../../../state/fold/refreshStreams.ts';
import { eventActor, type People } from '../../http/actor.ts';
import { difference } from './difference.ts';

const current = ({ type, data, metadata }: StoredEvent): KnownEvent =>
  ({ type, data: upcast(type, metadata.schemaVersion, data) }) as KnownEvent;

/** The subject of an event in History. */
export const subjectOfEvent = (event: StoredEvent): string => subjectOf(event.stream, current(event));

/** The stream whose folded state an event changes: `subjectState` has it. */
export function changedStreamOf(event: StoredEvent): string {
  const subject = subjectOfEvent(event);
  // Some streams belong to one start of a node or have many subjects.
  const isOfNode =
    event.stream.startsWith(REFRESH_STREAM_PREFIX) || /^(accountCoolDown|node|operator|managementToken)-/.test(subject);
  return isOfNode ? subject : event.stream;
}

/** An event with the states before and after it, on the wire. Secrets are redacted. */
export function eventDetails(event: StoredEvent, before: Json, after: Json, people: People) {
  const { metadata, stream, type } = event;
  return {
    position: event.position as number,
    time: iso(instant(event.time)),
    type,
    subject: subjectOfEvent(event),
    actor: eventActor(metadata.actor, people),
    sentence: sentenceOf(current(event)),
    id: event.id,
    stream,
    revision: event.revision,
    schema_version: metadata.schemaVersion,
    correlation_id: metadata.correlationId,
    causation_id: metadata.causationId ?? null,
    node: metadata.node,
    hash: metadata.hash,
    previous_hash: metadata.previousHash,
    data: redact(toJson(event.data)),
    before: redact(before),
    after: redact(after),
    changes: difference(before, after),
  };
}
