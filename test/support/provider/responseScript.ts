/** An event of the stream. `playScript` adds its `sequence_number`. */
export type StreamEvent = { type: string } & Record<string, unknown>;

/** One thing that happens on the wire. */
export type Step =
  | { head: number; headers?: Record<string, string> }
  | { event: StreamEvent }
  | { bytes: string | Uint8Array }
  | { waitMs: number }
  /** Waits for a promise, which must not reject. */
  | { until: Promise<unknown> }
  /** Sends nothing more and leaves the connection open until the client disconnects. */
  | { hold: true }
  /** Resets the connection. */
  | { reset: true }
  | SocketStep;

/** What only happens on a WebSocket; over HTTP such a step fails. */
export type SocketStep =
  /** A message that is no event, or no text. */
  | { message: string | Uint8Array; isBinary?: boolean }
  | { close: number; reason?: string }
  /** Resets the connection after this many more bytes, wherever in a frame that falls. */
  | { cutAfterBytes: number };

/** What a script can use of the request. */
export interface ScriptContext {
  /** `resp_…`: the id of the response to this request. */
  readonly id: string;
  readonly json: Readonly<Record<string, unknown>>;
  /** Size of the decompressed body. */
  readonly bytes: number;
  readonly account: { readonly id: string; readonly email: string; readonly plan: string };
  readonly now: number;
  /** On a WebSocket: the response that this one continues. */
  readonly continues?: { readonly id: string; readonly totalTokens: number };
}

/** How the bytes of a response are split into writes (`fragmented-bytes`). */
export interface Fragmentation {
  crlf?: boolean;
  /** Writes of this size, wherever that falls. */
  splitEveryBytes?: number;
  /** Ends a write after the first byte of every multi-byte character. */
  splitCharacters?: boolean;
  oneByteAtATime?: boolean;
}

/** How the provider responds to a request, step by step. */
export interface ResponseScript {
  name: string;
  steps: readonly Step[] | ((context: ScriptContext) => Iterable<Step>);
  fragmentation?: Fragmentation;
}

export const stepsOf = (script: ResponseScript, context: ScriptContext): Iterable<Step> =>
  typeof script.steps === 'function' ? script.steps(context) : script.steps;

/** The scripts of one endpoint: each queued one is used for one request, then the default for all others. */
export function createScriptQueue(initial: ResponseScript) {
  let fallback = initial;
  const queued: ResponseScript[] = [];
  return {
    always(script: ResponseScript): void {
      fallback = script;
    },
    next(...scripts: ResponseScript[]): void {
      queued.push(...scripts);
    },
    take: (): ResponseScript => queued.shift() ?? fallback,
  };
}

export type ScriptQueue = ReturnType<typeof createScriptQueue>;
