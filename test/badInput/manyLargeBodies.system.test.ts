import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request as open } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { validRequest } from '../support/gateway.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';
import { stepsOf } from '../support/provider/responseScript.ts';
import { streamSilent, textResponse } from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';
import { type ServiceProcess, startServiceProcess } from './support/serviceProcess.ts';

const MIB = 1_048_576;
/** Half of what the heap may grow to: 128 MiB, and three times 8 for what is young. */
const BOUND_MIB = 76;
/** Connections, and what is dead but not collected yet. */
const BESIDE_MIB = 120;
/** Their bodies together are four times as much as there is room for. */
const CALLERS = 40;
/** More than find room. */
const A_FEW = 12;
/** So many find room when nobody else has any: three quarters of it are for bodies of 8 MiB. */
const ROOM = Math.floor((BOUND_MIB * 0.75) / 8);

const large = Buffer.from(JSON.stringify({ ...validRequest, instructions: 'word '.repeat((8 * MIB) / 5) }));
const gzipped = gzipSync(large, { level: 1 });

const ways = {
  'that say how long they are': { body: large, headers: { 'content-length': large.length } },
  'in chunks': { body: large, headers: {} },
  'that are small until they are unpacked': {
    body: gzipped,
    headers: { 'content-encoding': 'gzip', 'content-length': gzipped.length },
  },
};
type Way = (typeof ways)[keyof typeof ways];

// A client that does not ask for the end of its connection can send on while it is refused, and reads why.
const agent = new Agent({ keepAlive: true });

let provider: Provider;
let service: ServiceProcess;
beforeAll(async () => {
  provider = await startProvider({ maxReceived: 10 });
  service = await startServiceProcess(provider, { flags: ['--max-old-space-size=128', '--max-semi-space-size=8'] });
  const answer = textResponse();
  service.account.always({
    name: 'only small ones',
    steps: (asked) => (asked.bytes > MIB ? [{ hold: true }] : stepsOf(answer, asked)),
  });
});
afterAll(async () => {
  agent.destroy();
  await service.stop();
  await provider.close();
});

interface Refusal {
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  readonly error: unknown;
}

function call({ headers }: Way, path = '/v1/responses'): ClientRequest {
  const request = open(service.url + path, { method: 'POST', agent, headers });
  // Hung up by the test.
  request.on('error', () => undefined);
  return request;
}

/** Many clients at once, each with a request that the provider never answers. */
function wave(way: Way, clients = CALLERS) {
  const refusals: Refusal[] = [];
  const requests = Array.from({ length: clients }, () => {
    const request = call(way);
    request.once('response', async (response) => {
      const { status, retryAfter } = { status: response.statusCode, retryAfter: response.headers['retry-after'] };
      const body = await text(response).catch(() => '{}');
      refusals.push({ status, retryAfter, error: JSON.parse(body).error });
      request.destroy();
    });
    request.end(way.body);
    return request;
  });
  const held = () => service.account.inFlight;
  return {
    refusals,
    held,
    /** Each was refused, or has come to the provider whole. */
    settled: () => vi.waitUntil(() => refusals.length + held() === clients, { ...waitOptions, timeout: 30_000 }),
    async hangUp() {
      for (const request of requests) request.destroy();
      await vi.waitUntil(() => held() === 0, waitOptions);
    },
  };
}

async function smallOnes(): Promise<number[]> {
  const one = async () => {
    const response = await fetch(`${service.url}/v1/responses`, { method: 'POST', body: JSON.stringify(validRequest) });
    await response.text();
    return response.status;
  };
  return Promise.all(Array.from({ length: 10 }, one));
}

/** @returns how many found room, after they have gone; what they held is given back when it is written down that they left */
async function roomFor(way: Way): Promise<number> {
  const { settled, held, hangUp } = wave(way, A_FEW);
  await settled();
  const found = held();
  await hangUp();
  return found;
}

