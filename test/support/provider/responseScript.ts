/** An event of the stream, without its `sequence_number`: whoever plays the script counts. */
export type StreamEvent = { type: string } & Record<string, unknown>;

/** One thing that happens on the wire. */
export type Step =
  | { head: number; headers?: Record<string, string> }
  | { event: StreamEvent }
  | { bytes: string | Uint8Array }
  | { waitMs: number }
  /** Goes on when something has happened, which may not fail. */
  | { until: Promise<unknown> }
  /** Nothing more comes; the line stays open until the client leaves. */
  | { hold: true }
  /** The line is torn down at once. */
  | { reset: true };

/** What a script may know of the request that it answers. */
export interface Asked {
  /** `resp_…`: the id of the response to this request. */
  readonly id: string;
  readonly json: Readonly<Record<string, unknown>>;
  /** Size of the decompressed body. */
  readonly bytes: number;
  readonly account: { readonly id: string; readonly email: string; readonly plan: string };
  readonly now: number;
}

/** How the bytes of a response are laid on the wire (`fragmented-bytes`). */
export interface Wire {
  crlf?: boolean;
  /** Writes of this size, wherever that falls. */
  splitEveryBytes?: number;
  /** A write ends after the first byte of every character that has more than one. */
  cutMultiByte?: boolean;
  oneByteAtATime?: boolean;
}

/** What the provider does with a request, in the order in which it goes over the wire. */
export interface ResponseScript {
  name: string;
  steps: readonly Step[] | ((asked: Asked) => Iterable<Step>);
  wire?: Wire;
}

export const stepsOf = (script: ResponseScript, asked: Asked): Iterable<Step> =>
  typeof script.steps === 'function' ? script.steps(asked) : script.steps;

/** Scripts for one endpoint: a queue that is used up first, one a request, and what it says otherwise. */
export function createPlaylist(initial: ResponseScript) {
  let standing = initial;
  const queued: ResponseScript[] = [];
  return {
    always(script: ResponseScript): void {
      standing = script;
    },
    next(...scripts: ResponseScript[]): void {
      queued.push(...scripts);
    },
    take: (): ResponseScript => queued.shift() ?? standing,
  };
}

export type Playlist = ReturnType<typeof createPlaylist>;
