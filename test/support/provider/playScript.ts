import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { ReceivedRequest } from './received.ts';
import { type ResponseScript, type ScriptContext, stepsOf } from './responseScript.ts';
import { createSplitter, frame } from './sse.ts';

export interface PlayOptions {
  context: ScriptContext;
  request: ReceivedRequest;
  res: ServerResponse;
  /** Sent with every head. */
  headers: Record<string, string>;
  /** Aborted when the connection is closed, by either side. */
  disconnected: AbortSignal;
  onChange: () => void;
}

/** Plays a script on a response. Waits for a slow client, and stops when the client disconnects. */
export async function playScript(
  script: ResponseScript,
  { context, request, res, headers, disconnected, onChange }: PlayOptions,
) {
  const fragmentation = script.fragmentation ?? {};
  const splitter = script.fragmentation && createSplitter(fragmentation);
  let sequence = 0;

  const write = async (bytes: Buffer): Promise<void> => {
    request.sentBytes += bytes.length;
    const hasRoom = res.write(bytes);
    onChange();
    if (!hasRoom) await once(res, 'drain', { signal: disconnected });
  };
  /** Flushes to the kernel and waits a turn of the event loop, so that writes are not merged. */
  const writeAlone = async (bytes: Buffer): Promise<void> => {
    disconnected.throwIfAborted();
    request.sentBytes += bytes.length;
    await new Promise((handedOver) => res.write(bytes, handedOver));
    onChange();
    await nextTurn();
  };
  const writeAllAlone = async (pieces: Buffer[] = []): Promise<void> => {
    for (const piece of pieces) await writeAlone(piece);
  };
  const send = (bytes: Buffer): Promise<void> => (splitter ? writeAllAlone(splitter.push(bytes)) : write(bytes));

  for (const step of stepsOf(script, context)) {
    disconnected.throwIfAborted();
    if ('event' in step) {
      await send(frame({ ...step.event, sequence_number: sequence++ }, fragmentation));
    } else if ('bytes' in step) {
      await send(Buffer.from(step.bytes));
    } else if ('head' in step) {
      request.status = step.head;
      res.writeHead(step.head, { ...headers, ...step.headers });
      onChange();
    } else {
      await writeAllAlone(splitter?.flush());
      if (res.headersSent) res.flushHeaders();
      if ('waitMs' in step) await pause(step.waitMs, undefined, { signal: disconnected });
      else if ('until' in step) await step.until;
      else if ('hold' in step) await untilDisconnected(disconnected);
      else if ('reset' in step) return resetSocket(res, request);
      else throw new Error(`only a WebSocket can play ${JSON.stringify(step)}`);
    }
  }
  await writeAllAlone(splitter?.flush());
  res.end();
}

/** Resolves when the connection is closed. */
export async function untilDisconnected(disconnected: AbortSignal): Promise<void> {
  if (!disconnected.aborted) await once(disconnected, 'abort');
}

/** Flushes what was sent before to the kernel, so that the reset does not discard it. */
async function resetSocket(res: ServerResponse, request: ReceivedRequest): Promise<void> {
  if (res.headersSent) await new Promise((handedOver) => res.write('', handedOver));
  await nextTurn();
  request.wasReset = !res.destroyed;
  res.socket?.resetAndDestroy();
}
