import { cooledIn } from '../src/domain/coolDown/events.ts';
import { BUILT_IN_ADMINISTRATOR } from '../src/domain/core/builtInAdministrator.ts';
import { eventTypes, type KnownEvent } from '../src/domain/eventTypes.ts';

/** Who caused an event: the part of the actor that the history can be filtered by. */
export type HistoryActor =
  | {
      readonly kind: 'operator';
      readonly sessionId: string | null;
      readonly address: string | null;
      readonly addressDigest?: string;
      readonly operatorId?: string;
      readonly tokenId?: string;
    }
  | { readonly kind: 'apiKey'; readonly keyId: string }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'cli' }
  | { readonly kind: 'system' };

/** Must be raised with every change of the entries: stores then rebuild their read models. */
export const HISTORY_VERSION = 21;

const requestSubject = (requestId: string): string => `request-${requestId}`;
/** The request id of a subject; undefined when the subject is not a request. */
export const requestIdOf = (subject: string): string | undefined =>
  subject.startsWith('request-') ? subject.slice('request-'.length) : undefined;

/** The resource that an event is about: its stream, except where many resources share a stream or a resource has many streams. */
export function subjectOf(stream: string, { type, data }: KnownEvent): string {
  switch (type) {
    case 'RequestAdmitted':
    case 'RequestCompleted':
    case 'RequestRefused':
    case 'RequestImported':
      return requestSubject(data.requestId);
    case 'RefusalsCounted':
      return data.keyId === null ? `address-${data.address}` : `apiKey-${data.keyId}`;
    case 'SessionBegun':
    case 'SessionTotpVerified':
    case 'SessionReauthenticated':
    case 'SessionEnded':
      return `session-${data.sessionId}`;
    case 'SignInFailed':
    case 'SignInsThrottled':
      return `address-${data.address}`;
    case 'OperatorInvited':
    case 'OperatorInvitationRenewed':
    case 'OperatorInvitationAccepted':
    case 'OperatorRegistered':
    case 'OperatorIdentityLinked':
    case 'OperatorPasswordSet':
    case 'OperatorProfileChanged':
    case 'OperatorRoleChanged':
    case 'OperatorDisabled':
    case 'OperatorEnabled':
    case 'OperatorRemoved':
    case 'OperatorForgotten':
    case 'OperatorTotpConfigured':
    case 'OperatorTotpDisabled':
    case 'OperatorRecoveryCodesMade':
    case 'OperatorRecoveryCodeUsed':
    case 'OperatorPasskeyAdded':
    case 'OperatorPasskeyRenamed':
    case 'OperatorPasskeyRemoved':
    case 'OperatorSignInFailed':
    case 'PasskeyUsed':
    case 'PasskeyCounterRegressed':
    case 'ActionDenied':
      return `operator-${data.operatorId}`;
    case 'ManagementTokenCreated':
    case 'ManagementTokenRevoked':
    case 'ManagementTokenUsed':
      return `managementToken-${data.tokenId}`;
    case 'AccountUsageObserved':
      return `accountUsage-${data.accountId}`;
    case 'AccountsCooled':
      return coolDownSubject(cooledIn(data).flatMap(({ accounts }) => accounts));
    case 'AccountRecovered':
      return coolDownSubject([data]);
    case 'NodeStarted':
    case 'NodeStopped':
      return `node-${data.node}`;
    case 'VerificationMade':
    case 'EvidenceMade':
    case 'RequestsExported':
    case 'CallersForgotten':
      return AUDIT_SUBJECT;
    case 'TokensRefreshed':
    case 'TokenRefreshFailed':
      return `accountTokens-${data.accountId}`;
    default:
      return stream;
  }
}

/** The subject of what was read of the log as a whole. */
const AUDIT_SUBJECT = 'audit-main';

/** The id in the subject of an event about the cool-downs of several accounts. */
export const SEVERAL_ACCOUNTS = 'several';

function coolDownSubject(accounts: readonly { readonly accountId: string }[]): string {
  const ids = new Set(accounts.map(({ accountId }) => accountId));
  const [only] = ids;
  return `accountCoolDown-${ids.size === 1 ? only : SEVERAL_ACCOUNTS}`;
}

/** The filter value of operators at an address, by the keyed digest of it that sealed actors have. */
export const sealedOperatorLabel = (addressDigest: string): string => `operator:#${addressDigest}`;

/** The filter value of everything that one person did, in sessions and with tokens. */
export const personLabel = (operatorId: string): string => `person:${operatorId}`;

/** The filter values that match an actor. Events of before operators existed are the built-in administrator's. */
export function actorLabels(actor: HistoryActor): string[] {
  switch (actor.kind) {
    case 'operator':
      return [
        'operator',
        actor.addressDigest === undefined ? `operator:${actor.address}` : sealedOperatorLabel(actor.addressDigest),
        ...(actor.sessionId ? [`session:${actor.sessionId}`] : []),
        personLabel(actor.operatorId ?? BUILT_IN_ADMINISTRATOR),
        ...(actor.tokenId ? [`token:${actor.tokenId}`] : []),
      ];
    case 'apiKey':
      return [`apiKey:${actor.keyId}`];
    default:
      return [actor.kind];
  }
}

/** The sentence that describes an event. */
export const sentenceOf = ({ type, data }: KnownEvent): string => eventTypes.get(type)?.describe(data as never) ?? type;

/** The text by which an event is found; undefined for a routine event. */
export const searchTextOf = (event: KnownEvent, subject: string): string | undefined =>
  isRoutine(event) ? undefined : isNamedInSentence(subject) ? sentenceOf(event) : `${sentenceOf(event)} ${subject}`;

/** The sentences of requests contain the request id. */
const isNamedInSentence = (subject: string): boolean => requestIdOf(subject) !== undefined;

/**
 * Successful requests and usage samples have no text worth searching for. They are most of the events and stay out of the
 * text index.
 */
export const isRoutine = ({ type, data }: KnownEvent): boolean =>
  type === 'RequestAdmitted' ||
  type === 'AccountUsageObserved' ||
  ((type === 'RequestCompleted' || type === 'RequestImported') && data.errorCode === null);
