import type { ErrorCode } from './errorCodes.ts';

/** A rule said no. Carries a code only: status and wording belong to the edge (`src/http/errors/errors.ts`). */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  /** What the message may mention: the given value, a reset time, a field's path as `param`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, details: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/** @throws Refusal always; typed so that it can stand where a value is expected */
export function refuse(code: ErrorCode, details?: Readonly<Record<string, unknown>>): never {
  throw new Refusal(code, details);
}
