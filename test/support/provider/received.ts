import type { IncomingHttpHeaders } from 'node:http';

/** One request as it came in, and how it ended. Plain data, so that a failing assertion prints something readable. */
export interface ReceivedRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** Name and value in turn, spelled and ordered as on the wire. */
  rawHeaders: string[];
  /** The bytes on the wire, still compressed if they were. */
  body: Buffer;
  /** The body without its compression; undefined if the provider does not read that compression. */
  plain: Buffer | undefined;
  /** The plain body, parsed; undefined if it is no JSON. */
  json: unknown;
  /** Fields of a form; of a multipart one also files, as `{ name, type, bytes }`. */
  form: Record<string, string | { name: string; type: string; bytes: Buffer }> | undefined;
  /** Id of the account that was asked for, or whose token was used. */
  account: string | undefined;
  /** Unix milliseconds. */
  at: number;
  /** Name of the script that answered, or why none did. */
  answeredBy: string | undefined;
  status: number | undefined;
  /** Bytes of the answer's body handed to the socket so far. */
  sentBytes: number;
  /** The client hung up before the end of the answer (or of its own body). */
  aborted: boolean;
  /** The whole answer was handed over. */
  finished: boolean;
  /** The script tore the line down. */
  cut: boolean;
  ended: boolean;
}

/** Everything the provider received, in order of arrival, and a way to wait for it without sleeping. */
export function createRegister(remember: number) {
  const received: ReceivedRequest[] = [];
  const waiting = new Set<() => void>();

  const changed = (): void => {
    for (const check of [...waiting]) check();
  };

  return {
    received,
    changed,

    add(request: ReceivedRequest): void {
      received.push(request);
      if (received.length > remember) received.shift();
      changed();
    },

    /** Resolves as soon as the condition holds; it is looked at whenever a request arrives, is answered or ends. */
    until(condition: () => boolean): Promise<void> {
      return new Promise((resolve, reject) => {
        const check = (): void => {
          try {
            if (!condition()) return;
            resolve();
          } catch (error) {
            reject(error);
          }
          waiting.delete(check);
        };
        waiting.add(check);
        check();
      });
    },
  };
}

export type Register = ReturnType<typeof createRegister>;
