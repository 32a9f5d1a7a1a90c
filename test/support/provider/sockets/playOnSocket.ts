import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { SimulatedAccount } from '../account.ts';
import { untilDisconnected } from '../playScript.ts';
import type { ReceivedRequest } from '../received.ts';
import { type ResponseScript, type ScriptContext, type StreamEvent, stepsOf } from '../responseScript.ts';
import { cutAfter } from './cutAfter.ts';
import { errorFrame } from './socketRules.ts';

/** Waits for the kernel when more than this is buffered. */
const MAX_BUFFERED_BYTES = 64 * 1024;

export interface PlayOnSocketOptions {
  context: ScriptContext;
  request: ReceivedRequest;
  socket: WebSocket;
  connection: Socket;
  account: SimulatedAccount;
  /** The headers that an error over HTTP would have. */
  headers: Record<string, string>;
  /** Aborted when the connection is closed, by either side. */
  disconnected: AbortSignal;
  onChange: () => void;
}

export interface PlayedOnSocket {
  /** The response that may be continued. */
  completed?: { id: string; totalTokens: number };
  failed: boolean;
}

/**
 * Plays a script as messages: an event is one, and a head of 400 and above with its body is an `error` frame with its `headers`.
 * SSE comments have no counterpart. A script with `splitEveryBytes` sends fragmented messages.
 */
export async function playOnSocket(
  script: ResponseScript,
  { context, request, socket, connection, account, headers, disconnected, onChange }: PlayOnSocketOptions,
): Promise<PlayedOnSocket> {
  const fragmentBytes = script.fragmentation?.oneByteAtATime ? 1 : script.fragmentation?.splitEveryBytes;
  const played: PlayedOnSocket = { failed: false };
  let refusal: { status: number; headers: Record<string, string>; body: string } | undefined;
  let sequence = 0;

  const write = async (data: string | Uint8Array, options: { binary: boolean; fin: boolean }): Promise<void> => {
    disconnected.throwIfAborted();
    const sent = new Promise<void>((handedOver) => socket.send(data, options, () => handedOver()));
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) await Promise.race([sent, untilDisconnected(disconnected)]);
  };
  const send = async (data: string | Uint8Array, isBinary = false): Promise<void> => {
    const bytes = Buffer.from(data);
    request.sentBytes += bytes.length;
    const size = fragmentBytes ?? bytes.length;
    for (let at = 0; at === 0 || at < bytes.length; at += size)
      await write(bytes.subarray(at, at + size), { binary: isBinary, fin: at + size >= bytes.length });
    onChange();
  };
  const sendEvent = async (event: StreamEvent): Promise<void> => {
    await send(JSON.stringify(event));
    if (event.type === 'response.completed' || event.type === 'response.incomplete')
      played.completed = { id: context.id, totalTokens: totalTokensOf(event) };
    if (event.type === 'response.failed' || event.type === 'error') played.failed = true;
  };

  for (const event of account.socketEvents(context)) await sendEvent(event);
  for (const step of stepsOf(script, context)) {
    disconnected.throwIfAborted();
    if ('event' in step) await sendEvent({ ...step.event, sequence_number: sequence++ });
    else if ('message' in step) await send(step.message, step.isBinary);
    else if ('head' in step) {
      request.status = step.head;
      if (step.head >= 400) refusal = { status: step.head, headers: { ...headers, ...step.headers }, body: '' };
    } else if ('bytes' in step) {
      const text = Buffer.from(step.bytes).toString();
      if (refusal) refusal.body += text;
      else if (!text.startsWith(':')) await send(text);
    } else if ('waitMs' in step) await pause(step.waitMs, undefined, { signal: disconnected });
    else if ('until' in step) await step.until;
    else if ('hold' in step) await untilDisconnected(disconnected);
    else if ('cutAfterBytes' in step) cutAfter(connection, step.cutAfterBytes, () => (request.wasReset = true));
    else if ('close' in step) {
      request.wasReset = true;
      socket.close(step.close, step.reason);
      await untilDisconnected(disconnected);
    } else {
      await nextTurn(); // what was sent before is not discarded by the reset
      if (connection.writableLength > 0) await once(connection, 'drain', { signal: disconnected });
      request.wasReset = true;
      connection.resetAndDestroy();
      await untilDisconnected(disconnected);
    }
  }
  if (refusal) {
    const { 'content-type': _type, 'content-length': _length, ...rest } = refusal.headers;
    await sendEvent({ ...errorFrame(refusal.status, { message: refusal.body }, rest), ...errorIn(refusal.body) });
  }
  return played;
}

/** The error of a JSON body, also of one that has only a `detail`. */
function errorIn(body: string): { error?: unknown } {
  try {
    const { error, detail } = JSON.parse(body) as { error?: object; detail?: string };
    return error ? { error } : { error: errorFrame(0, { message: detail ?? body }).error };
  } catch {
    return {};
  }
}

function totalTokensOf({ response }: StreamEvent): number {
  return (response as { usage: { total_tokens: number } | null }).usage?.total_tokens ?? 0;
}
