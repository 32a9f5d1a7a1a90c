import {
  AccessDeniedError,
  CancelledError,
  DeadlineExceededError,
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

/** The client gave no answer within the time that it was given and a little more. */
export class CallTimedOut extends Error {
  override readonly name = 'NoAnswer';
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs / 1_000} s`);
  }
}

/** This node does not hear of what stands in EventStoreDB. */
export class NotCaughtUp extends Error {
  override readonly name = 'NotCaughtUp';
  constructor() {
    super('this node cannot follow EventStoreDB at the moment');
  }
}

/** How an append failed; see `AppendOutcome`. */
export type AppendFailure =
  | { readonly kind: 'conflict'; readonly actualRevision: number }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly error: Error };

const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
const INTERNAL = 13;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

/** Servers from 24.10.4 on say so where somebody has set a limit; the client does not know it. */
const EVENT_TOO_LARGE = 'maximum-append-event-size-exceeded';

/** What EventStoreDB calls the error. */
const exceptionOf = ({ _raw: raw }: UnknownError): string | undefined => raw?.metadata.get('exception')[0]?.toString();

const codeOf = (error: unknown): number | undefined => (error as { code?: number }).code;

/**
 * What an error of the client says about an append (event-sourcing.md B1.0, B1.6). Whatever may have been written, and
 * whatever an operator may mend, is `unknown`: repeated with the same ids it is written once.
 */
export function appendFailure(error: unknown): AppendFailure {
  if (error instanceof WrongExpectedVersionError) {
    const { actualVersion } = error;
    return { kind: 'conflict', actualRevision: typeof actualVersion === 'bigint' ? Number(actualVersion) : NO_STREAM };
  }
  if (error instanceof MaxAppendSizeExceededError) {
    return { kind: 'rejected', reason: `EventStoreDB accepts at most ${error.maxAppendSize} bytes in one append` };
  }
  if (error instanceof StreamDeletedError) {
    return { kind: 'rejected', reason: `the stream ${error.streamName} was deleted in EventStoreDB for good` };
  }
  if (error instanceof UnknownError && exceptionOf(error) === EVENT_TOO_LARGE) {
    return { kind: 'rejected', reason: 'an event is larger than this EventStoreDB takes (MaxAppendEventSize)' };
  }
  if (error instanceof UnknownError && codeOf(error) === RESOURCE_EXHAUSTED) {
    return { kind: 'rejected', reason: 'the append is larger than a message to EventStoreDB may be' };
  }
  return { kind: 'unknown', error: new Error(describeError(error), { cause: error }) };
}

export const isMissingStream = (error: unknown): boolean => error instanceof StreamNotFoundError;
export const isDeletedStream = (error: unknown): boolean => error instanceof StreamDeletedError;

/** Whether the server could not be reached or did not answer, so that another connection may help. */
export function isConnectionFailure(error: unknown): boolean {
  return (
    error instanceof UnavailableError ||
    error instanceof CancelledError ||
    error instanceof DeadlineExceededError ||
    error instanceof TimeoutError ||
    error instanceof CallTimedOut ||
    // A plain gRPC error, from calls that the client makes for itself.
    codeOf(error) === UNAVAILABLE ||
    codeOf(error) === INTERNAL ||
    isFailedDiscovery(error)
  );
}

/** No member of a cluster could be found. A client remembers that for good (B1.6), so it is thrown away. */
export const isFailedDiscovery = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('Failed to discover');

/** Of calls that svc makes itself the client hands on the plain gRPC error. */
const isAccessDenied = (error: unknown): boolean =>
  error instanceof AccessDeniedError || codeOf(error) === PERMISSION_DENIED || codeOf(error) === UNAUTHENTICATED;

/**
 * Whether the same may succeed later, or once an operator has mended something at the server: everything that the server
 * or the way to it says (those errors have a number of gRPC), and that a node cannot hear of it.
 */
export const isTransient = (error: unknown): boolean =>
  isConnectionFailure(error) ||
  isAccessDenied(error) ||
  error instanceof NotCaughtUp ||
  (error instanceof Refusal && error.code === 'log_unavailable') ||
  typeof codeOf(error) === 'number';

/** Says in one line what went wrong and, where that is known, what to do. Holds nothing of the connection string. */
export function describeError(error: unknown): string {
  if (isAccessDenied(error)) {
    return 'it refuses the user or password of SVC_EVENTSTORE_URL, or that user has no right to do this';
  }
  const reason = error instanceof Refusal ? error.details.reason : undefined;
  const message = reason ?? (error instanceof Error && error.message !== '' ? error.message : `${error}`);
  const [line = ''] = String(message).split('\n');
  if (/certificate|self[- ]signed|SSL|TLS|wrong version number/i.test(line)) {
    return `${line} (see tls and tlsCAFile in SVC_EVENTSTORE_URL)`;
  }
  return line;
}
