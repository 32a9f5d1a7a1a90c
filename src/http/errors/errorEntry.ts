export type ErrorDetails = Readonly<Record<string, unknown>>;

/** How one code looks on the wire. `type` is shown by the proxy surface only. */
export interface ErrorEntry {
  readonly status: number;
  readonly type:
    | 'invalid_request_error'
    | 'authentication_error'
    | 'permission_error'
    | 'rate_limit_error'
    | 'server_error';
  readonly message: string | ((details: ErrorDetails) => string);
  /** The code that clients see, where several cases share one code. */
  readonly wireCode?: string;
}
