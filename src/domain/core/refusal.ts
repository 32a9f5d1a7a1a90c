import type { ErrorCode } from './errorCodes.ts';

/** A rule refused a command. Status and message of the code are in `src/http/errors/errors.ts`. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  /** Values for the message: the given value, a reset time, the path of a field as `param`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, details: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/** Always throws a Refusal; returns `never`, so that it can be used in an expression */
export function refuse(code: ErrorCode, details?: Readonly<Record<string, unknown>>): never {
  throw new Refusal(code, details);
}
