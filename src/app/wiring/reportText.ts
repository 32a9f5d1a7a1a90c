/** Errors that the language throws: nobody raises them to say something, so they are mistakes of ours. */
const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError];

export const isOperatorError = (error: unknown): boolean => MISTAKES.some((kind) => error instanceof kind);

/**
 * What is written of something that went wrong: one line where it says what to mend, and where from as well for a mistake of
 * ours, which nobody finds by its message.
 */
export function reportText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (isOperatorError(error) ? error.stack : undefined) ?? `${error.name}: ${error.message}`;
}
