import type { DrainListener } from './drainListener.ts';

interface HeldStream {
  readonly reason: string;
  /** Since when the store was seen to have another stream, in milliseconds of `performance.now`. */
  readonly differsSince: number | undefined;
  /** When it is tried again. */
  readonly nextAt: number;
  readonly pauseMs: number;
}

interface Cause {
  readonly reason: string;
  /** The store has other events in the stream, or too few. */
  readonly differs?: boolean;
}

interface HeldStreamsOptions extends Pick<DrainListener, 'onTrouble' | 'onRecovered'> {
  readonly maxPauseMs: number;
}

const FIRST_PAUSE_MS = 50;

/** Streams whose events the store does not take now, while it takes those of others. */
export class HeldStreams {
  readonly #held = new Map<string, HeldStream>();
  readonly #options: HeldStreamsOptions;

  constructor(options: HeldStreamsOptions) {
    this.#options = options;
  }

  get streams(): ReadonlySet<string> {
    return new Set(this.#held.keys());
  }

  add(stream: string, { reason, differs = false }: Cause): void {
    const now = performance.now();
    const differsSince = differs ? now : undefined;
    this.#held.set(stream, { reason, differsSince, nextAt: now + FIRST_PAUSE_MS, pauseMs: FIRST_PAUSE_MS });
    this.#options.onTrouble({ stream, reason });
  }

  /** Those to be tried now. */
  due(): string[] {
    const now = performance.now();
    return [...this.#held].filter(([, { nextAt }]) => nextAt <= now).map(([stream]) => stream);
  }

  /** For how long, without a break, the store has had another stream. */
  differedForMs(stream: string): number {
    const since = this.#held.get(stream)?.differsSince;
    return since === undefined ? 0 : performance.now() - since;
  }

  /** Time until the first one is due; undefined when none is held. */
  dueInMs(): number | undefined {
    if (this.#held.size === 0) return undefined;
    return Math.max(0, Math.min(...[...this.#held.values()].map(({ nextAt }) => nextAt)) - performance.now());
  }

  /** Tries the stream again later. */
  postpone(stream: string, { reason, differs = false }: Cause): void {
    const known = this.#held.get(stream);
    if (!known) return;
    const now = performance.now();
    const pauseMs = Math.min(2 * known.pauseMs, this.#options.maxPauseMs);
    const differsSince = differs ? (known.differsSince ?? now) : undefined;
    this.#held.set(stream, { reason, differsSince, pauseMs, nextAt: now + pauseMs });
    if (reason !== known.reason) this.#options.onTrouble({ stream, reason });
  }

  remove(stream: string): void {
    if (this.#held.delete(stream)) this.#options.onRecovered(stream);
  }
}
