import type { IncomingHttpHeaders } from 'node:http';

/** A request and how it ended. Plain data, so that failing assertions print it. */
export interface ReceivedRequest {
  /** `WEBSOCKET` for a message on a socket, which has the path and headers of the upgrade. */
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** Names and values in turn, as on the wire. */
  rawHeaders: string[];
  /** The bytes on the wire, possibly compressed. */
  body: Buffer;
  /** The decompressed body; undefined if the provider does not support its encoding. */
  decodedBody: Buffer | undefined;
  /** The parsed body; undefined if it is not JSON. */
  json: unknown;
  /** Fields of a form; of a multipart one also files, as `{ name, type, bytes }`. */
  form: Record<string, string | { name: string; type: string; bytes: Buffer }> | undefined;
  /** Id of the account that the request names, or whose token it uses. */
  account: string | undefined;
  /** Unix milliseconds. */
  at: number;
  /** Name of the script that responded, or why none did. */
  script: string | undefined;
  status: number | undefined;
  /** Bytes of the response body passed to the socket so far. */
  sentBytes: number;
  /** The client disconnected before the end of the response (or of its own body). */
  aborted: boolean;
  /** The response was sent completely. */
  finished: boolean;
  /** The script reset the connection. */
  wasReset: boolean;
  ended: boolean;
  /** Number of the socket that this upgrade opened, or that this message came on. */
  socket?: number;
  /** How the socket of this upgrade ended: 1006 without a close frame. */
  closeCode?: number;
}

/** A message on the socket that an upgrade opened. */
export function messageReceived(upgrade: ReceivedRequest, body: Buffer, at: number): ReceivedRequest {
  return {
    ...upgrade,
    method: 'WEBSOCKET',
    body,
    decodedBody: body,
    json: jsonOf(body),
    at,
    script: undefined,
    status: undefined,
    sentBytes: 0,
    ended: false,
  };
}

export function jsonOf(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(body?.toString('utf8') ?? '');
  } catch {
    return undefined;
  }
}

/** The requests that the provider received, in order of arrival, and a way to wait for them. */
export function createRequestLog(maxReceived: number) {
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
      if (received.length > maxReceived) received.shift();
      changed();
    },

    /** Resolves when the condition holds. It is checked whenever a request arrives, progresses or ends. */
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

export type RequestLog = ReturnType<typeof createRequestLog>;
