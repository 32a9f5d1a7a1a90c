import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { type ErrorDetails, errors, messageOf } from '../../http/errors/errors.ts';

/** Body of every error of the proxy (docs/errors.md). */
export interface ProxyErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: string;
    readonly param?: string;
    readonly plan_type?: string;
    readonly resets_at?: number;
    readonly resets_in_seconds?: number;
  };
}

/** Ends a request to the proxy with an error response: its status, headers and body. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly status: number;
  readonly body: ProxyErrorBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    details: ErrorDetails = {},
    {
      headers = {},
      ...overrides
    }: { status?: number; headers?: Record<string, string> } & Partial<ProxyErrorBody['error']> = {},
  ) {
    super(code);
    const { status, ...fields } = overrides;
    this.code = code;
    this.details = details;
    this.status = status ?? errors[code].status;
    this.headers = headers;
    const param = details.param === undefined ? {} : { param: String(details.param) };
    this.body = { error: { message: messageOf(code, details), type: errors[code].type, code, ...param, ...fields } };
  }
}

/** Rejects a field of the request. @throws ProxyError `invalid_request_error` with `param` in dot notation */
export function badRequest(param: string | undefined, problem: string): never {
  throw new ProxyError('invalid_request_error', param === undefined ? { problem } : { param, problem });
}

/** The error for a body or form of more than `maxBytes`, which the message names in MiB. */
export const requestTooLarge = (maxBytes: number): ProxyError =>
  new ProxyError('request_too_large', { limit: `${Math.floor(maxBytes / 1_048_576)} MiB` });

/** The error when svc has no file descriptor for a connection. Closes that of the client, which has one, too. */
export const outOfDescriptors = (): ProxyError =>
  new ProxyError('out_of_file_descriptors', {}, { headers: OUT_OF_DESCRIPTORS_HEADERS });

export const OUT_OF_DESCRIPTORS_HEADERS = { 'retry-after': '2', connection: 'close' };

/** Clients sleep for the time in `retry-after`, however long (docs/clients.md#retry-after-is-slept-on-literally). */
const MAX_RETRY_AFTER_SECONDS = 60;

/** @returns a `retry-after` header; no header for a longer or an unknown time */
export const retryAfter = (seconds: number | undefined): Record<string, string> =>
  seconds !== undefined && seconds <= MAX_RETRY_AFTER_SECONDS ? { 'retry-after': String(seconds) } : {};
