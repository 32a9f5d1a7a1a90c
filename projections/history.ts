import { eventTypes, type KnownEvent } from '../src/domain/eventTypes.ts';

/** Who caused an event, as far as the history can be filtered by it. */
export type HistoryActor =
  | { readonly kind: 'operator'; readonly sessionId: string | null; readonly address: string }
  | { readonly kind: 'apiKey'; readonly keyId: string }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'cli' }
  | { readonly kind: 'system' };

/** Goes up with every change that makes other entries from the same events: stores then rebuild from zero. */
export const HISTORY_VERSION = 4;

const requestSubject = (requestId: string): string => `request-${requestId}`;
/** The request that a subject stands for; undefined when it is something else. */
export const requestIdOf = (subject: string): string | undefined =>
  subject.startsWith('request-') ? subject.slice('request-'.length) : undefined;

/** What an event is about: its stream, except where a stream holds many things or a thing has many streams. */
export function subjectOf(stream: string, { type, data }: KnownEvent): string {
  switch (type) {
    case 'RequestAdmitted':
    case 'RequestCompleted':
    case 'RequestRefused':
      return requestSubject(data.requestId);
    case 'RefusalsCounted':
      return data.keyId === null ? `address-${data.address}` : `apiKey-${data.keyId}`;
    case 'SessionBegun':
    case 'SessionTotpVerified':
    case 'SessionEnded':
      return `session-${data.sessionId}`;
    case 'SignInFailed':
    case 'SignInsThrottled':
      return `address-${data.address}`;
    case 'AccountUsageObserved':
      return `accountUsage-${data.accountId}`;
    case 'TokensRefreshed':
    case 'TokenRefreshFailed':
      return `accountTokens-${data.accountId}`;
    default:
      return stream;
  }
}

/** The spellings by which a filter finds an actor. */
export function actorLabels(actor: HistoryActor): string[] {
  switch (actor.kind) {
    case 'operator':
      return ['operator', `operator:${actor.address}`, ...(actor.sessionId ? [`session:${actor.sessionId}`] : [])];
    case 'apiKey':
      return [`apiKey:${actor.keyId}`];
    default:
      return [actor.kind];
  }
}

/** What an event says about itself in plain words. */
export const sentenceOf = ({ type, data }: KnownEvent): string => eventTypes.get(type)?.says(data as never) ?? type;

/** What an event is found by; undefined for an ordinary request. */
export const searchTextOf = (event: KnownEvent, subject: string): string | undefined =>
  isOrdinary(event) ? undefined : isSaid(subject) ? sentenceOf(event) : `${sentenceOf(event)} ${subject}`;

/** The sentences of requests name them. */
const isSaid = (subject: string): boolean => requestIdOf(subject) !== undefined;

/**
 * A request that went well and a sample of an account's usage say nothing that one would search for. That keeps the many
 * out of the index of texts.
 */
export const isOrdinary = ({ type, data }: KnownEvent): boolean =>
  type === 'RequestAdmitted' ||
  type === 'AccountUsageObserved' ||
  (type === 'RequestCompleted' && data.errorCode === null);
