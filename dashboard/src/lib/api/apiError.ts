/** Why the service did not do what was asked, in words for a person. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0: the service could not be reached. */
  readonly status: number;
  readonly code: string;
  /** What the service asks to wait. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, code: string, message: string, retryAfterSeconds?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  static from(response: Response, body: unknown): ApiError {
    const { code, message } = envelopeOf(body);
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return new ApiError(
      response.status,
      code ?? `http_${response.status}`,
      message ?? `The service answered with status ${response.status}`,
      Number.isFinite(seconds) ? seconds : undefined,
    );
  }

  static unreachable(reason: unknown): ApiError {
    if (reason instanceof ApiError) return reason;
    return new ApiError(0, 'unreachable', 'The service does not answer');
  }

  get isSignedOut(): boolean {
    return ['authentication_required', 'unauthorized', 'totp_required'].includes(this.code);
  }

  /** Whether it ends by itself, so that asking again is worth while. */
  get isPassing(): boolean {
    return this.status === 0 || this.code === 'read_models_unavailable';
  }

  /** What somebody can do about it. */
  get advice(): string {
    if (this.status === 0) return 'Check that it runs and that you can reach it; this page tries again by itself.';
    if (this.code === 'log_unavailable')
      return 'Nothing was changed. The event log cannot be written at the moment: see what the service prints.';
    if (this.code === 'read_models_unavailable')
      return 'Model requests go on and nothing is lost. The overview says what is away; this page tries again by itself.';
    if (this.code === 'conflict') return 'Nothing was changed. Look at what is there now and try again.';
    if (this.status === 429) return 'Wait a moment and try again.';
    if (this.status >= 500) return 'This is a fault of the service: see what it prints, and report it with the time.';
    return 'Nothing was changed.';
  }
}

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
