import type { LineDetails } from '../../lib/log/line.ts';

/** Errors that the JavaScript engine throws: they are bugs, never messages for an operator. */
const BUGS = [TypeError, RangeError, ReferenceError, SyntaxError];

/** Whether the message tells an operator what to do: true for every error except bugs. */
export const isOperatorError = (error: unknown): boolean =>
  error instanceof Error && !BUGS.some((kind) => error instanceof kind);

/**
 * The text to print for an error: its message, without the name of its class; for a bug the stack, because its message
 * alone does not locate it.
 */
export function reportText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isOperatorError(error) && error.message !== '') return error.message;
  return withoutQuotedText(error.stack ?? `${error.name}: ${error.message}`);
}

/** `JSON.parse` quotes the text that it refuses, which may be a prompt. */
const withoutQuotedText = (text: string): string =>
  text.replace(/, (\.\.\.)?"[\s\S]*"(\.\.\.)? is not valid JSON/, ' in JSON');

/**
 * The details of its line: a bug is named by its code and the place that threw it; text alone says what svc did.
 * @param request the request that got a 500
 */
export function reportDetails(error: unknown, request?: string): LineDetails {
  if (!(error instanceof Error)) return { level: 'info' };
  if (request === undefined && isOperatorError(error) && error.message !== '') return { level: 'warn' };
  const [, file, line] = /([\w.-]+)(?:\?[^:\s]*)?:(\d+):\d+\)?$/m.exec(error.stack ?? '') ?? [];
  return {
    level: 'error',
    code: 'internal_error',
    ...(file !== undefined && { subject: `${file}:${line}` }),
    ...(request !== undefined && { request }),
  };
}
