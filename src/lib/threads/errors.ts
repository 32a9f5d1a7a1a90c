/** The other side has ended, or was stopped: the request may or may not have taken effect there. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

/** An error as it crosses between threads: structured clone would drop the code, and the name of any class of our own. */
export interface ErrorData {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: unknown;
}

/** The data of anything that was thrown; `fromErrorData` restores it. */
export function toErrorData(thrown: unknown): ErrorData {
  if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown), stack: undefined, code: undefined };
  const { name, message, stack } = thrown;
  return { name, message, stack, code: (thrown as { code?: unknown }).code };
}

/** @returns a plain `Error` with the name, message, stack and code of the original; it is no instance of its class */
export function fromErrorData({ name, message, stack, code }: ErrorData): Error {
  return Object.assign(new Error(message), { name, ...(stack && { stack }), ...(code !== undefined && { code }) });
}
