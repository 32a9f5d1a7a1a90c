import { pino } from 'pino';
import { escapeJson, escapeText } from './escapeText.ts';
import type { Print } from './line.ts';
import { LineLimiter } from './lineLimiter.ts';

export type LogFormat = 'text' | 'json';

export interface LogOptions {
  readonly format: LogFormat;
  /** Takes each line with its line break. Must not throw. */
  readonly write: (text: string, isFatal: boolean) => void;
  /** Milliseconds of a clock that never goes back, for the limit of lines. */
  readonly now?: () => number;
}

/** The lines that svc writes for its operator (docs/operation.md#lines). */
export interface Log {
  readonly print: Print;
  /** Writes the lines that are held back. */
  flush(): void;
}

/** Longer messages are cut: some contain what a provider or a client sent. */
const MAX_MESSAGE_CHARS = 4_000;
const MAX_SUBJECT_CHARS = 500;

/** Creates a log over a function that writes text. */
export function createLog({ format, write, now }: LogOptions): Log {
  const toText = format === 'json' ? (json: string) => escapeJson(json.slice(0, -1)) : textLine;
  let isFatal = false;
  const logger = pino(
    {
      base: null,
      level: 'info',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    { write: (json: string) => write(`${toText(json)}\n`, isFatal) },
  );
  const limiter = new LineLimiter({
    write({ level, message, code, subject, request, isOver }, suppressed) {
      const about = subject === undefined ? undefined : cut(subject, MAX_SUBJECT_CHARS);
      const fields = { code, subject: about, request, over: isOver || undefined, suppressed: suppressed || undefined };
      isFatal = level === 'fatal';
      logger[level](fields, oneLine(message));
    },
    ...(now && { now }),
  });
  return {
    print: (message, details = {}) => limiter.submit({ level: 'info', ...details, message }),
    flush: () => limiter.flush(),
  };
}

/** A stack becomes one line. */
const oneLine = (message: string): string => cut(message.replace(/\n\s+at /g, ' | at '), MAX_MESSAGE_CHARS);

function cut(text: string, maxChars: number): string {
  const surplus = text.length - maxChars;
  return surplus > 0 ? `${text.slice(0, maxChars)} ... (${surplus} more characters)` : text;
}

/** `2026-11-23T07:50:12.000Z warn  The message. [code=log_write_failing subject=/data/log.sqlite]` */
function textLine(json: string): string {
  const { level, time, msg, ...fields } = JSON.parse(json) as Record<string, string | number | boolean>;
  const named = Object.entries(fields).map(([name, value]) => `${name}=${fieldText(String(value))}`);
  const suffix = named.length > 0 ? ` [${named.join(' ')}]` : '';
  return `${time} ${String(level).padEnd(5)} ${escapeText(String(msg))}${suffix}`;
}

const fieldText = (value: string): string =>
  /^[^\s"=[\]]+$/.test(value) ? escapeText(value) : escapeJson(JSON.stringify(value));
