import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { certificate } from '../../../test/support/certificate.ts';
import { patiently } from '../../../test/support/patiently.ts';
import type { UpstreamControl } from './upstreamConnection.ts';
import { createUpstreamPool, type UpstreamPool, type UpstreamPoolOptions } from './upstreamPool.ts';
import type { RequestBody } from './writeRequest.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** One connection as the provider sees it. */
interface Line {
  readonly socket: Socket & Partial<Pick<TLSSocket, 'alpnProtocol' | 'isSessionReused'>>;
  received: string;
  isClosed: boolean;
}

const open: { server: Server; pools: UpstreamPool[]; lines: Line[] }[] = [];
afterEach(async () => {
  for (const { server, pools, lines } of open.splice(0)) {
    for (const pool of pools) pool.destroy();
    for (const { socket } of lines) socket.destroy();
    server.close();
    await once(server, 'close');
  }
});

/** A provider that does what the test says whenever bytes have come. */
async function provider(onBytes: (line: Line) => void, { isSecure = false } = {}) {
  const lines: Line[] = [];
  const accept = (socket: Socket) => {
    const line: Line = { socket, received: '', isClosed: false };
    lines.push(line);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      line.isClosed = true;
    });
    socket.on('data', (bytes) => {
      line.received += bytes.toString('latin1');
      onBytes(line);
    });
  };
  const server = isSecure
    ? createSecureServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] }, accept)
    : createServer(accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const pools: UpstreamPool[] = [];
  open.push({ server, pools, lines });
  const pool = (options: Partial<UpstreamPoolOptions> = {}) => {
    const origin = new URL(`${isSecure ? 'https' : 'http'}://${isSecure ? 'localhost' : '127.0.0.1'}:${port}`);
    const made = createUpstreamPool({ origin, connectTimeoutMs: 5_000, idleMs: 30_000, ...options });
    pools.push(made);
    return made;
  };
  return { server, lines, port, pool };
}

/** Answers each whole request. */
const answering = (answer: string) => (line: Line) => {
  const end = line.received.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/.exec(line.received)?.[1] ?? 0);
  if (end < 0 || line.received.length < end + 4 + length) return;
  line.received = '';
  line.socket.write(answer);
};

/** Sends one request and collects what is told of it. */
function ask(pool: UpstreamPool, body: RequestBody = [Buffer.from('{}')], headers: readonly string[] = []) {
  const told = { status: 0, body: '', pieces: 0, outcome: 'none' };
  const { promise, resolve, reject } = Promise.withResolvers<typeof told>();
  let onPiece: (() => void) | undefined;
  const control: UpstreamControl = pool.send(
    { path: '/answers', headers, body },
    {
      onHead: (status) => {
        told.status = status;
      },
      onBody: (bytes) => {
        told.body += bytes.toString('latin1');
        told.pieces += 1;
        onPiece?.();
      },
      onEnd: () => {
        told.outcome = 'ended';
        resolve(told);
      },
      onError: (error) => {
        told.outcome = 'failed';
        reject(error);
      },
    },
  );
  promise.catch(() => undefined);
  return {
    told,
    control,
    ended: promise,
    onPiece: (heard: () => void) => {
      onPiece = heard;
    },
  };
}

describe('a request', () => {
  test('arrives with its head and its pieces', async () => {
    const { pool, lines, port } = await provider(
      ({ socket, received }) => received.endsWith('"b"}') && socket.write(OK),
    );
    const body = [Buffer.from('{"a":'), Buffer.from('"b"}')];
    expect(await ask(pool(), body, ['accept', 'text/event-stream', 'x-two', 'w\u00f6rld']).ended).toMatchObject({
      status: 200,
      body: 'ok',
    });
    expect(lines[0]?.received).toBe(
      `POST /answers HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/event-stream\r\nx-two: w\u00f6rld\r\ncontent-length: 9\r\n\r\n{"a":"b"}`,
    );
  });

  test('of several megabytes arrives as it was sent, while others are written between', async () => {
    const sizes: number[] = [];
    const { pool } = await provider(({ socket, received }) => {
      const [head = '', rest = ''] = received.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/.exec(head)?.[1]);
      if (rest.length !== length || new Set(rest).size !== 1) return;
      sizes.push(length);
      socket.write(OK);
    });
    const one = pool();
    const lengths = [5_000_000, 100_000, 120_000, 130_000, 3_000_000, 7];
    const asked = lengths.map((length, index) => ask(one, [Buffer.alloc(length, 97 + index)]));
    await Promise.all(asked.map(({ ended }) => ended));
    expect(sizes.sort((a, b) => a - b)).toEqual(lengths.sort((a, b) => a - b));
  });

  test('that is sent while it arrives goes in chunks', async () => {
    const { pool, lines } = await provider(
      ({ socket, received }) => received.endsWith('0\r\n\r\n') && socket.write(OK),
    );
    async function* body() {
      yield Buffer.from('hello');
      yield Buffer.alloc(0);
      yield Buffer.from(', world of chunks');
    }
    await ask(pool(), body()).ended;
    expect(lines[0]?.received).toMatch(
      /transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n11\r\n, world of chunks\r\n0\r\n\r\n$/,
    );
  });

  test('whose body breaks off while it is sent fails, and the provider sees no end of it', async () => {
    const { pool, lines } = await provider(() => undefined);
    async function* body() {
      yield Buffer.from('hello');
      throw new Error('the client hung up');
    }
    await expect(ask(pool(), body()).ended).rejects.toThrow('the client hung up');
    await vi.waitUntil(() => lines[0]?.isClosed, patiently);
    expect(lines[0]?.received).not.toContain('0\r\n\r\n');
  });

  test('that is given up in the same breath is never written', async () => {
    let requests = 0;
    const { pool } = await provider(({ socket }) => {
      requests += 1;
      socket.write(OK);
    });
    const one = pool();
    await ask(one).ended;
    const { control, told } = ask(one);
    control.abort();
    await ask(one).ended;
    expect({ requests, outcome: told.outcome }).toEqual({ requests: 2, outcome: 'none' });
  });
});

