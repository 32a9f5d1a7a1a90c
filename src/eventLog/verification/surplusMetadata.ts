import { METADATA_VERSION } from '../eventLog.ts';

const FIELDS: ReadonlySet<string> = new Set([
  'schemaVersion',
  'metadataVersion',
  'actor',
  'correlationId',
  'causationId',
  'node',
  'previousHash',
  'hash',
]);

/** The fields of an actor, besides its kind. */
const ACTORS: Readonly<Record<string, ReadonlySet<string>>> = {
  operator: new Set([
    'sessionId',
    'operatorId',
    'tokenId',
    'method',
    'address',
    'userAgent',
    'addressDigest',
    'usedTotp',
  ]),
  apiKey: new Set(['keyId']),
  anonymous: new Set(),
  cli: new Set(['command', 'user']),
  system: new Set(['reason']),
};

const NONE: readonly string[] = [];

/** Nearly every event has these fields, in this order: they need not be parsed. */
const USUAL =
  /^\{"schemaVersion":\d+,"metadataVersion":2,"actor":\{"kind":"(?:anonymous"|apiKey","keyId":"[^"\\]*"|system","reason":"[^"\\]*")\},"correlationId":"[^"\\]*",(?:"causationId":"[^"\\]*",)?"node":"[^"\\]*","previousHash":"\w*","hash":"\w*"\}$/;

/**
 * Finds what this version of svc does not know in the metadata of an event; nothing depends on it but who caused the event.
 * @param metadata JSON
 * @returns paths, for example `metadata.actor.note`; a later version of the metadata counts as one
 */
export function unknownInMetadata(metadata: string): readonly string[] {
  if (USUAL.test(metadata)) return NONE;
  const parsed = JSON.parse(metadata) as Readonly<Record<string, unknown>>;
  const { metadataVersion = 1, actor } = parsed;
  const isLater = typeof metadataVersion !== 'number' || metadataVersion > METADATA_VERSION;
  const fields = Object.keys(parsed).filter((name) => !FIELDS.has(name));
  return [...(isLater ? ['metadataVersion'] : []), ...fields, ...unknownInActor(actor)].map(
    (name) => `metadata.${name}`,
  );
}

function unknownInActor(actor: unknown): readonly string[] {
  if (typeof actor !== 'object' || actor === null) return ['actor'];
  const { kind, ...fields } = actor as Readonly<Record<string, unknown>>;
  const known = typeof kind === 'string' && Object.hasOwn(ACTORS, kind) ? ACTORS[kind] : undefined;
  if (!known) return ['actor.kind'];
  return Object.keys(fields)
    .filter((name) => !known.has(name))
    .map((name) => `actor.${name}`);
}
