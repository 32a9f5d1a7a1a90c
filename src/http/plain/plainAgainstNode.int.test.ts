import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { comparedServers, type Outcome } from './comparedServers.support.ts';

const servers = comparedServers();

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
  fc.constantFrom(
    '\r',
    '\n',
    '\r\n',
    ' ',
    '\t',
    ':',
    ',',
    '\0',
    '\x7f',
    '\x80',
    '\xa0',
    '\xff',
    '0',
    '1',
    '#',
    '"',
    '(',
  ),
  fc.constantFrom('Host: y\r\n', 'Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n', 'Expect: 100-continue\r\n'),
  fc.constantFrom('Connection: close\r\n', 'Proxy-Connection: close\r\n', 'proxy-connection: keep-alive\r\n'),
  fc.constantFrom('Upgrade: x\r\n', 'Set-Cookie: a\r\n', '__proto__: a\r\n', 'X-None: 1\r\n'),
);
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let rest = bytes;
  for (const size of sizes) {
    pieces.push(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  return [...pieces, rest];
}

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
        const pieces = cut(bytes, sizes);
        const [plainOutcome, nodeOutcome] = await Promise.all([
          servers.plain.exchange(pieces),
          servers.node.exchange(pieces),
        ]);
        expect(plainOutcome.parsed).toEqual(nodeOutcome.parsed);
        // Invalid bytes after requests close the connection. Which responses are sent before that depends on timing.
        if (!isRejected(plainOutcome) && !isRejected(nodeOutcome))
          expect(plainOutcome.received).toBe(nodeOutcome.received);
      },
    ),
    { seed: 20_261_122, ...runs(600) },
  );
  expect(servers.plain.plainRequests).toBeGreaterThan(100);
}, 60_000);
