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
  return error.stack ?? `${error.name}: ${error.message}`;
}

/** The details of its line: a bug is named by its code and the place that threw it; text alone says what svc did. */
export function reportDetails(error: unknown): LineDetails {
  if (!(error instanceof Error)) return { level: 'info' };
  if (isOperatorError(error) && error.message !== '') return { level: 'warn' };
  const place = /([\w.-]+:\d+):\d+\)?$/m.exec(error.stack ?? '')?.[1];
  return { level: 'error', code: 'internal_error', ...(place !== undefined && { subject: place }) };
}