test.each(Object.entries(ways))(
  'of many large bodies %s as many are taken as there is room for, and small ones go on',
  {
    timeout: 120_000,
  },
  async (_how, way) => {
    await smallOnes();
    const before = service.memoryNow() ?? 0;
    const { refusals, settled, held, hangUp } = wave(way);
    await settled();
    const found = held();
    expect(found).toBeGreaterThan(3);
    expect(refusals.length).toBeGreaterThan(3);
    for (const refusal of refusals) {
      expect(refusal).toEqual({
        status: 503,
        retryAfter: '2',
        error: { message: expect.stringContaining('in a moment'), type: 'server_error', code: 'overloaded' },
      });
    }
    expect(new Set(await smallOnes())).toEqual(new Set([200]));
    const most = service.memoryPeak() ?? 0;
    process.stdout.write(`  ${found} of ${CALLERS} taken; MiB before: ${before}, most: ${most}\n`);
    expect(most - before).toBeLessThan(BOUND_MIB + BESIDE_MIB);
    await hangUp();
    await expect.poll(() => roomFor(way), { timeout: 60_000 }).toBe(ROOM);
  },
);

test('clients that hang up half way leave nothing behind', { timeout: 120_000 }, async () => {
  const way = ways['that say how long they are'];
  const leaveHalfWay = async () => {
    const request = call(way);
    const refused = once(request, 'response').catch(() => undefined);
    const sent = new Promise<void>((resolve) =>
      request.write(way.body.subarray(0, way.body.length / 2), () => resolve()),
    );
    await Promise.race([sent, refused]);
    request.destroy();
  };
  for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: CALLERS }, leaveHalfWay));
  await expect.poll(() => roomFor(way), { timeout: 60_000 }).toBe(ROOM);
});

test('a body is let go when its answer begins: as many as clients have may be answered at the same time', {
  timeout: 120_000,
}, async () => {
  const way = ways['that say how long they are'];
  const before = service.memoryNow() ?? 0;
  const streams: ClientRequest[] = [];
  const isAnswered = async () => {
    const client = call(way, '/backend-api/svc/responses');
    client.end(way.body);
    const [response] = (await once(client, 'response')) as [IncomingMessage];
    if (response.statusCode === 200) streams.push(client);
    else client.destroy();
    return response.statusCode === 200;
  };
  service.account.next(streamSilent({ events: 5 }));
  // What others held until just now is given back when the service has written down that they left.
  await vi.waitUntil(isAnswered, waitOptions);
  while (streams.length < CALLERS) {
    service.account.next(streamSilent({ events: 5 }));
    expect(await isAnswered()).toBe(true);
  }
  expect(service.account.inFlight).toBe(CALLERS);
  const most = service.memoryNow() ?? 0;
  process.stdout.write(`  ${CALLERS} streams open; MiB before: ${before}, now: ${most}\n`);
  expect(most - before).toBeLessThan(BOUND_MIB + BESIDE_MIB);
  for (const client of streams) client.destroy();
  await vi.waitUntil(() => service.account.inFlight === 0, waitOptions);
});

const MIB_OF = { words: 'word '.repeat(MIB / 5 - 100), zeros: Buffer.alloc(MIB - 1_000) };
function recording(field: string): FormData {
  const form = new FormData();
  form.set(field, new Blob([MIB_OF.zeros], { type: 'audio/webm' }), 'clip.webm');
  return form;
}

/** Each holds nearly 1 MiB, so that 80 of them would hold more than there is. */
const ends: [what: string, status: number, path: string, init: () => RequestInit][] = [
  [
    'was answered',
    200,
    '/v1/responses',
    () => ({ body: JSON.stringify({ ...validRequest, instructions: MIB_OF.words }) }),
  ],
  ['was wrong', 400, '/v1/responses', () => ({ body: JSON.stringify({ instructions: MIB_OF.words }) })],
  [
    'could not be unpacked',
    400,
    '/v1/responses',
    () => ({ body: MIB_OF.zeros, headers: { 'content-encoding': 'gzip' } }),
  ],
  ['was written down', 200, '/backend-api/transcribe', () => ({ body: recording('file') })],
  ['had its audio in a wrong place', 400, '/backend-api/transcribe', () => ({ body: recording('another') })],
];

test.each(ends)('a request that %s holds nothing any more', { timeout: 120_000 }, async (_what, status, path, init) => {
  const one = async () => {
    const response = await fetch(service.url + path, { method: 'POST', ...init() });
    await response.text();
    return response.status;
  };
  const statuses = new Set<number>();
  for (let round = 0; round < 20; round++) {
    for (const each of await Promise.all([one(), one(), one(), one()])) statuses.add(each);
  }
  expect([...statuses]).toEqual([status]);
});

test('the process has said nothing and ends as it should', async () => {
  expect(service.said()).toBe('');
  expect(await service.stop()).toBe(0);
});
