import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import type { ClientRequest } from '../client/clientRequest.ts';
import { type HttpServer, startHttpServer } from '../server.ts';
import { PlainRequest } from './plainRequest.ts';

// Two servers that report how they parsed a request: one with the plain HTTP parser, one with Node's alone.

interface Outcome {
  /** The requests as the server parsed them, in order, each with as much of its body as arrived. */
  readonly parsed: readonly object[];
  /** All bytes that the client received. */
  readonly received: string;
}

interface TestServer {
  exchange(bytes: Buffer, sizes: readonly number[]): Promise<Outcome>;
  close(): Promise<void>;
}

let plainRequests = 0;
let servers: readonly [plain: TestServer, node: TestServer];
beforeAll(async () => {
  servers = [await startServer(() => true), await startServer(undefined)];
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

async function startServer(isPlainPath: (() => boolean) | undefined): Promise<TestServer> {
  let parsed: { body: string }[] = [];
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    isProxyPath: () => true,
    isPlainPath,
    proxy(request, response) {
      const { method, url, httpVersion, rawHeaders, headers } = request;
      const parsedRequest = { method, url, httpVersion, rawHeaders, headers: { ...headers }, body: '' };
      parsed.push(parsedRequest);
      readBody(request, parsedRequest, () => {
        const text = JSON.stringify(parsedRequest);
        response.writeHead(200, ['content-length', String(Buffer.byteLength(text))]);
        response.end(text);
      });
    },
    management: () => undefined,
    unreadMs: 60_000,
  });
  return {
    async exchange(bytes, sizes) {
      parsed = [];
      const received = await sendBytes(server, bytes, sizes);
      return { parsed, received };
    },
    close: () => server.closed(0),
  };
}

function readBody(request: ClientRequest, into: { body: string }, onEnd: () => void): void {
  const onData = (piece: Buffer) => {
    into.body += piece.toString('latin1');
  };
  if (request instanceof PlainRequest) {
    plainRequests += 1;
    request.receive({ onData, onEnd, onDisconnect: () => undefined });
  } else {
    request.on('data', onData).on('end', onEnd);
  }
}

/** Sends bytes in pieces, then ends the connection. @returns the received bytes, with dates removed */
async function sendBytes(server: HttpServer, bytes: Buffer, sizes: readonly number[]): Promise<string> {
  const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', noDelay: true });
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (piece) => {
    received += piece.toString('latin1');
  });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  let at = 0;
  for (const size of sizes) {
    socket.write(bytes.subarray(at, at + size));
    at += size;
    await new Promise(setImmediate);
  }
  socket.end(bytes.subarray(at));
  await closed;
  return received.replace(/Date: [^\r]+/g, 'Date: now');
}

const PLAIN =
  'POST /v1/responses HTTP/1.1\r\nHost: gateway:2455\r\nUser-Agent: codex\r\nAuthorization: Bearer sk-1\r\n' +
  'Content-Type: application/json\r\nX-None:\r\nContent-Length: 12\r\n\r\n{"input":[1]}'.slice(0, -1);

const aRequest = fc.constantFrom(
  PLAIN,
  PLAIN,
  PLAIN.replace('/v1', '/v1/../x?y=%20'),
  'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST /v1/responses HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  'POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n',
  'POST /v1/responses HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}',
);
const aPiece = fc.oneof(
  fc.constantFrom('\r', '\n', '\r\n', ' ', '\t', ':', ',', '\0', '\x7f', '\x80', '\xff', '0', '1', '#', '"', '('),
  fc.constantFrom('Host: y\r\n', 'Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n', 'Expect: 100-continue\r\n'),
  fc.constantFrom('Connection: close\r\n', 'Upgrade: x\r\n', 'Set-Cookie: a\r\n', '__proto__: a\r\n', 'X-None: 1\r\n'),
);
const isRejected = (outcome: Outcome) => outcome.received.includes('not valid HTTP');

/** Inserts a piece at an offset, in place of some bytes. */
const aChange = fc.record({ at: fc.nat(260), drops: fc.nat(3), piece: fc.oneof(fc.constant(''), aPiece) });
const atLine = (text: string, at: number) => text.indexOf('\r\n', at) + 2 || at;

function changed(text: string, changes: readonly { at: number; drops: number; piece: string }[]): string {
  return changes.reduce((before, { at, drops, piece }) => {
    const start = piece.endsWith('\r\n') && piece.length > 2 ? atLine(before, at) : at;
    return before.slice(0, start) + piece + before.slice(start + (start === at ? drops : 0));
  }, text);
}

test('parses arbitrary bytes in arbitrary pieces like Node', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(aRequest, { minLength: 1, maxLength: 4 }),
      fc.array(aChange, { maxLength: 2 }),
      fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 4 }),
      async (requests, changes, sizes) => {
        const bytes = Buffer.from(changed(requests.join(''), changes), 'latin1');
        const [plain, node] = servers;
        const [plainOutcome, nodeOutcome] = await Promise.all([
          plain.exchange(bytes, sizes),
          node.exchange(bytes, sizes),
        ]);
        expect(plainOutcome.parsed).toEqual(nodeOutcome.parsed);
        // Invalid bytes after requests close the connection. Which responses are sent before that depends on timing.
        if (!isRejected(plainOutcome) && !isRejected(nodeOutcome))
          expect(plainOutcome.received).toBe(nodeOutcome.received);
      },
    ),
    { seed: 20_261_122, ...runs(600) },
  );
  expect(plainRequests).toBeGreaterThan(100);
}, 60_000);
