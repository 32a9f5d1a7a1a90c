import { MongoBulkWriteError, MongoServerError } from 'mongodb';

const DUPLICATE_KEY = 11_000;

/** Whether a single insert failed because the key exists. */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY;

/**
 * Whether duplicate keys are the only errors of an unordered bulk write: all other documents were written.
 */
export function areDuplicates(error: unknown): error is MongoBulkWriteError {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) return false;
  const failures = [error.writeErrors].flat();
  return failures.length > 0 && failures.every(({ code }) => code === DUPLICATE_KEY);
}
