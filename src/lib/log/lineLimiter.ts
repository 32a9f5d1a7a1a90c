import type { Line } from './line.ts';

export interface LineLimiterOptions {
  /** @param suppressed lines of the same cause that were not written since the last one */
  readonly write: (line: Line, suppressed: number) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** Maximum number of subjects of a code told apart within a minute; further ones share a line. */
  readonly maxSubjects?: number;
}

const PERIOD_MS = 60_000;
/** Without a code, each message counts as one. */
const MAX_CODES = 200;
/** What codes or subjects beyond the maximum share; no code or subject is called that. */
const SHARED = ' ';

interface CauseName {
  readonly code: string;
  readonly subject: string;
}

interface Cause {
  /** When its beginning and its end were last written. */
  readonly writtenAt: { begin: number; end: number };
  held: Line | undefined;
  suppressed: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Lets through one line a minute for each cause, and one that it is over. The last line that was held back is written when its
 * minute is over, so that the last line of a cause always says how it is (docs/decisions/0066-lines.md).
 */
export class LineLimiter {
  /** By code and subject. */
  readonly #causes = new Map<string, Map<string, Cause>>();
  readonly #options: Required<LineLimiterOptions>;

  constructor({ write, now = () => performance.now(), maxSubjects = 10 }: LineLimiterOptions) {
    this.#options = { write, now, maxSubjects };
  }

  /** Writes a line at once or later, or counts it in the next one of its cause. */
  submit(line: Line): void {
    const name = causeOf(line);
    if (!name) {
      this.#options.write(line, 0);
      return;
    }
    const cause = this.#find(name);
    clearTimeout(cause.timer);
    if (cause.held) cause.suppressed += 1;
    cause.held = line;
    const waitMs = cause.writtenAt[phaseOf(line)] + PERIOD_MS - this.#options.now();
    if (waitMs <= 0) this.#release(cause);
    else cause.timer = setTimeout(() => this.#release(cause), waitMs).unref();
  }

  /** Writes the lines that are held back; called at the end of the process. */
  flush(): void {
    for (const subjects of this.#causes.values()) for (const cause of subjects.values()) this.#release(cause);
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

  #find({ code, subject }: CauseName): Cause {
    const subjects = this.#subjectsOf(code);
    const { maxSubjects } = this.#options;
    if (subjects.size >= maxSubjects && !subjects.has(subject)) this.#forgetOld(subjects);
    const key = subjects.size < maxSubjects || subjects.has(subject) ? subject : SHARED;
    let cause = subjects.get(key);
    if (!cause) {
      const never = Number.NEGATIVE_INFINITY;
      cause = { writtenAt: { begin: never, end: never }, held: undefined, suppressed: 0, timer: undefined };
      subjects.set(key, cause);
    }
    return cause;
  }

  #subjectsOf(code: string): Map<string, Cause> {
    if (this.#causes.size >= MAX_CODES && !this.#causes.has(code)) {
      for (const [name, subjects] of this.#causes) {
        this.#forgetOld(subjects);
        if (subjects.size === 0) this.#causes.delete(name);
      }
    }
    const key = this.#causes.size < MAX_CODES || this.#causes.has(code) ? code : SHARED;
    let subjects = this.#causes.get(key);
    if (!subjects) {
      subjects = new Map();
      this.#causes.set(key, subjects);
    }
    return subjects;
  }

  #forgetOld(subjects: Map<string, Cause>): void {
    const before = this.#options.now() - PERIOD_MS;
    for (const [key, { held, writtenAt }] of subjects)
      if (!held && writtenAt.begin <= before && writtenAt.end <= before) subjects.delete(key);
  }
}

const phaseOf = ({ isOver }: Line) => (isOver ? 'end' : 'begin');

/** @returns undefined for lines that are never held back: what svc says about itself, such as its start */
function causeOf({ code, subject = '', level, message }: Line): CauseName | undefined {
  if (code !== undefined) return { code, subject };
  if (level === 'info' || level === 'fatal') return undefined;
  // Without a code: the message, whatever ids and numbers it names.
  return { code: message.slice(0, 200).replace(/[\da-f]{8,}|\d+/g, '#'), subject: '' };
}
