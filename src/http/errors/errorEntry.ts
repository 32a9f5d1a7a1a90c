/** What messages can mention, e.g. `model` or `problem`. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** Status and content of the response for a code. Only the proxy sends `type`. */
export interface ErrorEntry {
  readonly status: number;
  readonly type:
    | 'invalid_request_error'
    | 'authentication_error'
    | 'permission_error'
    | 'rate_limit_error'
    | 'server_error';
  readonly message: string | ((details: ErrorDetails) => string);
  /** The code that clients receive, if it differs from the internal one. */
  readonly wireCode?: string;
}
