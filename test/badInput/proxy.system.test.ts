import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { createRandom } from '../support/random.ts';
import { contentEncoding } from './requests/contentEncoding.ts';
import { framing } from './requests/framing.ts';
import { nesting } from './requests/nesting.ts';
import { notJson } from './requests/notJson.ts';
import { paths } from './requests/paths.ts';
import { oversized } from './requests/tooLarge.ts';
import { truncatedJson } from './requests/truncatedJson.ts';
import { unsupportedFields } from './requests/unsupportedFields.ts';
import { onSvcOnly, wrongTypes } from './requests/wrongTypes.ts';
import type { BadRequest } from './support/badRequest.ts';
import { differencesToLog } from './support/differencesToLog.ts';
import { head, sendAllBeforeReading } from './support/rawHttp.ts';
import { reportsOf, type SentRequest, sendBadRequests, summaryOf } from './support/sendBadRequests.ts';

const random = createRandom(20_261_121);
const folder = mkdtempSync(join(tmpdir(), 'svc-bad-input-'));
const consoleError = vi.spyOn(console, 'error');
const all: SentRequest[] = [];
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ folder, env: { SVC_WEBSOCKET: 'off' } });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const families: readonly [string, () => BadRequest[], number][] = [
  ['truncated JSON', () => truncatedJson(random), 90],
  ['every field with every invalid type', wrongTypes, 200],
  ['a body without required instructions', onSvcOnly, 5],
  ['unsupported fields and values', unsupportedFields, 40],
  ['100,000 levels at every position', nesting, 45],
  ['bodies that are not a JSON object', notJson, 200],
  ['bodies that do not match their Content-Encoding', () => contentEncoding(random), 80],
  ['bodies that are too large', oversized, 7],
  ['invalid HTTP', framing, 90],
  ['invalid paths, methods and upgrades', paths, 70],
];

test.each(families)('rejects %s', { timeout: 60_000 }, async (_name, make, minCount) => {
  const requests = make();
  expect(requests.length).toBeGreaterThanOrEqual(minCount);
  const { sentRequests, problems } = await sendBadRequests(gateway, requests);
  all.push(...sentRequests);
  expect(problems).toEqual([]);
});

test('responds to a client that reads only after it has sent everything', async () => {
  const megabytes = Buffer.alloc(40 * 1_048_576, ' ');
  const { status, sent } = await sendAllBeforeReading(gateway.url, [
    head({ headers: [['content-length', megabytes.length]] }),
    megabytes,
  ]);
  expect({ status, sent }).toEqual({ status: 413, sent: true });
});

test('reports nothing', () => {
  expect(reportsOf(gateway)).toEqual([]);
  expect(consoleError.mock.calls).toEqual([]);
});

test('logs or counts every refusal', async () => {
  // The error in an invalid body is found after the request has begun, so those may be in the log as well.
  const withoutResponse = all.filter(
    ({ response, request }) => !response || (request.steps && !request.isLogged),
  ).length;
  await gateway.stop();
  expect(differencesToLog(gateway, all, withoutResponse)).toEqual([]);
  process.stdout.write(`rejected ${summaryOf(all)}\n`);
  expect(all.length).toBeGreaterThan(400);
});
