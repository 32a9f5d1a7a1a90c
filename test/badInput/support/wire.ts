import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Bytes, a pause, or how the client leaves: `end` says goodbye, `destroy` and `reset` do not. */
export type Step = string | Uint8Array | { readonly waitMs: number } | 'end' | 'destroy' | 'reset';

export interface Conversation {
  readonly answers: readonly Answer[];
  /** What followed the last whole answer. */
  readonly rest: Buffer;
  /** The service ended the connection by itself. */
  readonly wasEnded: boolean;
}

const PATIENCE_MS = 5_000;

/**
 * Says exactly these bytes to the service, HTTP or not, and listens.
 * @param enough so many answers are awaited; fewer when the connection ends, or nothing has come for 5 s
 */
export function converse(url: string, steps: readonly Step[], enough = 1): Promise<Conversation> {
  const { hostname, port } = new URL(url);
  const isHead = String(steps[0]).startsWith('HEAD ');
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
  let read = Buffer.alloc(0);
  let wasEnded = false;
  let hasLeft = false;

  const said = (async () => {
    for (const step of steps) {
      if (socket.destroyed) return;
      if (typeof step === 'object' && 'waitMs' in step) await pause(step.waitMs);
      else if (step === 'end') socket.end();
      else if (step === 'destroy' || step === 'reset') {
        hasLeft = true;
        if (step === 'destroy') socket.destroy();
        else socket.resetAndDestroy();
      } else await new Promise<void>((resolve) => socket.write(step, () => resolve()));
    }
  })();

  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      const { answers, rest } = answersIn(read, wasEnded, isHead);
      void said.then(() => {
        socket.destroy();
        resolve({ answers, rest, wasEnded });
      });
    };
    const timer = setTimeout(done, PATIENCE_MS);
    socket.on('data', (chunk) => {
      read = Buffer.concat([read, chunk]);
      if (answersIn(read, false, isHead).answers.length >= enough) done();
    });
    socket.on('error', () => undefined);
    socket.on('end', () => {
      wasEnded = true;
      done();
    });
    socket.on('close', () => {
      wasEnded ||= !hasLeft;
      done();
    });
  });
}

function answersIn(bytes: Buffer, isAll: boolean, isHead: boolean): { answers: Answer[]; rest: Buffer } {
  const answers: Answer[] = [];
  let rest = bytes;
  for (;;) {
    const found = firstAnswer(rest, isAll, isHead);
    if (!found) return { answers, rest };
    if (found.answer.status >= 200) answers.push(found.answer);
    rest = rest.subarray(found.length);
  }
}

function firstAnswer(bytes: Buffer, isAll: boolean, isHead: boolean): { answer: Answer; length: number } | undefined {
  const endOfHead = bytes.indexOf('\r\n\r\n');
  if (endOfHead < 0 || !bytes.subarray(0, 5).equals(Buffer.from('HTTP/'))) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, endOfHead).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const start = endOfHead + 4;
  const body = bytes.subarray(start);
  if (isHead || status < 200 || status === 204) return { answer: { status, headers, text: '' }, length: start };
  if (headers['transfer-encoding'] === 'chunked') {
    const end = body.indexOf('0\r\n\r\n');
    return end < 0 ? undefined : { answer: { status, headers, text: dechunked(body) }, length: start + end + 5 };
  }
  const announced = headers['content-length'];
  if (announced === undefined && !isAll) return undefined;
  const length = Number(announced ?? body.length);
  if (body.length < length) return undefined;
  return { answer: { status, headers, text: body.toString('utf8', 0, length) }, length: start + length };
}

function dechunked(body: Buffer): string {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const endOfSize = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, endOfSize), 16);
    if (!(size > 0)) break;
    chunks.push(body.subarray(endOfSize + 2, endOfSize + 2 + size));
    at = endOfSize + 2 + size + 2;
  }
  return Buffer.concat(chunks).toString();
}

export interface HeadOptions {
  method?: string;
  path?: string;
  version?: string;
  /** Left out when null. */
  host?: string | null;
  headers?: readonly (readonly [string, string | number])[];
}

/** The head of a request, spelled as given. */
export function head({
  method = 'POST',
  path = '/v1/responses',
  version = 'HTTP/1.1',
  host = 'localhost',
  headers = [],
}: HeadOptions = {}): string {
  const all = [...(host === null ? [] : [['host', host] as const]), ...headers];
  return `${method} ${path} ${version}\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** A request whose body has the length that it says. */
export const message = (body: string | Uint8Array, { headers = [], ...options }: HeadOptions = {}): Buffer =>
  Buffer.concat([
    Buffer.from(head({ ...options, headers: [...headers, ['content-length', Buffer.byteLength(body)]] }), 'latin1'),
    Buffer.from(body as string),
  ]);

/** Reads nothing before everything is sent, as simple clients do. @returns whether it could be sent, and the status */
export async function sendBeforeReading(url: string, parts: readonly (string | Uint8Array)[]) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) }).pause();
  let sent = true;
  socket.on('error', () => {
    sent = false;
  });
  for (const part of parts) await new Promise<void>((resolve) => socket.write(part, () => resolve()));
  let read = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: true })) {
    read = Buffer.concat([read, chunk]);
    const { answers } = answersIn(read, false, false);
    if (answers[0]) return { sent, status: answers[0].status };
  }
  return { sent, status: 0 };
}
