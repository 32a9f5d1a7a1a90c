/** One attempt at an account, from the request's event. */
export interface ShownAttempt {
  readonly accountId: string;
  readonly outcome: string;
  readonly isGood: boolean;
  readonly code: string | null;
  /** Since the arrival of the request. */
  readonly startedAfterMs: number;
  readonly tookMs: number;
  /** Log position of the state that the account was chosen by. */
  readonly decidedAt: number | null;
  readonly isRepeat: boolean;
}

interface RecordedAttempt {
  readonly accountId?: unknown;
  readonly startedAt?: unknown;
  readonly endedAt?: unknown;
  readonly outcome?: unknown;
  readonly code?: unknown;
  readonly decidedAt?: unknown;
  readonly isRepeat?: unknown;
}

/**
 * The attempts in the data of a `RequestCompleted`; none for a request that was refused before any.
 * @param arrivedAt arrival of the request, in ms since 1970
 */
export function attemptsOf(data: unknown, arrivedAt: number): ShownAttempt[] {
  const { attempts } = (data ?? {}) as { attempts?: unknown };
  if (!Array.isArray(attempts)) return [];
  return attempts.map(({ accountId, startedAt, endedAt, outcome, code, decidedAt, isRepeat }: RecordedAttempt) => ({
    accountId: String(accountId),
    outcome: outcomeLabel(String(outcome)),
    isGood: outcome === 'ok',
    code: typeof code === 'string' ? code : null,
    startedAfterMs: Math.max(0, Number(startedAt) - arrivedAt),
    tookMs: Math.max(0, Number(endedAt) - Number(startedAt)),
    decidedAt: typeof decidedAt === 'number' ? decidedAt : null,
    isRepeat: isRepeat === true,
  }));
}

/** `connect_failed` is "connect failed". */
const outcomeLabel = (outcome: string) => (outcome === 'ok' ? 'succeeded' : outcome.replaceAll('_', ' '));

/** Start and width of a bar within the duration of the request, in percent. */
export function placeOf(fromMs: number, tookMs: number, totalMs: number): { start: number; width: number } {
  const total = Math.max(1, totalMs, fromMs + tookMs);
  const start = (fromMs / total) * 100;
  return { start, width: Math.max(0.75, (tookMs / total) * 100) };
}
