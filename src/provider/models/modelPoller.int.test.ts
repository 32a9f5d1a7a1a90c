import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SimulatedAccount } from '../../../test/support/provider/account.ts';
import { model, modelList } from '../../../test/support/provider/models.ts';
import {
  accessTokenRefused,
  connectionReset,
  json,
  noResponse,
  serverError,
} from '../../../test/support/provider/scripts.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { because, type ProviderFixture, startFixture } from '../providerFixture.support.ts';
import type { ModelPoller } from './modelPoller.ts';

const MODELS = '/backend-api/codex/models';
let fixture: ProviderFixture;
let poller: ModelPoller;
let plans = 0;
let plan: string;
beforeAll(async () => {
  fixture = await startFixture();
  poller = fixture.node.modelPoller();
});
beforeEach(() => {
  fixture.reports.length = 0;
  plan = `plan-${++plans}`;
});
afterAll(() => fixture.close());

async function addAccount(): Promise<{ at: SimulatedAccount; id: AccountId }> {
  const at = fixture.provider.addAccount({ plan });
  return { at, id: await fixture.importAccount(at) };
}
async function poll(id: AccountId): Promise<void> {
  poller.pollNow(id);
  await poller.whenIdle(10_000);
}
const catalogue = () => fixture.node.hot.state.models;
const slugs = () =>
  catalogue()
    .plans.get(plan)
    ?.map(({ slug }) => slug);
const asked = ({ received }: SimulatedAccount) => received.filter(({ path }) => path === MODELS);
const events = async () => {
  const types = [];
  for await (const { type } of fixture.log.readStream('modelCatalogue-main')) types.push(type);
  return types;
};

test('polls as an account of the plan and keeps the entries unchanged', async () => {
  const { at, id } = await addAccount();
  const odd = model('odd', { some_new_field: { deep: [1.5, null, 'x'] } });
  at.models.always(modelList([odd, model('second')]));
  await poll(id);
  expect(asked(at)).toMatchObject([
    {
      query: { client_version: '1.2.3' },
      headers: { 'chatgpt-account-id': at.id, 'user-agent': 'svc' },
    },
  ]);
  expect(slugs()).toEqual(['odd', 'second']);
  const [first] = catalogue().plans.get(plan) ?? [];
  expect(JSON.parse(catalogue().entries.get(first?.version ?? '') ?? '')).toEqual(odd);
});

test('appends no event without changes', async () => {
  const { id } = await addAccount();
  await poll(id);
  const before = await events();
  await poll(id);
  expect(await events()).toEqual(before);
});

describe('a plan keeps its models, and a report is made, when the provider', () => {
  test.each([
    ['fails', serverError(), 'could not be read: HTTP 500'],
    ['closes the connection', connectionReset(), 'could not be read: econnreset'],
    ['does not respond', noResponse(), 'could not be read: etimedout'],
    ['sends an empty list', modelList([]), 'are in an unknown format'],
    ['sends another object', json(200, { data: [] }), 'are in an unknown format'],
    ['sends HTML', json(200, '<html>'), 'are in an unknown format'],
  ])('%s', async (_what, script, report) => {
    const { at, id } = await addAccount();
    await poll(id);
    const before = slugs();
    expect(before?.length).toBeGreaterThan(0);
    at.models.always(script);
    await poll(id);
    expect(slugs()).toEqual(before);
    expect(fixture.reports).toEqual([expect.stringContaining(`The models of plan ${plan} ${report}`)]);
    at.models.always(modelList([model('again')]));
    await poll(id);
    expect(fixture.reports.slice(1)).toEqual([expect.stringMatching(/^Over after /)]);
  });
});

test('tries another account of the plan when the first fails', async () => {
  const first = await addAccount();
  const second = await addAccount();
  first.at.models.always(serverError());
  second.at.models.always(modelList([model('from-the-second')]));
  await poll(first.id);
  expect(slugs()).toEqual(['from-the-second']);
});

test('skips unusable accounts', async () => {
  const paused = await addAccount();
  await fixture.node.handle(subjects.account, paused.id, { type: 'PauseAccount', accountId: paused.id }, because);
  await poll(paused.id);
  expect(asked(paused.at)).toEqual([]);
  expect(slugs()).toBeUndefined();
});

test('replaces a refused token and repeats the call', async () => {
  const { at, id } = await addAccount();
  at.models.next(accessTokenRefused());
  await poll(id);
  expect(asked(at)).toHaveLength(2);
  expect(slugs()?.length).toBeGreaterThan(0);
});

test('omits entries without a valid name and keeps the first of two with the same', async () => {
  const { at, id } = await addAccount();
  const bad = [{ slug: '' }, { slug: 7 }, {}, null, 'text', { slug: 'x'.repeat(201) }, { slug: '\ud800' }];
  at.models.always(json(200, { models: [...bad, model('good'), model('good', { priority: 9 })] }));
  await poll(id);
  expect(slugs()).toEqual(['good']);
});

test('polls several plans in parallel and records all of them', async () => {
  const pool = [];
  for (let index = 0; index < 8; index++) {
    plan = `together-${index}`;
    const account = await addAccount();
    account.at.models.always(modelList([model(`model-${index}`)]));
    pool.push(account);
  }
  for (const { id } of pool) poller.pollNow(id);
  await poller.whenIdle(10_000);
  for (let index = 0; index < 8; index++) {
    expect(
      catalogue()
        .plans.get(`together-${index}`)
        ?.map(({ slug }) => slug),
    ).toEqual([`model-${index}`]);
  }
});

test('polls one account of each plan at an interval', async () => {
  const first = await addAccount();
  const second = await addAccount();
  // A response that comes too late would lead to the second account.
  const repeating = fixture.node.modelPoller({ everyMs: 30, timeoutMs: 10_000 });
  repeating.start();
  await vi.waitUntil(() => asked(first.at).length >= 2, waitOptions);
  await repeating.stop();
  expect(asked(second.at)).toEqual([]);
});

test('polls again soon when the log did not take the models', async () => {
  const { id } = await addAccount();
  fixture.onAppend('ModelsListed', async () => ({ kind: 'rejected', reason: 'the disk is full' }));
  const repeating = fixture.node.modelPoller({ retryMs: 10 });
  repeating.pollNow(id);
  await vi.waitUntil(() => fixture.reports.some((line) => line.startsWith('Over after')), waitOptions);
  expect(fixture.reports[0]).toContain(`The models of plan ${plan} could not be recorded: log_unavailable`);
  expect(slugs()?.length).toBeGreaterThan(0);
});

test('stops waiting for a poll after the timeout', async () => {
  const { at, id } = await addAccount();
  at.models.always(noResponse());
  poller.pollNow(id);
  await poller.whenIdle(20);
  expect(slugs()).toBeUndefined();
  await poller.whenIdle(10_000);
});
