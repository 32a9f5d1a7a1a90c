import { failureText } from '#lib/format/outcomes.ts';

/** One attempt at an account, from the request's event. */
export interface ShownAttempt {
  readonly accountId: string;
  /** How it ended, with the details of a failure. */
  readonly outcome: string;
  readonly isGood: boolean;
  /** Since the arrival of the request. */
  readonly startedAfterMs: number;
  readonly tookMs: number;
  /** Log position of the state that the account was chosen by. */
  readonly decidedAt: number | null;
  readonly isRepeat: boolean;
  /** Where the provider had to process it. */
  readonly region: string | null;
}

interface RecordedAttempt {
  readonly accountId?: unknown;
  readonly startedAt?: unknown;
  readonly endedAt?: unknown;
  readonly outcome?: unknown;
  readonly code?: unknown;
  readonly providerStatus?: unknown;
  readonly errno?: unknown;
  readonly decidedAt?: unknown;
  readonly isRepeat?: unknown;
  readonly region?: unknown;
}

/**
 * The attempts in the data of a `RequestCompleted`; none for a request that was refused before any.
 * @param arrivedAt arrival of the request, in ms since 1970
 */
export function attemptsOf(data: unknown, arrivedAt: number): ShownAttempt[] {
  const { attempts } = (data ?? {}) as { attempts?: unknown };
  if (!Array.isArray(attempts)) return [];
  return attempts.map((attempt: RecordedAttempt) => ({
    accountId: String(attempt.accountId),
    outcome: failureText({
      outcome: String(attempt.outcome),
      status: typeof attempt.providerStatus === 'number' ? attempt.providerStatus : null,
      code: textOrNull(attempt.code),
      errno: textOrNull(attempt.errno),
    }),
    isGood: attempt.outcome === 'ok',
    startedAfterMs: Math.max(0, Number(attempt.startedAt) - arrivedAt),
    tookMs: Math.max(0, Number(attempt.endedAt) - Number(attempt.startedAt)),
    decidedAt: typeof attempt.decidedAt === 'number' ? attempt.decidedAt : null,
    isRepeat: attempt.isRepeat === true,
    region: textOrNull(attempt.region),
  }));
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Start and width of a bar within the duration of the request, in percent. */
export function placeOf(fromMs: number, tookMs: number, totalMs: number): { start: number; width: number } {
  const total = Math.max(1, totalMs, fromMs + tookMs);
  const start = (fromMs / total) * 100;
  return { start, width: Math.max(0.75, (tookMs / total) * 100) };
}
