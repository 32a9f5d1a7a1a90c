import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { waitOptions } from '../../test/support/waitOptions.ts';
import { DescriptorBudget } from '../lib/descriptors/descriptorBudget.ts';
import { PlainRequest } from './plain/plainRequest.ts';
import { startHttpServer } from './server.ts';

const FILES = 20;
const LIMIT = 40;
/** Half of the reserve of 8 stays free. */
const ROOM = LIMIT - FILES - 4 - 1;

const REQUEST = 'POST /held HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';
const SHORT_REQUEST = REQUEST.replace('/held', '/answered');
const REFUSED = /^HTTP\/1\.1 503 .*retry-after: 2\r\nconnection: close.*"out_of_file_descriptors"/s;

/** Starts a server with `LIMIT` descriptors, which holds requests to /held open. */
async function start(isPlain: boolean) {
  let now = 0;
  const held: { end(): void }[] = [];
  let connections = (): number => 0;
  const budget = new DescriptorBudget({
    readLimit: () => LIMIT,
    count: () => ({ open: FILES + connections(), isCheap: true }),
    onShortage: () => undefined,
    now() {
      now += 1_000;
      return now;
    },
  });
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    isProxyPath: () => true,
    isPlainPath: isPlain ? () => true : undefined,
    proxy(request, response) {
      if (!(request instanceof PlainRequest)) request.resume();
      const end = () => void response.writeHead(200, ['content-length', '2']).end('ok');
      if (request.url === '/held') held.push({ end });
      else end();
    },
    operators: () => undefined,
    descriptors: {
      mayAccept: (waiting) => budget.mayAccept(waiting),
      mayWait: (waiting) => budget.mayWait(waiting),
      count(counted) {
        connections = counted.open;
        budget.count(counted);
      },
    },
    unreadMs: 60_000,
  });
  onTestFinished(() => server.closed(0));
  const open = async (bytes: string): Promise<Socket> => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(bytes);
    return socket;
  };
  /** Opens connections with an open request; there are descriptors for one more. */
  const fill = async () => {
    for (let count = 1; count < ROOM; count += 1) {
      await open(REQUEST);
      await vi.waitUntil(() => held.length === count, { ...waitOptions, interval: 1 });
    }
  };
  return { open, fill, held };
}

describe.each([
  ['the plain parser', true],
  ["Node's parser", false],
])('with %s, when descriptors run out', (_, isPlain) => {
  test('a new connection gets 503, and open requests go on', async () => {
    const { open, fill, held } = await start(isPlain);
    await fill();
    const busy = await open(REQUEST);
    expect(await text(await open(REQUEST))).toMatch(REFUSED);
    expect(await text(await open(''))).toMatch(REFUSED);
    await vi.waitUntil(() => held.length === ROOM, { ...waitOptions, interval: 1 });
    held.at(-1)?.end();
    expect(String((await once(busy, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('a new connection takes the place of one that has got its response', async () => {
    const { open, fill, held } = await start(isPlain);
    const idle = await open(SHORT_REQUEST);
    await once(idle, 'data');
    await fill();
    const closed = once(idle, 'close');
    await open(REQUEST);
    await closed;
    await vi.waitUntil(() => held.length === ROOM, { ...waitOptions, interval: 1 });
  });
});
