import type { Print } from './log/line.ts';

/** Something that is wrong and that an operator can do something about. */
export interface Fault {
  /** What is wrong, as a name that never changes, for example `log_shorter_than_known`. */
  readonly code: string;
  /** Which one of several: a stream, an account, a node. Absent where there is only one. */
  readonly subject?: string;
  /** What happened and what it costs, in a sentence. */
  readonly cause: string;
  /** What the operator can do, in a sentence; says so if it ends by itself. */
  readonly remedy: string;
}

export interface CurrentFault extends Fault {
  /** When it was noticed, in milliseconds since 1970. */
  readonly since: number;
}

export interface RaiseOptions {
  /** It is over when it was not raised again for this time: for what can only be noticed when it happens. */
  readonly overAfterMs?: number;
  /** Of its line; default `error`. */
  readonly level?: 'warn' | 'error';
}

export interface FaultsOptions {
  readonly print: Print;
  readonly now: () => number;
  /** Maximum number of subjects kept for one code; further ones are said, not kept. */
  readonly maxPerCode?: number;
}

interface Entry {
  readonly fault: CurrentFault;
  readonly timer: NodeJS.Timeout | undefined;
}

/**
 * What is wrong at the moment. A fault is said in one line when it begins and in one when it is over, however often it is
 * noticed meanwhile; `GET /api/status` shows all that last (docs/operation.md#what-is-wrong-now).
 */
export class Faults {
  readonly #current = new Map<string, Map<string | undefined, Entry>>();
  readonly #options: FaultsOptions;

  constructor(options: FaultsOptions) {
    this.#options = options;
  }

  /** In the order in which they began. */
  get current(): readonly CurrentFault[] {
    return [...this.#current.values()]
      .flatMap((bySubject) => [...bySubject.values()])
      .map(({ fault }) => fault)
      .sort((left, right) => left.since - right.since);
  }

  /** Whether a fault lasts. */
  has(code: string, subject?: string): boolean {
    return this.#current.get(code)?.has(subject) ?? false;
  }

  /** Says a fault, unless it is known already; then only its cause and remedy are brought up to date. */
  raise(fault: Fault, { overAfterMs, level = 'error' }: RaiseOptions = {}): void {
    const { print, now, maxPerCode = 100 } = this.#options;
    const { code, subject, cause, remedy } = fault;
    let bySubject = this.#current.get(code);
    if (!bySubject) {
      bySubject = new Map();
      this.#current.set(code, bySubject);
    }
    const known = bySubject.get(subject);
    if (!known) print(`${cause} ${remedy}`, { level, code, ...(subject !== undefined && { subject }) });
    if (!known && bySubject.size >= maxPerCode) return;
    clearTimeout(known?.timer);
    const timer =
      overAfterMs === undefined ? undefined : setTimeout(() => this.clear(code, subject), overAfterMs).unref();
    bySubject.set(subject, { fault: { ...fault, since: known?.fault.since ?? now() }, timer });
  }

  /**
   * Ends a fault.
   * @param ended the line to print; without it the cause is repeated as "over"
   */
  clear(code: string, subject?: string, ended?: string): void {
    const bySubject = this.#current.get(code);
    const known = bySubject?.get(subject);
    if (!bySubject || !known) return;
    clearTimeout(known.timer);
    bySubject.delete(subject);
    if (bySubject.size === 0) this.#current.delete(code);
    const { cause, since } = known.fault;
    const line = ended ?? `Over after ${shownDuration(this.#options.now() - since)}: ${cause}`;
    this.#options.print(line, { code, ...(subject !== undefined && { subject }), isOver: true });
  }
}

function shownDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
