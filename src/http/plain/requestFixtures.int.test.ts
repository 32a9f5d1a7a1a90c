import { describe, expect, test } from 'vitest';
import { comparedServers, type Outcome, type Pieces, statusesIn } from './comparedServers.support.ts';
import { type RequestFixture, requestFixtures } from './requestFixtures.support.ts';

// Every fixture is sent in several ways to a server with the plain HTTP parser and to one with Node's alone.

const servers = comparedServers();

const FIRST = Buffer.from('POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]');
const PROBE = Buffer.from('POST /probe HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]');

interface Way {
  /** Whether a plain request is sent before it. */
  readonly isFollowing: boolean;
  /** Whether it arrives before the response to that request. */
  readonly isPipelined?: boolean;
  readonly pieces: (bytes: Buffer) => Pieces;
}

const ways: Record<string, Way> = {
  'in one piece': { isFollowing: false, pieces: (bytes) => [bytes] },
  'as head and body': { isFollowing: false, pieces: headAndBody },
  'byte by byte': { isFollowing: false, pieces: (bytes) => (bytes.length > 1_000 ? [bytes] : bytesOf(bytes)) },
  'after a plain request': { isFollowing: true, pieces: (bytes) => [FIRST, 1, bytes] },
  'behind a plain request': {
    isFollowing: true,
    isPipelined: true,
    pieces: (bytes) => [Buffer.concat([FIRST, bytes])],
  },
};

function headAndBody(bytes: Buffer): Pieces {
  const end = bytes.indexOf('\r\n\r\n') + 4;
  return [bytes.subarray(0, end), bytes.subarray(end)];
}

const bytesOf = (bytes: Buffer) => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));

/** Sends a fixture to both servers, and a further request when it leaves the connection usable. */
function send({ bytes, then, served }: RequestFixture, { pieces, isFollowing }: Way): Promise<Outcome[]> {
  const count = served + (isFollowing ? 1 : 0);
  const all = then === 'reusable' ? [...pieces(bytes), count, PROBE] : pieces(bytes);
  // Where the server has to close the connection, the client does not.
  const end = then === 'reusable' || then === 'incomplete' ? 'client' : 'server';
  return Promise.all([servers.plain, servers.node].map((server) => server.exchange(all, end)));
}

function expectedOf({ requests, then, served }: RequestFixture, { isFollowing }: Way) {
  const before = isFollowing ? ['POST /first []'] : [];
  const after = then === 'reusable' ? ['POST /probe []'] : [];
  const refusal = then === 'incomplete' ? [400] : typeof then === 'number' ? [then] : [];
  return {
    requests: [...before, ...requests, ...after],
    statuses: [...[...before, ...requests.slice(0, served), ...after].map(() => 200), ...refusal],
  };
}

const readingOf = ({ parsed, received, isLeftOpen }: Outcome) => ({
  isLeftOpen,
  requests: parsed.map(({ method, url, body }) => `${method} ${url} ${body}`),
  statuses: statusesIn(received),
});

/** What the refusal of bytes ends while a response to bytes before them is not sent yet depends on the moment. */
const isRace = ({ then, served }: RequestFixture, { isPipelined = false }: Way) =>
  typeof then === 'number' && (isPipelined || served > 0);

describe.each(Object.entries(requestFixtures))('%s', (_, fixtures) => {
  test.each(Object.entries(ways))('are read as llhttp reads them, sent %s', async (_name, way) => {
    await Promise.all(
      fixtures.map(async (fixture) => {
        const [plain, node] = (await send(fixture, way)) as [Outcome, Outcome];
        const { requests, statuses } = expectedOf(fixture, way);
        const expected = isRace(fixture, way)
          ? { isLeftOpen: false, requests }
          : { isLeftOpen: false, requests, statuses };
        expect(readingOf(node), `Node: ${fixture.title}`).toMatchObject(expected);
        expect(readingOf(plain), `plain: ${fixture.title}`).toMatchObject(expected);
        expect(plain.parsed, fixture.title).toEqual(node.parsed);
        if (!isRace(fixture, way)) expect(plain.received, fixture.title).toBe(node.received);
      }),
    );
  });
});

test('the plain parser has read its share of the fixtures', () => {
  expect(servers.plain.plainRequests).toBeGreaterThan(500);
  expect(servers.node.plainRequests).toBe(0);
});
