import { type Actor, type EventToAppend, METADATA_VERSION } from './eventLog.ts';
import type { UnchainedMetadata } from './hashChain.ts';

type Caused = Pick<EventToAppend, 'actor' | 'correlationId' | 'causationId'>;

/** The metadata of a new event, before its stream revision is known. */
export const metadataOf = (
  { actor, correlationId, causationId }: Caused,
  schemaVersion: number,
  node: string,
): UnchainedMetadata => ({
  schemaVersion,
  metadataVersion: METADATA_VERSION,
  actor,
  correlationId,
  ...(causationId != null && { causationId }),
  node,
});

/** Actors as JSON. Those of requests are shared by all requests of their key. */
const actors = new WeakMap<Actor, string>();

/** `JSON.stringify` of `metadataOf`, at a third of its cost. */
export function metadataJson(
  { actor, correlationId, causationId }: Caused,
  schemaVersion: number,
  node: string,
): string {
  let actorText = actors.get(actor);
  if (actorText === undefined) {
    actorText = JSON.stringify(actor);
    actors.set(actor, actorText);
  }
  const causation = causationId == null ? '' : `"causationId":${JSON.stringify(causationId)},`;
  return (
    `{"schemaVersion":${schemaVersion},"metadataVersion":${METADATA_VERSION},"actor":${actorText},` +
    `"correlationId":${JSON.stringify(correlationId)},${causation}"node":${JSON.stringify(node)}}`
  );
}
