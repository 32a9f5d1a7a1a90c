import type { Line } from './line.ts';

export interface LineLimiterOptions {
  /** @param suppressed lines of the same cause that were not written since the last one */
  readonly write: (line: Line, suppressed: number) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** Maximum number of causes told apart within a minute; further subjects of a code share one. */
  readonly maxCauses?: number;
}

const PERIOD_MS = 60_000;

interface Cause {
  /** When its beginning and its end were last written. */
  readonly writtenAt: { begin: number; end: number };
  held: Line | undefined;
  suppressed: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Lets through one line a minute for each cause, and one that it is over. The last line that was held back is written when its
 * minute is over, so that the last line of a cause always says how it is.
 */
export class LineLimiter {
  readonly #causes = new Map<string, Cause>();
  readonly #options: Required<LineLimiterOptions>;

  constructor({ write, now = () => performance.now(), maxCauses = 1_000 }: LineLimiterOptions) {
    this.#options = { write, now, maxCauses };
  }

  /** Writes a line at once or later, or counts it in the next one of its cause. */
  submit(line: Line): void {
    const key = causeOf(line);
    if (key === undefined) {
      this.#options.write(line, 0);
      return;
    }
    const cause = this.#find(key, line);
    clearTimeout(cause.timer);
    if (cause.held) cause.suppressed += 1;
    cause.held = line;
    const waitMs = cause.writtenAt[phaseOf(line)] + PERIOD_MS - this.#options.now();
    if (waitMs <= 0) this.#release(cause);
    else cause.timer = setTimeout(() => this.#release(cause), waitMs).unref();
  }

  /** Writes the lines that are held back; called at the end of the process. */
  flush(): void {
    for (const cause of this.#causes.values()) this.#release(cause);
  }

  #release(cause: Cause): void {
    clearTimeout(cause.timer);
    const { held, suppressed } = cause;
    if (!held) return;
    cause.held = undefined;
    cause.suppressed = 0;
    cause.writtenAt[phaseOf(held)] = this.#options.now();
    this.#options.write(held, suppressed);
  }

  #find(key: string, line: Line): Cause {
    const known = this.#causes.get(key);
    if (known) return known;
    if (this.#causes.size >= this.#options.maxCauses) this.#forgetOld();
    if (this.#causes.size >= this.#options.maxCauses) return this.#findShared(line);
    return this.#add(key);
  }

  /** One cause for all subjects of a code, while there are too many. */
  #findShared({ code = '' }: Line): Cause {
    const key = `${code} ...`;
    return this.#causes.get(key) ?? this.#add(key);
  }

  #add(key: string): Cause {
    const never = Number.NEGATIVE_INFINITY;
    const cause: Cause = { writtenAt: { begin: never, end: never }, held: undefined, suppressed: 0, timer: undefined };
    this.#causes.set(key, cause);
    return cause;
  }

  #forgetOld(): void {
    const before = this.#options.now() - PERIOD_MS;
    for (const [key, { held, writtenAt }] of this.#causes)
      if (!held && writtenAt.begin <= before && writtenAt.end <= before) this.#causes.delete(key);
  }
}

const phaseOf = ({ isOver }: Line) => (isOver ? 'end' : 'begin');

/** @returns undefined for lines that are never held back: what svc says about itself, such as its start */
function causeOf({ code, subject = '', level, message }: Line): string | undefined {
  if (code !== undefined) return `${code} ${subject}`;
  if (level === 'info' || level === 'fatal') return undefined;
  // Without a code: the message, whatever ids and numbers it names.
  return message.slice(0, 200).replace(/[\da-f]{8,}|\d+/g, '#');
}
