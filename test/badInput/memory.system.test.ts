import { afterAll, beforeAll, expect, test } from 'vitest';
import { validRequest } from '../support/gateway.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';
import { decompressionBombs } from './requests/tooLarge.ts';
import { type BadRequest, problemsOf } from './support/badRequest.ts';
import { type ServiceProcess, startServiceProcess } from './support/serviceProcess.ts';

let provider: Provider;
let service: ServiceProcess;
beforeAll(async () => {
  provider = await startProvider();
  service = await startServiceProcess(provider);
});
afterAll(async () => {
  await service.stop();
  await provider.close();
});

const upstreamRequests = () => provider.received.filter(({ path }) => path.includes('/codex/responses')).length;

let sent = 0;

async function send({ name, path, headers = {}, body, expected }: BadRequest): Promise<string[]> {
  sent++;
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers,
    body: body as NonNullable<RequestInit['body']>,
  });
  const rejection = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
  return expected ? problemsOf(rejection, expected).map((problem) => `${name}: ${problem}`) : [];
}

async function sendValid(): Promise<void> {
  const response = await fetch(`${service.url}/v1/responses`, { method: 'POST', body: JSON.stringify(validRequest) });
  expect(await response.text()).toContain('response.completed');
}

test('rejects decompression bombs and releases their memory', { timeout: 60_000 }, async () => {
  const all = decompressionBombs();
  for (let count = 0; count < 20; count++) await sendValid();
  const before = { upstreamRequests: upstreamRequests(), memory: service.memoryNow() ?? 0 };
  const problems: string[] = [];
  for (const bomb of all) problems.push(...(await send(bomb)));
  const afterOneRound = service.memoryNow() ?? 0;
  // The fast bombs again in sequence; below all of them at once.
  for (const bomb of all.slice(3)) problems.push(...(await send(bomb)));
  process.stdout.write(`MiB before: ${before.memory}, after: ${service.memoryNow()}, peak: ${service.memoryPeak()}\n`);
  expect((service.memoryPeak() ?? 0) - before.memory).toBeLessThan(500);
  expect((service.memoryNow() ?? 0) - afterOneRound).toBeLessThan(150);
  problems.push(...(await Promise.all(all.slice(3).map(send))).flat());
  expect(problems).toEqual([]);
  expect(upstreamRequests()).toBe(before.upstreamRequests);
  await sendValid();
});

test('logs each rejected request', async () => {
  const response = await fetch(`${service.url}/api/request-logs?status=413`);
  expect(((await response.json()) as { total: number }).total).toBe(sent);
});

test('prints nothing and exits with 0', async () => {
  expect(service.output()).toBe('');
  expect(await service.stop()).toBe(0);
});
