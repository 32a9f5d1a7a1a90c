import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { ResponseParser } from './responseParser.ts';

// The same bytes, in the same pieces, read by our parser and by Node's HTTP client.

interface Outcome {
  status: number;
  headers: Record<string, string>;
  body: string;
  isComplete: boolean;
  /** Why it is not complete. */
  error: string;
}

const NAMES = ['a', 'b', 'connection', 'content-length', 'transfer-encoding'];
const newOutcome = (): Outcome => ({ status: 0, headers: {}, body: '', isComplete: false, error: '' });

function readByUs(pieces: readonly Buffer[]): Outcome {
  const outcome = newOutcome();
  const parser = new ResponseParser({
    onHead(status, headers) {
      outcome.status = status;
      for (const name of NAMES) {
        const value = headers.get(name);
        if (value !== undefined) outcome.headers[name] = value;
      }
    },
    onBody(bytes) {
      outcome.body += bytes.toString('latin1');
    },
    onEnd() {
      outcome.isComplete = true;
    },
  });
  try {
    for (const piece of pieces) parser.read(piece);
    parser.close();
  } catch (error) {
    outcome.error = (error as Error).message;
  }
  return outcome;
}

let pieces: readonly Buffer[] = [];
let server: Server;
beforeAll(async () => {
  server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', async () => {
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise(setImmediate);
      }
      socket.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

function readByNode(sent: readonly Buffer[]): Promise<Outcome> {
  const outcome = newOutcome();
  pieces = sent;
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const sending: ClientRequest = request({
    method: 'POST',
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    agent: false,
  });
  const fail = (error: Error & { code?: string }) => {
    outcome.error ||= `${error.code} ${error.message}`;
  };
  sending.on('response', (response) => {
    outcome.status = response.statusCode ?? 0;
    for (const name of NAMES) {
      const values = response.headersDistinct[name];
      if (values) outcome.headers[name] = values.join(', ');
    }
    response.setEncoding('latin1').on('error', fail);
    response.on('data', (text: string) => {
      outcome.body += text;
    });
    response.on('close', () => {
      outcome.isComplete = response.complete;
    });
  });
  sending.on('error', fail).on('close', () => setImmediate(resolve, outcome));
  sending.end('{}');
  return promise;
}

const OK = 'HTTP/1.1 200 OK\r\n';
const aResponse = fc.constantFrom(
  `${OK}Content-Length: 5\r\nA: b c\r\n\r\nhello`,
  `${OK}Transfer-Encoding: chunked\r\nA: x\r\n\r\n5\r\nhello\r\n3;a=b\r\nabc\r\n0\r\n\r\n`,
  `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nT: u\r\n\r\n`,
  `${OK}A: b\r\n\r\nuntil the end`,
  `HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: 2\r\n\r\nok`,
  'HTTP/1.1 204 No Content\r\nA: b\r\n\r\n',
  'HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok',
  'HTTP/1.1 429 Too Many\r\nA: 1\r\nA: 2\r\nContent-Length: 0\r\n\r\n',
);
const aPiece = fc.oneof(
  fc.constantFrom(...'\r\n \t:,;\0\x7f\x80\xa0\xff\x1b015f"=', '\r\n', '\r\n\r\n', ';x=y', '000'),
  fc.constantFrom('Content-Length: 3\r\n', 'Content-Length: 5\r\n', 'Transfer-Encoding: gzip\r\n', 'B: \xa0\r\n'),
  fc.constantFrom('Transfer-Encoding: chunked\r\n', 'Connection: close\r\n', 'HTTP/1.1 103 Hints\r\n\r\n'),
);
/** Inserts a piece at an offset, or a line at the next line; in place of some bytes. */
const aChange = fc.record({ at: fc.nat(120), drops: fc.nat(3), piece: fc.oneof(fc.constant(''), aPiece) });

function changed(text: string, changes: readonly { at: number; drops: number; piece: string }[]): string {
  return changes.reduce((before, { at, drops, piece }) => {
    if (!/^.+\r\n/.test(piece)) return before.slice(0, at) + piece + before.slice(at + drops);
    const line = before.indexOf('\r\n', at) + 2;
    return before.slice(0, line) + piece + before.slice(line);
  }, text);
}

/** What we read and Node does not: allowed by RFC 9112, or of no effect on what is read. */
const NODE_IS_STRICTER = [
  // The connection is closed afterwards.
  /can't be present with (Content-Length|Transfer-Encoding)/,
  // The same length twice, or a length without a body.
  /Duplicate Content-Length|Empty Content-Length|Invalid character in Content-Length/,
  // Interim responses have no effect on the connection.
  /Data after `Connection: close`/,
  // Extensions are skipped; blanks behind a size are padding.
  /Invalid character in chunk (extensions|size)/,
];
/** What Node reads and we do not. */
const WE_ARE_STRICTER = [
  // Node reads the framing as the body.
  'the response has a transfer coding that was not requested',
  // Control characters in a reason, and line ends before a status line.
  'the provider does not speak HTTP/1.1',
  'the provider switched protocols without being asked',
];

test('reads arbitrary bytes in arbitrary pieces like Node', async () => {
  let complete = 0;
  await fc.assert(
    fc.asyncProperty(
      aResponse,
      fc.array(aChange, { maxLength: 3 }),
      fc.array(fc.nat(130), { maxLength: 4 }),
      async (response, changes, cuts) => {
        const bytes = Buffer.from(changed(response, changes), 'latin1');
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const sent = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        const [ours, nodes] = [readByUs(sent), await readByNode(sent)];
        if (ours.isComplete && nodes.isComplete) {
          complete += 1;
          expect(ours).toEqual({ ...nodes, error: '' });
        } else if (ours.isComplete) {
          expect(
            NODE_IS_STRICTER.some((reason) => reason.test(nodes.error)),
            nodes.error,
          ).toBe(true);
        } else if (nodes.isComplete) {
          expect(WE_ARE_STRICTER).toContain(ours.error);
        }
      },
    ),
    { seed: 20_261_124, ...runs(400) },
  );
  expect(complete).toBeGreaterThan(50);
}, 60_000);
