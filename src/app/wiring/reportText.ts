/** Errors that the language itself throws: they are bugs, never messages for an operator. */
const BUGS = [TypeError, RangeError, ReferenceError, SyntaxError];

/** Whether the message tells an operator what to do: true for every error except bugs. */
export const isOperatorError = (error: unknown): boolean =>
  error instanceof Error && !BUGS.some((kind) => error instanceof kind);

/** What is printed for an error: one line, or the stack of a bug, which nobody finds by its message alone. */
export function reportText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (isOperatorError(error) ? undefined : error.stack) ?? `${error.name}: ${error.message}`;
}