describe('a connection', () => {
  test('serves one request after the other', async () => {
    const { pool, lines } = await provider(answering(OK));
    const one = pool();
    for (let turn = 0; turn < 5; turn++) await ask(one).ended;
    expect(lines).toHaveLength(1);
  });

  test('serves one request at a time', async () => {
    const { pool, lines } = await provider(answering(OK));
    const one = pool();
    await Promise.all(Array.from({ length: 5 }, () => ask(one).ended));
    expect(lines).toHaveLength(5);
    await Promise.all(Array.from({ length: 5 }, () => ask(one).ended));
    expect(lines).toHaveLength(5);
  });

  test.each([
    ['the provider says so', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'],
    [
      'the provider keeps it no longer than a moment',
      'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok',
    ],
    ['something came behind the answer', `${OK}HTTP/1.1 200 OK\r\n`],
  ])('is not used again when %s', async (_when, answer) => {
    const { pool, lines } = await provider(answering(answer));
    const one = pool();
    for (let turn = 0; turn < 2; turn++) expect(await ask(one).ended).toMatchObject({ body: 'ok' });
    expect(lines).toHaveLength(2);
  });

  test('that the provider closes while it is idle is not used again', async () => {
    const { pool, lines } = await provider(answering(OK));
    const one = pool();
    await ask(one).ended;
    lines[0]?.socket.end();
    await vi.waitUntil(() => lines[0]?.isClosed, patiently);
    expect(await ask(one).ended).toMatchObject({ body: 'ok' });
    expect(lines).toHaveLength(2);
  });

  test('on which something comes unasked is closed', async () => {
    const { pool, lines } = await provider(answering(OK));
    const one = pool();
    await ask(one).ended;
    lines[0]?.socket.write(OK);
    await vi.waitUntil(() => lines[0]?.isClosed, patiently);
    expect(await ask(one).ended).toMatchObject({ body: 'ok' });
  });

  test('is closed when it was idle for too long', async () => {
    const { pool, lines } = await provider(answering(OK));
    await ask(pool({ idleMs: 40 })).ended;
    await vi.waitUntil(() => lines[0]?.isClosed, patiently);
  });

  test('is not used again when the answer came before all of the request was sent', async () => {
    const { pool, lines } = await provider(({ socket, received }) => {
      if (received.includes('first')) socket.write(OK);
    });
    const held = Promise.withResolvers<void>();
    async function* body() {
      yield Buffer.from('first');
      await held.promise;
      yield Buffer.from('second');
    }
    expect(await ask(pool(), body()).ended).toMatchObject({ body: 'ok' });
    await vi.waitUntil(() => lines[0]?.isClosed, patiently);
    held.resolve();
    expect(lines[0]?.received).not.toContain('second');
  });
});

describe('a request fails', () => {
  const sized = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhell';
  test.each<[what: string, onBytes: (line: Line) => void]>([
    ['the provider resets the connection', ({ socket }) => socket.resetAndDestroy()],
    ['the provider closes without an answer', ({ socket }) => socket.end()],
    ['the provider closes in the middle of its answer', ({ socket }) => socket.end(sized)],
    ['the provider speaks another protocol', ({ socket }) => socket.write('SSH-2.0-x\r\n\r\n')],
  ])('when %s, and the next one has another connection', async (_what, onBytes) => {
    let isFirst = true;
    const { pool } = await provider((line) => {
      if (!isFirst) return answering(OK)(line);
      isFirst = false;
      onBytes(line);
    });
    const one = pool();
    await expect(ask(one).ended).rejects.toThrow();
    expect(await ask(one).ended).toMatchObject({ body: 'ok' });
  });

  test('when nobody listens', async () => {
    const { pool, server } = await provider(() => undefined);
    const one = pool();
    server.close();
    await once(server, 'close');
    await expect(ask(one).ended).rejects.toThrow(/ECONNREFUSED/);
    server.listen(0);
  });

  test('when no connection comes about in time', async () => {
    // Nobody answers a TLS handshake there.
    const { pool, port } = await provider(() => undefined);
    const one = pool({ origin: new URL(`https://127.0.0.1:${port}`), connectTimeoutMs: 30 });
    await expect(ask(one).ended).rejects.toThrow(/no connection to 127\.0\.0\.1:\d+ within 30 ms/);
  });

  test('when the pool ends', async () => {
    const { pool, lines } = await provider(() => undefined);
    const one = pool();
    const { ended } = ask(one);
    await vi.waitUntil(() => lines[0]?.received, patiently);
    one.destroy();
    await expect(ended).rejects.toThrow('the connection was closed');
  });
});

test('an answer without a length ends with its connection', async () => {
  const { pool } = await provider(({ socket }) => socket.end('HTTP/1.1 200 OK\r\n\r\nall that there is'));
  expect(await ask(pool()).ended).toMatchObject({ body: 'all that there is' });
});

test('who pauses makes the provider wait, and gets the rest after resuming', async () => {
  const size = 64 * 1_048_576;
  let sent = 0;
  const { pool } = await provider(async ({ socket }) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
    const piece = Buffer.alloc(65_536, 'x');
    while (sent < size) {
      sent += piece.length;
      if (!socket.write(piece)) await once(socket, 'drain');
    }
  });
  const { control, ended, told, onPiece } = ask(pool());
  await new Promise<void>((resolve) => onPiece(resolve));
  control.pause();
  expect(control.isPaused).toBe(true);
  // What is under way fills the buffers of both ends; then nothing moves any more.
  let before = -1;
  await vi.waitUntil(
    () => {
      const isStill = before === sent;
      before = sent;
      return isStill;
    },
    { timeout: 10_000, interval: 100 },
  );
  expect(sent).toBeLessThan(size);
  const heard = told.body.length;
  control.resume();
  expect((await ended).body).toHaveLength(size);
  expect(heard).toBeLessThan(size);
});

