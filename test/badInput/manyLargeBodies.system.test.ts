import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request as open } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { validRequest } from '../support/gateway.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';
import { stepsOf } from '../support/provider/responseScript.ts';
import { streamSilent, textResponse } from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';
import { type ServiceProcess, startServiceProcess } from './support/serviceProcess.ts';

const MIB = 1_048_576;
/** The memory budget: half of the maximum heap, which is 128 MiB plus three times 8 for the young generation. */
const BUDGET_MIB = 76;
/** Connections, and garbage that is not yet collected: 55 to 95 MiB alone on the machine, 180 beside other tests. */
const OVERHEAD_MIB = 200;
/** Their bodies together are four times the budget. */
const CLIENTS = 40;
/** More than fit into the budget. */
const PROBE_CLIENTS = 12;
/** Bodies of 8 MiB that fit into the budget, of which three quarters are for large bodies. */
const CAPACITY = Math.floor((BUDGET_MIB * 0.75) / 8);

const large = Buffer.from(JSON.stringify({ ...validRequest, instructions: 'word '.repeat((8 * MIB) / 5) }));
const gzipped = gzipSync(large, { level: 1 });

const ways = {
  'with a Content-Length': { body: large, headers: { 'content-length': large.length } },
  'in chunks': { body: large, headers: {} },
  'that are small before decompression': {
    body: gzipped,
    headers: { 'content-encoding': 'gzip', 'content-length': gzipped.length },
  },
};
type Way = (typeof ways)[keyof typeof ways];

// Without `connection: close` a client can finish sending while it is rejected, and reads the response.
const agent = new Agent({ keepAlive: true });

let provider: Provider;
let service: ServiceProcess;
beforeAll(async () => {
  provider = await startProvider({ maxReceived: 10 });
  service = await startServiceProcess(provider, { flags: ['--max-old-space-size=128', '--max-semi-space-size=8'] });
  const script = textResponse();
  service.account.always({
    name: 'responds to small bodies',
    steps: (context) => (context.bytes > MIB ? [{ hold: true }] : stepsOf(script, context)),
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
  // The test disconnects.
  request.on('error', () => undefined);
  return request;
}

/** Sends many requests at once. The provider never responds to them. */
function sendMany(way: Way, clients = CLIENTS) {
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
  const accepted = () => service.account.inFlight;
  return {
    refusals,
    accepted,
    /** Resolves when each request was rejected or forwarded completely. */
    settled: () => vi.waitUntil(() => refusals.length + accepted() === clients, { ...waitOptions, timeout: 30_000 }),
    async disconnect() {
      for (const request of requests) request.destroy();
      await vi.waitUntil(() => accepted() === 0, waitOptions);
    },
  };
}

async function sendSmallBodies(): Promise<number[]> {
  const sendOne = async () => {
    const response = await fetch(`${service.url}/v1/responses`, { method: 'POST', body: JSON.stringify(validRequest) });
    await response.text();
    return response.status;
  };
  return Promise.all(Array.from({ length: 10 }, sendOne));
}

/** @returns the number of large bodies accepted; disconnects their clients, so that their memory is released */
async function measureCapacity(way: Way): Promise<number> {
  const { settled, accepted, disconnect } = sendMany(way, PROBE_CLIENTS);
  await settled();
  const acceptedCount = accepted();
  await disconnect();
  return acceptedCount;
}

test.each(Object.entries(ways))(
  'accepts large bodies %s up to the budget, and still serves small ones',
  {
    timeout: 120_000,
  },
  async (_how, way) => {
    await sendSmallBodies();
    const before = service.memoryNow() ?? 0;
    const { refusals, settled, accepted, disconnect } = sendMany(way);
    // Otherwise the held requests of a failed test would fill the budget of the following ones.
    onTestFinished(disconnect);
    await settled();
    const acceptedCount = accepted();
    expect(acceptedCount).toBeGreaterThan(3);
    expect(refusals.length).toBeGreaterThan(3);
    for (const refusal of refusals) {
      expect(refusal).toEqual({
        status: 503,
        retryAfter: '2',
        error: { message: expect.stringContaining('Retry shortly'), type: 'server_error', code: 'overloaded' },
      });
    }
    expect(new Set(await sendSmallBodies())).toEqual(new Set([200]));
    const peak = service.memoryPeak() ?? 0;
    process.stdout.write(`  accepted ${acceptedCount} of ${CLIENTS}; MiB before: ${before}, peak: ${peak}\n`);
    expect(peak - before).toBeLessThan(BUDGET_MIB + OVERHEAD_MIB);
    await disconnect();
    await expect.poll(() => measureCapacity(way), { timeout: 60_000 }).toBe(CAPACITY);
  },
);

test('releases the memory of clients that disconnect while sending', { timeout: 120_000 }, async () => {
  const way = ways['with a Content-Length'];
  const disconnectHalfway = async () => {
    const request = call(way);
    const rejected = once(request, 'response').catch(() => undefined);
    const sent = new Promise<void>((resolve) =>
      request.write(way.body.subarray(0, way.body.length / 2), () => resolve()),
    );
    await Promise.race([sent, rejected]);
    request.destroy();
  };
  for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: CLIENTS }, disconnectHalfway));
  await expect.poll(() => measureCapacity(way), { timeout: 60_000 }).toBe(CAPACITY);
});

