import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { ReceivedRequest } from './received.ts';
import { type Asked, type ResponseScript, stepsOf } from './responseScript.ts';
import { createCutter, frame } from './sse.ts';

export interface PlayOptions {
  asked: Asked;
  request: ReceivedRequest;
  res: ServerResponse;
  /** Sent with every head. */
  headers: Record<string, string>;
  /** Aborted when the line is gone, whoever cut it. */
  gone: AbortSignal;
  changed: () => void;
}

/** Performs a script on a response: waits for a slow reader, and stops at once when the reader leaves. */
export async function play(script: ResponseScript, { asked, request, res, headers, gone, changed }: PlayOptions) {
  const wire = script.wire ?? {};
  const cutter = script.wire && createCutter(wire);
  let sequence = 0;

  const write = async (bytes: Buffer): Promise<void> => {
    request.sentBytes += bytes.length;
    const roomLeft = res.write(bytes);
    changed();
    if (!roomLeft) await once(res, 'drain', { signal: gone });
  };
  /** A write of its own on the wire: handed to the kernel, and a turn of the loop before the next one. */
  const writeAlone = async (bytes: Buffer): Promise<void> => {
    gone.throwIfAborted();
    request.sentBytes += bytes.length;
    await new Promise((handedOver) => res.write(bytes, handedOver));
    changed();
    await nextTurn();
  };
  const writeAllAlone = async (pieces: Buffer[] = []): Promise<void> => {
    for (const piece of pieces) await writeAlone(piece);
  };
  const send = (bytes: Buffer): Promise<void> => (cutter ? writeAllAlone(cutter.push(bytes)) : write(bytes));

  for (const step of stepsOf(script, asked)) {
    gone.throwIfAborted();
    if ('event' in step) {
      await send(frame({ ...step.event, sequence_number: sequence++ }, wire));
    } else if ('bytes' in step) {
      await send(Buffer.from(step.bytes));
    } else if ('head' in step) {
      request.status = step.head;
      res.writeHead(step.head, { ...headers, ...step.headers });
      changed();
    } else {
      await writeAllAlone(cutter?.flush());
      if (res.headersSent) res.flushHeaders();
      if ('waitMs' in step) await pause(step.waitMs, undefined, { signal: gone });
      else if ('until' in step) await step.until;
      else if ('hold' in step) await passing(gone);
      else return cut(res, request);
    }
  }
  await writeAllAlone(cutter?.flush());
  res.end();
}

/** Waits until the line is gone; at once if it already is. */
export async function passing(gone: AbortSignal): Promise<void> {
  if (!gone.aborted) await once(gone, 'abort');
}

/** What was sent before is handed to the kernel first: a reset must not swallow it. */
async function cut(res: ServerResponse, request: ReceivedRequest): Promise<void> {
  if (res.headersSent) await new Promise((handedOver) => res.write('', handedOver));
  await nextTurn();
  request.cut = !res.destroyed;
  res.socket?.resetAndDestroy();
}