test('who aborts cuts the connection and hears nothing more', async () => {
  const { pool, lines } = await provider(({ socket }) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhell'),
  );
  const { control, told, onPiece } = ask(pool());
  await new Promise<void>((resolve) => onPiece(resolve));
  control.abort();
  await vi.waitUntil(() => lines[0]?.isClosed, patiently);
  expect(told).toEqual({ status: 200, body: 'hell', pieces: 1, outcome: 'none' });
});

test('an abort after the end leaves the connection to the next request', async () => {
  const { pool, lines } = await provider(answering(OK));
  const one = pool();
  const first = ask(one);
  await first.ended;
  const second = ask(one);
  first.control.abort();
  first.control.pause();
  first.control.resume();
  expect(await second.ended).toMatchObject({ body: 'ok' });
  expect(lines).toHaveLength(1);
});

describe('over TLS', () => {
  test('everything is the same, and HTTP/2 is not offered', async () => {
    const { pool, lines } = await provider(answering(OK), { isSecure: true });
    const one = pool({ ca: certificate.cert });
    for (let turn = 0; turn < 3; turn++) expect(await ask(one).ended).toMatchObject({ body: 'ok' });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.socket.alpnProtocol).toBe('http/1.1');
    await Promise.all(Array.from({ length: 20 }, () => ask(one, [Buffer.alloc(200_000, 'x')]).ended));
  });

  test('a later connection takes up the session of an earlier one', async () => {
    const { pool, lines } = await provider(
      answering(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok`),
      { isSecure: true },
    );
    const one = pool({ ca: certificate.cert });
    for (let turn = 0; turn < 2; turn++) await ask(one).ended;
    expect(lines.map(({ socket }) => Boolean(socket.isSessionReused?.()))).toEqual([false, true]);
  });

  test('a provider that nobody vouches for is not spoken to', async () => {
    const { pool, lines } = await provider(answering(OK), { isSecure: true });
    await expect(ask(pool()).ended).rejects.toThrow(/certificate/);
    expect(lines.every(({ received }) => received === '')).toBe(true);
  });
});
