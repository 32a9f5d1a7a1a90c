import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields
export type Frame = { type: string } & Record<string, any>;

/** How a create ended: with a terminal frame, or with the socket. */
export interface Ended {
  frames: Frame[];
  /** Undefined when the socket closed first. */
  terminal: Frame | undefined;
  closeCode: number | undefined;
}

/** A refused upgrade. */
export class UpgradeRefused extends Error {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  constructor({ statusCode = 0, headers }: IncomingMessage, body: string) {
    super(`the upgrade was refused with ${statusCode}: ${body}`);
    this.status = statusCode;
    this.headers = headers;
    this.body = body;
  }
}

export interface StrictSocketOptions {
  headers?: Record<string, string>;
  /** Offers permessage-deflate, as Codex does (default: false). */
  deflate?: boolean;
  /** Called with every frame. */
  onFrame?: (frame: Frame) => void;
}

const TERMINAL = new Set(['response.completed', 'response.failed', 'response.incomplete', 'error']);
/** May come at any place in a response. */
const WITHOUT_RESPONSE = new Set(['codex.rate_limits', 'response.metadata', 'keepalive']);

/**
 * A client that accepts nothing out of place. It fails on: a frame while no create is in progress, a frame after the terminal
 * one, binary or unreadable messages, an `error` without `status`, a response that does not begin with `response.created` or
 * changes its id, gaps in `sequence_number`, and a `previous_response_id` that is not from this socket.
 */
export async function openStrictSocket(
  url: string,
  { headers = {}, deflate = false, onFrame }: StrictSocketOptions = {},
) {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers, perMessageDeflate: deflate });
  const problems: string[] = [];
  const ids = new Set<string>();
  let current: { frames: Frame[]; end: PromiseWithResolvers<Ended>; id?: string; sequence: number } | undefined;
  let closeCode: number | undefined;

  socket.on('message', (data, isBinary) => {
    if (isBinary) return void problems.push('a binary message');
    const frame = parsed(String(data));
    if (!frame) return void problems.push(`no JSON object with a type: ${String(data).slice(0, 200)}`);
    onFrame?.(frame);
    if (!current) return void problems.push(`${frame.type} while no response is in progress`);
    current.frames.push(frame);
    check(frame, current);
    if (TERMINAL.has(frame.type)) finish(frame);
  });
  socket.on('close', (code) => {
    closeCode = code;
    finish(undefined);
  });
  socket.on('error', () => undefined); // a close follows

  function check(frame: Frame, response: NonNullable<typeof current>): void {
    const { type } = frame;
    if (type === 'error') {
      if (!Number.isInteger(frame.status)) problems.push('an error without a status');
      if (typeof frame.error !== 'object' || frame.error === null) problems.push('an error without an error object');
      return;
    }
    if (WITHOUT_RESPONSE.has(type)) return;
    if (typeof frame.sequence_number === 'number') {
      if (frame.sequence_number !== response.sequence)
        problems.push(`${type} with the number ${frame.sequence_number}`);
      response.sequence = frame.sequence_number + 1;
    }
    const id: unknown = frame.response?.id;
    if (response.id === undefined && type !== 'response.failed') {
      if (type !== 'response.created') problems.push(`${type} before response.created`);
    } else if (type === 'response.created') problems.push('a second response.created');
    if (id === undefined) return;
    response.id ??= String(id);
    if (id !== response.id) problems.push(`${type} of ${id} in the response ${response.id}`);
    if (type === 'response.completed') ids.add(response.id);
  }

  function finish(terminal: Frame | undefined): void {
    const ended = current;
    current = undefined;
    ended?.end.resolve({ frames: ended.frames, terminal, closeCode });
  }

  const opened = Promise.withResolvers<void>();
  let upgraded: IncomingMessage['headers'] = {};
  socket.on('upgrade', (res) => {
    upgraded = res.headers;
  });
  socket.once('open', () => opened.resolve());
  socket.once('error', opened.reject);
  socket.once('unexpected-response', (_req, res) => {
    const chunks: Buffer[] = [];
    res.on('data', (chunk: Buffer) => chunks.push(chunk));
    res.on('close', () => opened.reject(new UpgradeRefused(res, Buffer.concat(chunks).toString())));
  });
  await opened.promise;

  return {
    socket,
    /** Of the 101. */
    headers: upgraded,
    /** What was out of place so far; empty for a correct server. */
    problems,
    get closeCode() {
      return closeCode;
    },

    /** Sends a create and waits for its end. */
    create(body: Record<string, unknown>): Promise<Ended> {
      if (current) throw new Error('a response is in progress');
      const previous = body.previous_response_id;
      if (previous !== undefined && !ids.has(String(previous))) throw new Error(`${previous} is not from this socket`);
      const end = Promise.withResolvers<Ended>();
      if (socket.readyState === WebSocket.OPEN) {
        current = { frames: [], end, sequence: 0 };
        socket.send(JSON.stringify({ type: 'response.create', ...body }));
      } else end.resolve({ frames: [], terminal: undefined, closeCode });
      return end.promise;
    },

    /** Resolves when the socket is closed. @returns the code: 1006 without a close frame */
    async untilClosed(): Promise<number> {
      if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close');
      return closeCode ?? 1006;
    },

    /** Closes without a close frame, as Codex does. */
    async leave(): Promise<void> {
      if (socket.readyState === WebSocket.CLOSED) return;
      const closed = once(socket, 'close');
      socket.terminate();
      await closed;
    },
  };
}

export type StrictSocket = Awaited<ReturnType<typeof openStrictSocket>>;

function parsed(text: string): Frame | undefined {
  try {
    const value = JSON.parse(text) as Frame | null;
    return typeof value?.type === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
