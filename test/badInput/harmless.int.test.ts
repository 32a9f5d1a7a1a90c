import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Harmless, harmless } from './requests/harmless.ts';
import { agentText } from './support/agentBody.ts';
import { PATHS } from './support/badRequest.ts';
import { asked, complaintsOf } from './support/examine.ts';
import { forwarded } from './support/forwarded.ts';
import { converse } from './support/wire.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const requests: (Harmless & { path: string })[] = Object.values(PATHS).flatMap((path) =>
  harmless().map((request) => ({ ...request, path })),
);

test('what is only odd reaches the provider with its meaning unchanged', { timeout: 60_000 }, async () => {
  const problems: string[] = [];
  for (const request of requests) {
    const before = asked(gateway);
    const { status, text } = await send(request);
    const name = `${request.name} on ${request.path}`;
    const received = gateway.provider.received.at(-1);
    if (status !== 200 || /"type":"(?:error|response\.failed)"/.test(text))
      problems.push(`${name}: answered ${status} ${text.slice(0, 300)}`);
    else if (asked(gateway) !== before + 1)
      problems.push(`${name}: reached the provider ${asked(gateway) - before} times`);
    else if (!isDeepStrictEqual(received?.json, forwarded(JSON.parse(request.text))))
      problems.push(`${name}: became ${received?.decodedBody?.toString().slice(0, 1_000)}`);
  }
  process.stdout.write(`odd requests that passed: ${requests.length - problems.length} of ${requests.length}\n`);
  expect(problems).toEqual([]);
});

test('a body of exactly 32 MiB passes', async () => {
  const body = `${agentText}${' '.repeat(32 * 1_048_576 - Buffer.byteLength(agentText))}`;
  const request = { name: 'exactly 32 MiB', text: body, path: PATHS.v1 };
  requests.push(request);
  expect(await send(request)).toMatchObject({ status: 200 });
});

test('each of them is in the log as it was answered, with the model that it named', async () => {
  const completed = gateway.events('RequestCompleted').map(({ data }) => data);
  expect(completed.map(({ model }) => model)).toEqual(requests.map(({ text }) => JSON.parse(text).model));
  expect(completed.filter(({ status }) => status !== '200')).toEqual([]);
  expect(gateway.events('RequestRefused')).toEqual([]);
  expect(complaintsOf(gateway)).toEqual([]);
});

test('the request log can show all of them', async () => {
  const rows = await gateway.logs('?limit=1000');
  expect(rows).toHaveLength(requests.length);
});

async function send({ path, text, headers, body, query = '', steps }: Harmless & { path: string }) {
  if (steps) {
    const { answers } = await converse(gateway.url, steps(path));
    return answers[0] ?? { status: 0, text: 'nothing' };
  }
  const response = await fetch(gateway.url + path + query, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: (body ?? text) as NonNullable<RequestInit['body']>,
  });
  return { status: response.status, text: await response.text() };
}
