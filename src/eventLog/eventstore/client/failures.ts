import {
  AccessDeniedError,
  CancelledError,
  DeadlineExceededError,
  ErrorType,
  isCommandError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  StreamNotFoundError,
  TimeoutError,
  UnavailableError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { Refusal } from '../../../domain/core/refusal.ts';
import { NO_STREAM } from '../../eventLog.ts';

/** A call had no result in time. */
export class CallTimedOut extends Error {
  override readonly name = 'CallTimedOut';
  constructor(timeoutMs: number) {
    super(`no response within ${timeoutMs / 1_000} s`);
  }
}

/** A call was not sent to EventStoreDB, for the reason in `cause`. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  constructor(cause: unknown) {
    super(describeError(cause), { cause });
  }
}

/** The mirror does not receive the events that are in EventStoreDB. */
export class MirrorBehind extends Error {
  override readonly name = 'MirrorBehind';
  constructor() {
    super('this node cannot follow EventStoreDB at the moment');
  }
}

/** The outcome of a failed append; see `AppendOutcome`. */
export type AppendFailure =
  | { readonly kind: 'conflict'; readonly actualRevision: number }
  | {
      readonly kind: 'rejected';
      readonly reason: string;
      readonly isLogFine: true;
      /** What is refused: this append, or everything in this stream. */
      readonly scope: 'append' | 'stream';
      /** Maximum size of an append, if the server names it. */
      readonly maxBytes?: number;
    }
  | {
      readonly kind: 'unknown';
      readonly error: Error;
      /** False when the append did not leave this node, so that nothing was written. */
      readonly wasSent?: false;
    };

/**
 * Every class of the client's errors: whether a repeat may succeed, possibly after an operator fixed something. The number
 * of gRPC in an error says nothing about that: a deleted stream and a passing fault can have the same.
 */
const CLASSES: Readonly<Record<ErrorType, 'passing' | 'final'>> = {
  [ErrorType.TIMEOUT]: 'passing',
  [ErrorType.DEADLINE_EXCEEDED]: 'passing',
  [ErrorType.UNAVAILABLE]: 'passing',
  [ErrorType.CANCELLED]: 'passing',
  [ErrorType.NOT_LEADER]: 'passing',
  [ErrorType.ACCESS_DENIED]: 'passing',
  // What the client has no class for. `appendFailure` knows the few that are final.
  [ErrorType.UNKNOWN]: 'passing',
  [ErrorType.WRONG_EXPECTED_VERSION]: 'final',
  [ErrorType.STREAM_DELETED]: 'final',
  [ErrorType.STREAM_NOT_FOUND]: 'final',
  [ErrorType.NO_STREAM]: 'final',
  [ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED]: 'final',
  [ErrorType.INVALID_ARGUMENT]: 'final',
  [ErrorType.INVALID_TRANSACTION]: 'final',
  [ErrorType.MISSING_REQUIRED_METADATA_PROPERTY]: 'final',
  [ErrorType.UNSUPPORTED]: 'final',
  // Of calls that svc does not make.
  [ErrorType.NOT_FOUND]: 'final',
  [ErrorType.SCAVENGE_NOT_FOUND]: 'final',
  [ErrorType.PERSISTENT_SUBSCRIPTION_FAILED]: 'final',
  [ErrorType.PERSISTENT_SUBSCRIPTION_DOES_NOT_EXIST]: 'final',
  [ErrorType.PERSISTENT_SUBSCRIPTION_EXISTS]: 'final',
  [ErrorType.PERSISTENT_SUBSCRIPTION_DROPPED]: 'final',
  [ErrorType.MAXIMUM_SUBSCRIBERS_REACHED]: 'final',
  [ErrorType.USER_NOT_FOUND]: 'final',
  [ErrorType.USER_CONFLICT]: 'final',
};

const isFinal = (error: unknown): boolean =>
  error instanceof Error && isCommandError(error) && CLASSES[error.type] === 'final';

const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
/** The server, or gRPC on either side. The same code without it means that the server lacks something at the moment. */
const MESSAGE_TOO_LARGE = /message (exceeds|larger than)/i;
const INTERNAL = 13;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

/** Sent by servers from 24.10.4 on with a configured limit. The client does not know this exception. */
const EVENT_TOO_LARGE = 'maximum-append-event-size-exceeded';

/** The name that EventStoreDB gives the error. */
const exceptionOf = ({ _raw: raw }: UnknownError): string | undefined => raw?.metadata.get('exception')[0]?.toString();

const codeOf = (error: unknown): number | undefined => (error as { code?: number }).code;

/**
 * Classifies a client error of an append (docs/stores.md#eventstoredb-errors-of-an-append). The outcome is `unknown` if
 * the events may have been written or if an operator can fix the cause: a repeat with the same ids is written once.
 */
export function appendFailure(error: unknown): AppendFailure {
  if (error instanceof WrongExpectedVersionError) {
    const { actualVersion } = error;
    return { kind: 'conflict', actualRevision: typeof actualVersion === 'bigint' ? Number(actualVersion) : NO_STREAM };
  }
  if (error instanceof MaxAppendSizeExceededError) {
    const { maxAppendSize: maxBytes } = error;
    return { ...rejected(`EventStoreDB accepts at most ${maxBytes} bytes in one append`), maxBytes };
  }
  if (error instanceof StreamDeletedError) {
    const reason = `the stream ${error.streamName} was permanently deleted in EventStoreDB`;
    return { ...rejected(reason), scope: 'stream' };
  }
  if (error instanceof UnknownError && exceptionOf(error) === EVENT_TOO_LARGE) {
    return rejected('an event is larger than this EventStoreDB accepts (MaxAppendEventSize)');
  }
  if (error instanceof UnknownError && codeOf(error) === RESOURCE_EXHAUSTED && MESSAGE_TOO_LARGE.test(error.message)) {
    return rejected('the append is larger than a message to EventStoreDB may be');
  }
  if (isFinal(error)) return rejected(`EventStoreDB refuses the append: ${describeError(error)}`);
  const unknown = { kind: 'unknown', error: new Error(describeError(error), { cause: error }) } as const;
  return error instanceof NotSent ? { ...unknown, wasSent: false } : unknown;
}

const rejected = (reason: string) => ({ kind: 'rejected', reason, isLogFine: true, scope: 'append' }) as const;

/** Whether the call failed because the stream does not exist. */
export const isMissingStream = (error: unknown): boolean => error instanceof StreamNotFoundError;
/** Whether the call failed because the stream was tombstoned. */
export const isDeletedStream = (error: unknown): boolean => error instanceof StreamDeletedError;

/** Whether the server was unreachable or did not respond, so that a new connection may help. */
export function isConnectionFailure(error: unknown): boolean {
  if (error instanceof NotSent) return isConnectionFailure(error.cause);
  return (
    error instanceof UnavailableError ||
    error instanceof CancelledError ||
    error instanceof DeadlineExceededError ||
    error instanceof TimeoutError ||
    error instanceof CallTimedOut ||
    // Plain gRPC errors come from calls that the client makes by itself.
    codeOf(error) === UNAVAILABLE ||
    codeOf(error) === INTERNAL ||
    isFailedDiscovery(error)
  );
}

/**
 * Whether no member of a cluster was found. A client never recovers from this, so it is replaced
 * (docs/stores.md#eventstoredb-a-failed-discovery-poisons-the-client).
 */
export const isFailedDiscovery = (error: unknown): boolean =>
  error instanceof NotSent
    ? isFailedDiscovery(error.cause)
    : error instanceof Error && error.message.startsWith('Failed to discover');

/**
 * Whether user, password or a right is missing. The client passes on the plain gRPC error of calls that svc makes without
 * its methods.
 */
export const isAccessDenied = (error: unknown): boolean =>
  (error instanceof NotSent && isAccessDenied(error.cause)) ||
  error instanceof AccessDeniedError ||
  codeOf(error) === PERMISSION_DENIED ||
  codeOf(error) === UNAUTHENTICATED;

/**
 * Whether the call may succeed later, possibly after an operator fixed something: errors of the server and the network (also
 * those that are not known: they have a gRPC code), and a mirror that is behind.
 */
export const isTransient = (error: unknown): boolean =>
  !isFinal(error) &&
  (isConnectionFailure(error) ||
    isAccessDenied(error) ||
    error instanceof NotSent ||
    error instanceof MirrorBehind ||
    (error instanceof Refusal && error.code === 'log_unavailable') ||
    typeof codeOf(error) === 'number');

/** What to read in messages of the client library, in our words. */
const IN_OUR_WORDS: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, 'nothing listens there'],
  [/ENOTFOUND|EAI_AGAIN|Name resolution failed/, 'its name cannot be resolved'],
  [/ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/, 'it does not respond'],
  [/ECONNRESET|EPIPE|Connection dropped|Session closed|socket hang up/, 'the connection was cut'],
  [/Failed to connect|No connection established/, 'no connection could be made'],
  [/Failed to discover/, 'no node of the cluster can be reached, or none may be used'],
  [/Received RST_STREAM with code 0/, 'the server is shutting down'],
  [/Server Is Not Ready/, 'the server is starting, or its cluster has no leader'],
  [/Server Is Too Busy/, 'the server is too busy'],
  [/Consumer too slow/, 'this node read too slowly'],
  [
    /Operation timed out/,
    'the server could not commit the write in time: it lacks a majority of its cluster, or room on its disk',
  ],
  [/Deadline exceeded/i, 'it did not respond in time'],
];

/** One line about what went wrong and, where known, what to do. Contains nothing of the connection string. */
export function describeError(error: unknown): string {
  if (isAccessDenied(error)) {
    return 'it refuses the user or password of SVC_EVENTSTORE_URL, or that user has no right to do this';
  }
  const reason = error instanceof Refusal ? error.details.reason : undefined;
  const message = reason ?? (error instanceof Error && error.message !== '' ? error.message : `${error}`);
  const [line = ''] = String(message).split('\n');
  if (/certificate|self[- ]signed|SSL|TLS|wrong version number/i.test(line)) {
    return `${withoutNotes(line)} (see tls and tlsCAFile in SVC_EVENTSTORE_URL)`;
  }
  return IN_OUR_WORDS.find(([words]) => words.test(line))?.[1] ?? withoutNotes(line);
}

/** Without the gRPC code, and without the notes that the library adds for its authors. */
const withoutNotes = (line: string): string =>
  line
    .replace(/^\d+ [A-Z_]+: /, '')
    .replace(/\s*Resolution note:.*$/, '')
    .replace(/^No connection established\. Last error: (?:Error: )?/, '')
    .replace(/[.\s]+$/, '');
