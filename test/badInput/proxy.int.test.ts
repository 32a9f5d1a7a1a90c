import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { contentEncoding } from './requests/contentEncoding.ts';
import { cutJson } from './requests/cutJson.ts';
import { forbidden } from './requests/forbidden.ts';
import { framing } from './requests/framing.ts';
import { nesting } from './requests/nesting.ts';
import { notJson } from './requests/notJson.ts';
import { paths } from './requests/paths.ts';
import { oversized } from './requests/tooLarge.ts';
import { onSvcOnly, wrongTypes } from './requests/wrongTypes.ts';
import type { BadRequest } from './support/badRequest.ts';
import { complaintsOf, type Examined, examine, totalsOf } from './support/examine.ts';
import { differencesToLog } from './support/logged.ts';
import { createRandom } from './support/random.ts';
import { head, sendBeforeReading } from './support/wire.ts';

const random = createRandom(20_261_121);
const folder = mkdtempSync(join(tmpdir(), 'svc-bad-input-'));
const complained = vi.spyOn(console, 'error');
const all: Examined[] = [];
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ folder });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const families: readonly [string, () => BadRequest[], number][] = [
  ['JSON that is cut anywhere', () => cutJson(random), 90],
  ['every field with every wrong type', wrongTypes, 200],
  ['a body without instructions where they are required', onSvcOnly, 5],
  ['what is not supported', forbidden, 40],
  ['a hundred thousand levels at every place', nesting, 45],
  ['bodies that are no JSON object', notJson, 200],
  ['bodies that are not encoded as they say', () => contentEncoding(random), 80],
  ['bodies that are too large', oversized, 7],
  ['what is not quite HTTP', framing, 90],
  ['wrong paths, methods and upgrades', paths, 70],
];

test.each(families)('the proxy refuses %s', { timeout: 60_000 }, async (_name, make, least) => {
  const requests = make();
  expect(requests.length).toBeGreaterThanOrEqual(least);
  const { examined, problems } = await examine(gateway, requests);
  all.push(...examined);
  expect(problems).toEqual([]);
});

test('a client that reads only after it has sent everything gets its answer all the same', async () => {
  const megabytes = Buffer.alloc(40 * 1_048_576, ' ');
  const { status, sent } = await sendBeforeReading(gateway.url, [
    head({ headers: [['content-length', megabytes.length]] }),
    megabytes,
  ]);
  expect({ status, sent }).toEqual({ status: 413, sent: true });
});

test('nothing was said of it but what was answered', () => {
  expect(complaintsOf(gateway)).toEqual([]);
  expect(complained.mock.calls).toEqual([]);
});

test('every refusal is in the log or counted there', async () => {
  // So did those whose bodies were no HTTP: what is wrong with them is found out after the head was taken.
  const callersThatLeft = all.filter(({ answer, request }) => !answer || (request.steps && !request.isLogged)).length;
  await gateway.stop();
  expect(differencesToLog(gateway, all, callersThatLeft)).toEqual([]);
  process.stdout.write(`refused: ${totalsOf(all)}\n`);
  expect(all.length).toBeGreaterThan(400);
});
