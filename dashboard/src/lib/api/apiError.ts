/** A request to the service that failed, with a message for the operator. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 when the service is unreachable. */
  readonly status: number;
  readonly code: string;
  /** From Retry-After. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, code: string, message: string, retryAfterSeconds?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  static from(response: Response, body: unknown): ApiError {
    const { code, message } = envelopeOf(body);
    const [, reason] = /\bat has no past: (.+?)\.?$/.exec(message ?? '') ?? [];
    if (reason !== undefined) return new ApiError(response.status, 'no_past', `This part has no past: ${reason}`);
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return new ApiError(
      response.status,
      code ?? `http_${response.status}`,
      message ?? `The service responded with status ${response.status}`,
      Number.isFinite(seconds) ? seconds : undefined,
    );
  }

  static unreachable(reason: unknown): ApiError {
    if (reason instanceof ApiError) return reason;
    return new ApiError(0, 'unreachable', 'The service does not respond');
  }

  get isSignedOut(): boolean {
    return ['authentication_required', 'unauthorized', 'totp_required'].includes(this.code);
  }

  /** Whether an earlier moment was asked for of what has none. */
  get hasNoPast(): boolean {
    return this.code === 'no_past';
  }

  /** Whether a retry may succeed. */
  get isTransient(): boolean {
    return this.status === 0 || this.code === 'read_models_unavailable';
  }

  /** What the operator can do about it. */
  get advice(): string {
    if (this.code === 'part_not_loaded')
      return 'Check that svc is reachable, and reload the page: it may have been updated.';
    if (this.status === 0) return 'Check that it runs and is reachable. This page retries automatically.';
    if (this.code === 'earlier_moment' || this.hasNoPast) return 'Return to now first.';
    if (this.code === 'log_unavailable')
      return 'Nothing was changed: the event log is unavailable. Check the output of the service.';
    if (this.code === 'read_models_unavailable')
      return 'Model requests continue and nothing is lost. The overview shows what is unavailable. This page retries automatically.';
    if (this.code === 'insufficient_permissions') return 'Nothing was changed. An administrator can change your role.';
    if (this.code === 'conflict') return 'Nothing was changed. Reload to see the current state and try again.';
    if (this.status === 429) return 'Wait a moment and try again.';
    if (this.status >= 500) return 'This is a bug in svc. Check the output of the service and report it with the time.';
    return 'Nothing was changed.';
  }
}

/** The error code of a response. */
export const codeOf = async (response: Response): Promise<string | undefined> =>
  envelopeOf(await response.json().catch(() => undefined)).code;

function envelopeOf(body: unknown): { code?: string; message?: string } {
  if (typeof body !== 'object' || body === null || !('error' in body)) return {};
  const { error } = body;
  if (typeof error !== 'object' || error === null) return {};
  const { code, message } = error as Record<string, unknown>;
  return { ...(typeof code === 'string' && { code }), ...(typeof message === 'string' && { message }) };
}

export const asApiError = (reason: unknown): ApiError =>
  reason instanceof ApiError
    ? reason
    : new ApiError(500, 'page_error', reason instanceof Error ? reason.message : String(reason));
