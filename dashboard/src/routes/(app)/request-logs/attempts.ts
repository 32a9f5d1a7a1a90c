/** One attempt at an account, as the request's event tells it. */
export interface ShownAttempt {
  readonly accountId: string;
  readonly outcome: string;
  readonly isGood: boolean;
  readonly code: string | null;
  /** After the request had arrived. */
  readonly startedAfterMs: number;
  readonly tookMs: number;
  /** Position that the choice of the account was decided at. */
  readonly decidedAt: number | null;
  readonly isRepeat: boolean;
}

interface Told {
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
 * @param arrivedAt when the request came, in milliseconds
 */
export function attemptsOf(data: unknown, arrivedAt: number): ShownAttempt[] {
  const { attempts } = (data ?? {}) as { attempts?: unknown };
  if (!Array.isArray(attempts)) return [];
  return attempts.map(({ accountId, startedAt, endedAt, outcome, code, decidedAt, isRepeat }: Told) => ({
    accountId: String(accountId),
    outcome: wordsFor(String(outcome)),
    isGood: outcome === 'ok',
    code: typeof code === 'string' ? code : null,
    startedAfterMs: Math.max(0, Number(startedAt) - arrivedAt),
    tookMs: Math.max(0, Number(endedAt) - Number(startedAt)),
    decidedAt: typeof decidedAt === 'number' ? decidedAt : null,
    isRepeat: isRepeat === true,
  }));
}

/** Classes of failures, e.g. `connect_failed`, in plain words. */
const wordsFor = (outcome: string) => (outcome === 'ok' ? 'answered' : outcome.replaceAll('_', ' '));

/** Where a stretch of time stands within the whole, in percent: for a bar. */
export function placeOf(fromMs: number, tookMs: number, wholeMs: number): { start: number; width: number } {
  const whole = Math.max(1, wholeMs, fromMs + tookMs);
  const start = (fromMs / whole) * 100;
  return { start, width: Math.max(0.75, (tookMs / whole) * 100) };
}
