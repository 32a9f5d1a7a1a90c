import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import type { ErrorDetails, ErrorEntry } from './errorEntry.ts';
import { requestErrors } from './requestErrors.ts';
import { resourceErrors } from './resourceErrors.ts';
import { serviceErrors } from './serviceErrors.ts';
import { signInErrors } from './signInErrors.ts';

export type { ErrorDetails, ErrorEntry };

/** The catalogue of all error codes with status, type and message. `docs/errors.md` is generated from it. */
export const errors: Readonly<Record<ErrorCode, ErrorEntry>> = {
  ...requestErrors,
  ...serviceErrors,
  ...signInErrors,
  ...resourceErrors,
};

/** @returns the message of a code for these details */
export function messageOf(code: ErrorCode, details: ErrorDetails = {}): string {
  const { message } = errors[code];
  return typeof message === 'string' ? message : message(details);
}
