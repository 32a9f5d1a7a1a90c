import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type UnusualRequest, unusualRequests } from './requests/unusualRequests.ts';
import { agentText } from './support/agentBody.ts';
import { PATHS } from './support/badRequest.ts';
import { expectedUpstreamBody } from './support/expectedUpstreamBody.ts';
import { exchangeBytes } from './support/rawHttp.ts';
import { reportsOf, upstreamRequests } from './support/sendBadRequests.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const requests: (UnusualRequest & { path: string })[] = Object.values(PATHS).flatMap((path) =>
  unusualRequests().map((request) => ({ ...request, path })),
);

test('forwards unusual but valid requests with their meaning unchanged', { timeout: 60_000 }, async () => {
  const problems: string[] = [];
  for (const request of requests) {
    const before = upstreamRequests(gateway);
    const { status, text } = await send(request);
    const name = `${request.name} on ${request.path}`;
    const received = gateway.provider.received.at(-1);
    if (status !== 200 || /"type":"(?:error|response\.failed)"/.test(text))
      problems.push(`${name}: got ${status} ${text.slice(0, 300)}`);
    else if (upstreamRequests(gateway) !== before + 1)
      problems.push(`${name}: reached the provider ${upstreamRequests(gateway) - before} times`);
    else if (!isDeepStrictEqual(received?.json, expectedUpstreamBody(JSON.parse(request.text))))
      problems.push(`${name}: became ${received?.decodedBody?.toString().slice(0, 1_000)}`);
  }
  process.stdout.write(`unusual requests forwarded: ${requests.length - problems.length} of ${requests.length}\n`);
  expect(problems).toEqual([]);
});

test('forwards a body of exactly 32 MiB', async () => {
  const body = `${agentText}${' '.repeat(32 * 1_048_576 - Buffer.byteLength(agentText))}`;
  const request = { name: 'exactly 32 MiB', text: body, path: PATHS.v1 };
  requests.push(request);
  expect(await send(request)).toMatchObject({ status: 200 });
});

test('logs each request with its status and model', async () => {
  const completed = gateway.events('RequestCompleted').map(({ data }) => data);
  expect(completed.map(({ model }) => model)).toEqual(requests.map(({ text }) => JSON.parse(text).model));
  expect(completed.filter(({ status }) => status !== '200')).toEqual([]);
  expect(gateway.events('RequestRefused')).toEqual([]);
  expect(reportsOf(gateway)).toEqual([]);
});

test('shows all requests in the request log', async () => {
  const rows = await gateway.logs('?limit=1000');
  expect(rows).toHaveLength(requests.length);
});

async function send({ path, text, headers, body, query = '', steps }: UnusualRequest & { path: string }) {
  if (steps) {
    const { responses } = await exchangeBytes(gateway.url, steps(path));
    return responses[0] ?? { status: 0, text: 'no response' };
  }
  const response = await fetch(gateway.url + path + query, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: (body ?? text) as NonNullable<RequestInit['body']>,
  });
  return { status: response.status, text: await response.text() };
}
