import type { Status } from './grpcServer.ts';

/** Errors as EventStoreDB sends them: a gRPC code, and trailers from which the client makes its error. */
export const statuses = {
  ok: { code: 0 },
  /** Prepare or commit timed out; also every append during a shutdown, although it is written. */
  timeout: { code: 10, message: 'Operation timed out' },
  unavailable: { code: 14, message: 'Server Is Too Busy' },
  notReady: { code: 14, message: 'Server Is Not Ready' },
  cancelled: { code: 1, message: 'Operation cancelled' },
  consumerTooSlow: { code: 10, message: 'Operation timed out : Consumer too slow to handle event while live.' },
  internal: { code: 13, message: 'Unexpected internal error' },
  wrongPassword: { code: 16, message: 'Bad HTTP authentication' },
  accessDenied: { code: 7, message: 'Access Denied', trailers: { exception: 'access-denied' } },
  unimplemented: { code: 12, message: 'not implemented by the fake server' },
  streamDeleted: (stream: string): Status => ({
    code: 9,
    message: `Event stream '${stream}' is deleted.`,
    trailers: { exception: 'stream-deleted', 'stream-name': stream },
  }),
  appendTooBig: (limit: number): Status => ({
    code: 3,
    message: `Maximum Append Size of ${limit} Exceeded.`,
    trailers: { exception: 'maximum-append-size-exceeded', 'maximum-append-size': String(limit) },
  }),
  eventTooBig: (limit: number, size: number): Status => ({
    code: 3,
    message: `Maximum Append Event Size of ${limit} Exceeded: ${size}.`,
    trailers: { exception: 'maximum-append-event-size-exceeded' },
  }),
  notLeader: (host: string, port: number): Status => ({
    code: 5,
    message: `Leader info available. Host: ${host}, Port: ${port}`,
    trailers: { exception: 'not-leader', 'leader-endpoint-host': host, 'leader-endpoint-port': String(port) },
  }),
  wrongExpectedVersion: (stream: string, expected: bigint, current: bigint): Status => ({
    code: 9,
    message: `Append failed due to WrongExpectedVersion. Stream: ${stream}`,
    trailers: {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': String(expected),
      ...(current >= 0n && { 'actual-version': String(current) }),
    },
  }),
  unknown: (message: string): Status => ({ code: 2, message: `Exception was thrown by handler. ${message}` }),
} as const satisfies Record<string, Status | ((...args: never[]) => Status)>;
