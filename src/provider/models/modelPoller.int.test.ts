import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { patiently } from '../../../test/support/patiently.ts';
import type { SimulatedAccount } from '../../../test/support/provider/account.ts';
import { model, modelList } from '../../../test/support/provider/models.ts';
import {
  json,
  neverAnswers,
  resetConnection,
  serverError,
  unauthorized,
} from '../../../test/support/provider/scripts.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { because, type Stage, setStage } from '../stage.support.ts';
import type { ModelPoller } from './modelPoller.ts';

const MODELS = '/backend-api/codex/models';
let stage: Stage;
let poller: ModelPoller;
let plans = 0;
let plan: string;
beforeAll(async () => {
  stage = await setStage();
  poller = stage.node.modelPoller();
});
beforeEach(() => {
  stage.reports.length = 0;
  plan = `plan-${++plans}`;
});
afterAll(() => stage.close());

async function addAccount(): Promise<{ at: SimulatedAccount; id: AccountId }> {
  const at = stage.provider.addAccount({ plan });
  return { at, id: await stage.importAccount(at) };
}
async function poll(id: AccountId): Promise<void> {
  poller.pollNow(id);
  await poller.whenIdle(10_000);
}
const catalogue = () => stage.node.hot.state.models;
const slugs = () =>
  catalogue()
    .plans.get(plan)
    ?.map(({ slug }) => slug);
const asked = ({ received }: SimulatedAccount) => received.filter(({ path }) => path === MODELS);
const events = async () => {
  const types = [];
  for await (const { type } of stage.log.readStream('modelCatalogue-main')) types.push(type);
  return types;
};

test('a poll asks as an account of the plan and keeps each entry as it came', async () => {
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

test('what says nothing new leaves nothing behind', async () => {
  const { id } = await addAccount();
  await poll(id);
  const before = await events();
  await poll(id);
  expect(await events()).toEqual(before);
});

describe('a plan keeps what is known of it when the provider', () => {
  test.each([
    ['fails', serverError(), 'HTTP 500'],
    ['hangs up', resetConnection(), 'could not be read: econnreset'],
    ['does not answer', neverAnswers(), 'could not be read: etimedout'],
    ['has none', modelList([]), 'are not in a form that we know'],
    ['says something else', json(200, { data: [] }), 'are not in a form that we know'],
    ['is a page', json(200, '<html>'), 'are not in a form that we know'],
  ])('%s, and the operator hears of it', async (_what, script, report) => {
    const { at, id } = await addAccount();
    await poll(id);
    const before = slugs();
    expect(before?.length).toBeGreaterThan(0);
    at.models.always(script);
    await poll(id);
    expect(slugs()).toEqual(before);
    expect(stage.reports).toEqual([`the models of the plan ${plan}: ${report}`]);
  });
});

test('another account of the plan is asked when the first cannot say', async () => {
  const first = await addAccount();
  const second = await addAccount();
  first.at.models.always(serverError());
  second.at.models.always(modelList([model('from-the-second')]));
  await poll(first.id);
  expect(slugs()).toEqual(['from-the-second']);
});

test('accounts that cannot be used are not asked', async () => {
  const paused = await addAccount();
  await stage.node.handle(subjects.account, paused.id, { type: 'PauseAccount', accountId: paused.id }, because);
  await poll(paused.id);
  expect(asked(paused.at)).toEqual([]);
  expect(slugs()).toBeUndefined();
});

test('a refused token is replaced, and the account asked again', async () => {
  const { at, id } = await addAccount();
  at.models.next(unauthorized());
  await poll(id);
  expect(asked(at)).toHaveLength(2);
  expect(slugs()?.length).toBeGreaterThan(0);
});

test('entries without a usable name are left out, and of two with one name the first stays', async () => {
  const { at, id } = await addAccount();
  const bad = [{ slug: '' }, { slug: 7 }, {}, null, 'text', { slug: 'x'.repeat(201) }, { slug: '\ud800' }];
  at.models.always(json(200, { models: [...bad, model('good'), model('good', { priority: 9 })] }));
  await poll(id);
  expect(slugs()).toEqual(['good']);
});

test('several plans are asked at once and none is lost', async () => {
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

test('a round asks one account of each plan, and the next one follows by itself', async () => {
  const first = await addAccount();
  const second = await addAccount();
  const repeating = stage.node.modelPoller({ everyMs: 30 });
  repeating.start();
  await vi.waitUntil(() => asked(first.at).length >= 2, patiently);
  await repeating.stop();
  expect(asked(second.at)).toEqual([]);
});

test('waiting for it has an end', async () => {
  const { at, id } = await addAccount();
  at.models.always(neverAnswers());
  poller.pollNow(id);
  await poller.whenIdle(20);
  expect(slugs()).toBeUndefined();
  await poller.whenIdle(10_000);
});