test('releases a body when its response begins, so that all clients can stream at once', {
  timeout: 120_000,
}, async () => {
  const way = ways['with a Content-Length'];
  const before = service.memoryNow() ?? 0;
  const streams: ClientRequest[] = [];
  const openStream = async () => {
    const client = call(way, '/backend-api/svc/responses');
    client.end(way.body);
    const [response] = (await once(client, 'response')) as [IncomingMessage];
    if (response.statusCode === 200) streams.push(client);
    else client.destroy();
    return response.statusCode === 200;
  };
  service.account.next(streamSilent({ events: 5 }));
  // The memory of earlier clients is released once the service has logged that they disconnected.
  await vi.waitUntil(openStream, waitOptions);
  while (streams.length < CLIENTS) {
    service.account.next(streamSilent({ events: 5 }));
    expect(await openStream()).toBe(true);
  }
  expect(service.account.inFlight).toBe(CLIENTS);
  const now = service.memoryNow() ?? 0;
  process.stdout.write(`  ${CLIENTS} streams open; MiB before: ${before}, now: ${now}\n`);
  expect(now - before).toBeLessThan(BUDGET_MIB + OVERHEAD_MIB);
  for (const client of streams) client.destroy();
  await vi.waitUntil(() => service.account.inFlight === 0, waitOptions);
});

const MIB_OF = { words: 'word '.repeat(MIB / 5 - 100), zeros: Buffer.alloc(MIB - 1_000) };
function recording(field: string): FormData {
  const form = new FormData();
  form.set(field, new Blob([MIB_OF.zeros], { type: 'audio/webm' }), 'clip.webm');
  return form;
}

/** Each uses nearly 1 MiB, so 80 of them would exceed the budget. */
const ends: [what: string, status: number, path: string, init: () => RequestInit][] = [
  [
    'was served',
    200,
    '/v1/responses',
    () => ({ body: JSON.stringify({ ...validRequest, instructions: MIB_OF.words }) }),
  ],
  ['was invalid', 400, '/v1/responses', () => ({ body: JSON.stringify({ instructions: MIB_OF.words }) })],
  [
    'could not be decompressed',
    400,
    '/v1/responses',
    () => ({ body: MIB_OF.zeros, headers: { 'content-encoding': 'gzip' } }),
  ],
  ['was transcribed', 200, '/backend-api/transcribe', () => ({ body: recording('file') })],
  ['had its audio in another field', 400, '/backend-api/transcribe', () => ({ body: recording('another') })],
];

test.each(ends)('releases all memory of a request that %s', { timeout: 120_000 }, async (_what, status, path, init) => {
  const sendOne = async () => {
    const response = await fetch(service.url + path, { method: 'POST', ...init() });
    await response.text();
    return response.status;
  };
  const statuses = new Set<number>();
  for (let round = 0; round < 20; round++) {
    for (const each of await Promise.all([sendOne(), sendOne(), sendOne(), sendOne()])) statuses.add(each);
  }
  expect([...statuses]).toEqual([status]);
});

test('prints only that its memory was used up, and exits with 0', async () => {
  for (const line of service.output().split('\n')) expect(line).toMatch(/^$|code=memory_limit_reached/);
  expect(await service.stop()).toBe(0);
});
