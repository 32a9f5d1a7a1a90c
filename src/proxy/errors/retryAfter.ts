/** Clients sleep for the time in `retry-after`, however long (docs/clients.md#retry-after-is-slept-on-literally). */
const MAX_RETRY_AFTER_SECONDS = 60;

/** @returns a `retry-after` header; no header for a longer or an unknown time */
export const retryAfter = (seconds: number | undefined): Record<string, string> =>
  seconds !== undefined && seconds <= MAX_RETRY_AFTER_SECONDS ? { 'retry-after': String(seconds) } : {};
