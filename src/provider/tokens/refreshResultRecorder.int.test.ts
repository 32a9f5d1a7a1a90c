import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { subjectOf } from '../../../projections/history.ts';
import { replicationTargetOverLog } from '../../../test/contract/replicationTargetOverLog.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { position } from '../../domain/core/brands.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import { createEventSink } from '../../eventLog/eventSink.ts';
import { openOutbox } from '../../eventLog/outbox/outbox.ts';
import { createCommandHandler } from '../../state/commands/commandHandler.ts';
import { startHotRunner } from '../../state/hotRunner.ts';
import { createTokenEndpoint } from '../client/tokenEndpoint.ts';
import { directCalls } from '../outgoingProxy/directCalls.support.ts';
import { type ProviderFixture, startFixture, TOKEN } from '../providerFixture.support.ts';
import { createAccessTokens } from './accessTokens.ts';
import { createRefreshResultRecorder } from './refreshResultRecorder.ts';

let fixture: ProviderFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.close());

/** Starts a node that records results in an outbox, over the same log as the fixture's node. */
async function startNodeWithOutbox() {
  const { log, vault, now, provider } = fixture;
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const store = replicationTargetOverLog(log);
  const path = join(folder.path, 'outbox.sqlite');
  const outbox = await openOutbox({
    path,
    node: 'test',
    store,
    maxEvents: 100,
    faults: collectFaults(),
    report: () => {},
  });
  const hot = await startHotRunner(log, (error) => expect.unreachable(error.message));
  await outbox.follow((events) => events.forEach(hot.applyBeforeLog));
  outbox.start();
  const sink = createEventSink({ log: outbox, node: 'test', boot: randomUUID().slice(0, 8), category: 'refreshes' });
  const tokens = createAccessTokens({
    hot,
    vault,
    now,
    handle: createCommandHandler({ log, hot, now }),
    newId: randomUUID,
    report: () => {},
    faults: collectFaults(),
    tokenEndpoint: createTokenEndpoint({ authBaseUrl: provider.authUrl, agentFor: directCalls, timeoutMs: 500 }),
    recordResult: createRefreshResultRecorder({ hot: hot.state, record: sink.record, now }),
  });
  onTestFinished(async () => {
    await tokens.stop();
    await outbox.close();
    hot.stop();
  });
  return { tokens, store, hot, outbox };
}

async function importAccount() {
  const at = fixture.provider.addAccount({ accessExpiresInSeconds: 3_600 });
  const id = await fixture.importAccount(at);
  return { at, id, calls: () => at.received.filter(({ path }) => path === TOKEN).length };
}

test('uses new tokens while the store is unavailable and delivers them to other nodes later', async () => {
  const { tokens, store, outbox } = await startNodeWithOutbox();
  const { at, id, calls } = await importAccount();
  await vi.waitUntil(() => tokens.headersFor(id) !== undefined, waitOptions);
  const used = tokens.headersFor(id)?.authorization;
  store.isUnreachable = true;
  expect(await tokens.refresh(id, 'unauthorized', used)).toBe('refreshed');
  const renewed = `Bearer ${at.tokens.current().accessToken}`;
  expect(tokens.headersFor(id)?.authorization).toBe(renewed);
  expect(fixture.node.tokens.headersFor(id)?.authorization).toBe(used);
  store.isUnreachable = false;
  await vi.waitUntil(() => outbox.pending === 0, { timeout: 5_000 });
  await vi.waitUntil(() => fixture.node.tokens.headersFor(id)?.authorization === renewed, waitOptions);
  expect(calls()).toBe(1);
});

test('uses the result of another node whose claim it waited for', async () => {
  const { tokens } = await startNodeWithOutbox();
  const { id, calls } = await importAccount();
  await vi.waitUntil(() => tokens.headersFor(id) !== undefined, waitOptions);
  const used = tokens.headersFor(id)?.authorization;
  const results = await Promise.all(
    [tokens, fixture.node.tokens].map((node) => node.refresh(id, 'unauthorized', used)),
  );
  expect(results.toSorted()).toEqual(['already', 'refreshed']);
  expect(calls()).toBe(1);
});

test('attributes each of several refreshes to the account in the history', async () => {
  const { tokens, hot } = await startNodeWithOutbox();
  const { id, calls } = await importAccount();
  await vi.waitUntil(() => tokens.headersFor(id) !== undefined, waitOptions);
  for (let round = 1; round <= 3; round += 1) {
    expect(await tokens.refresh(id, 'unauthorized', tokens.headersFor(id)?.authorization)).toBe('refreshed');
    expect(calls()).toBe(round);
  }
  const results: string[] = [];
  for await (const { stream, type, data } of fixture.log.readAll(position(0))) {
    const isResult = type === 'TokensRefreshed' && (data as { accountId: string }).accountId === id;
    if (isResult) results.push(`${stream.split('.')[0]} ${subjectOf(stream, { type, data } as KnownEvent)}`);
  }
  expect(results).toEqual(Array(results.length).fill(`refreshes-test accountTokens-${id}`));
  expect(hot.state.tokens.get(id)?.claim).toBeUndefined();
});
