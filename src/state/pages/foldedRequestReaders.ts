import type { z } from 'zod';
import type { Schema } from '../../domain/core/schema.ts';
import { HARMLESS_OUTCOMES } from '../../domain/request/attemptOutcomes.ts';
import { completedRequestVersions } from '../../domain/request/events.ts';
import { createFieldReader } from '../../eventLog/storedJson/fieldReader.ts';
import { jsonShapeOf } from '../../eventLog/storedJson/jsonShape.ts';

/** What the fold needs of a completed request, as parts of its JSON; null and absent fields are undefined. */
export type FoldedRequestParts = readonly [
  json: string,
  requestId: string,
  keyId: string | undefined,
  model: string,
  requestedAt: string,
  owner: string | undefined,
  team: string | undefined,
  decidedAt: string | undefined,
  asOf: string | undefined,
  v: string | undefined,
  announcements: string | undefined,
  status: string,
  accountId: string | undefined,
  inputTokens: string | undefined,
  outputTokens: string | undefined,
  costMicroDollars: string | undefined,
  digest: string | undefined,
  isFallback: string | undefined,
  /** `"attempts":` and their JSON; absent if the fold needs none of them. */
  attempts?: string,
];

/** The indexes of `FoldedRequestParts`. */
export const Part = {
  requestId: 1,
  keyId: 2,
  model: 3,
  requestedAt: 4,
  owner: 5,
  team: 6,
  decidedAt: 7,
  asOf: 8,
  v: 9,
  announcements: 10,
  status: 11,
  accountId: 12,
  inputTokens: 13,
  outputTokens: 14,
  costMicroDollars: 15,
  digest: 16,
  isFallback: 17,
  attempts: 18,
} as const;

/** @returns null when the JSON has to be parsed: a text has an escape, or settlement did not write it */
export type FoldedRequestReader = (json: string) => FoldedRequestParts | null;

/** The readers by the version of the event; versions without one are parsed. */
export type FoldedRequestReaders = { readonly [version: number]: FoldedRequestReader | undefined };

const CAPTURES = [
  'requestId',
  'keyId',
  'model',
  'requestedAt',
  'owner',
  'team',
  'admission.decidedAt',
  'admission.asOf',
  'admission.v',
  'announcements',
  'status',
  'accountId',
  'usage.inputTokens',
  'usage.outputTokens',
  'costMicroDollars',
  'pin.digest',
  'pin.isFallback',
];

/** Made with the first event that is read: short commands read none. */
function lazily(make: () => FoldedRequestReader): FoldedRequestReader {
  let made: FoldedRequestReader | undefined;
  return (json) => {
    made ??= make();
    return made(json);
  };
}

/**
 * Readers of `RequestCompleted`, by far the most frequent event: the fold of a long log consists mostly of reading it.
 * Each stored version has its own entry.
 */
export const foldedRequestReaders = {
  1: lazily(() => createFoldedRequestReader(completedRequestVersions[1], ['owner', 'team', 'announcements'])),
  2: lazily(() => createFoldedRequestReader(completedRequestVersions[2])),
} satisfies Record<keyof typeof completedRequestVersions, FoldedRequestReader | undefined>;

/**
 * @param lacking captures that this version of the event does not have
 * @throws Error when the schema does not have the other fields of `FoldedRequestParts` in this order
 */
export function createFoldedRequestReader(
  schema: Schema<z.ZodObject>,
  lacking: readonly string[] = [],
): FoldedRequestReader {
  const shape = jsonShapeOf(schema);
  const captures = CAPTURES.filter((path) => !lacking.includes(path));
  // The fold needs the attempts of a request only if one of them counts against its account, or has `limitedUntil`.
  const harmless = createFieldReader(shape, {
    captures,
    values: { 'attempts.outcome': HARMLESS_OUTCOMES },
    rare: [
      'attempts.overlay.cooling',
      'attempts.overlay.pinnedTo',
      'attempts.code',
      'attempts.limitedUntil',
      'attempts.isRepeat',
      'refusal',
    ],
  });
  const any = createFieldReader(shape, { captures: [...captures, ['attempts', 'attempts']] });
  const read = (json: string) => harmless(json) ?? any(json);
  if (lacking.length === 0) return read as FoldedRequestReader;
  // The first part is the whole match.
  const places = lacking.map((path) => 1 + CAPTURES.indexOf(path)).sort((a, b) => a - b);
  return ((json) => {
    const found = read(json);
    if (!found) return null;
    const parts: unknown[] = [...found];
    for (const place of places) parts.splice(place, 0, undefined);
    return parts;
  }) as FoldedRequestReader;
}
