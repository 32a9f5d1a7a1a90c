import { expect, test } from 'vitest';
import { completedRequest } from '../../../bench/startup/completedRequests.ts';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { browser, setUp } from '../../../test/support/browser.ts';
import { completed, startManagement } from '../../../test/support/management.ts';
import { type AccountId, instant, position } from '../../domain/core/brands.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import type { Attempt } from '../../domain/request/events.ts';

type Stage = Awaited<ReturnType<typeof startManagement>>;

async function ended(stage: Stage, id: string) {
  const job = async () => (await stage.call('GET', `/api/jobs/${id}`)).body;
  await expect.poll(async () => (await job()).state, { timeout: 20_000 }).not.toBe('running');
  return job();
}

test('archives and restores a day as jobs, and answers archived with the name of the file', async () => {
  const stage = await startManagement();
  const requests = Array.from({ length: 5 }, (_, index) => completedRequest(index + 1));
  const { position } = await committed(stage.log.append('requests-n1.b1_20260101', -1, requests));
  await stage.hot.whenFolded(position);
  expect((await stage.call('GET', '/api/archives')).body).toEqual([]);
  for (const body of [{}, { until: '2026-1-1' }, { until: '2026-01-01', days: 3 }, { what: 1 }]) {
    expect((await stage.call('POST', '/api/archives', { body })).status).toBe(400);
  }
  const started = await stage.call('POST', '/api/archives', { body: { until: '2026-01-02' } });
  expect([started.status, started.body.kind]).toEqual([202, 'archive']);
  const { state, result, error } = await ended(stage, started.body.id);
  expect([state, error]).toEqual(['done', null]);
  expect(result).toMatchObject({ archived: [{ day: '2026-01-01', events: 5 }], kept: [] });
  const [{ file }] = result.archived;
  expect((await stage.call('GET', '/api/archives')).body).toMatchObject([
    { day: '2026-01-01', state: 'archived', events: 5, types: { RequestCompleted: 5 }, file: { name: file } },
  ]);
  const gone = await stage.call('GET', `/api/history/${position}`);
  expect(gone.status).toBe(410);
  expect(JSON.stringify(gone.body)).toContain(file);
  const refused = await stage.call('POST', '/api/archives/2026-01-02/restore');
  expect(refused.status).toBe(404);
  const restoring = await stage.call('POST', '/api/archives/2026-01-01/restore');
  expect((await ended(stage, restoring.body.id)).result).toMatchObject({ restored: [{ day: '2026-01-01' }] });
  expect((await stage.call('GET', '/api/archives')).body).toMatchObject([{ state: 'restored' }]);
  expect((await stage.call('GET', `/api/history/${position}`)).status).toBe(200);
});

const DAY_MS = 86_400_000;

/** Requests of a day that is over, of which one was made with an API key, and one of today. */
async function archivedRequests() {
  const stage = await startManagement();
  const { body: key } = await stage.call('POST', '/api/api-keys', { body: { name: 'one' } });
  const { body: other } = await stage.call('POST', '/api/api-keys', { body: { name: 'two' } });
  const day = new Date(stage.now() - 2 * DAY_MS).toISOString().slice(0, 10);
  const ids = ['a', 'b', 'c'].map((digit) => `req_${digit.repeat(32)}`) as [string, string, string];
  const [own, keyless, late] = ids;
  const ends = [
    completed({ requestId: own, keyId: key.id }),
    completed({ requestId: keyless, keyId: null }),
    // Its decision was taken from a state that follows from an archived event.
    completed({ requestId: late, keyId: key.id, attempts: [attemptDecidedAt(3)] }),
  ];
  const events = ends.map((event, index) => ({
    ...(event as KnownEvent),
    id: crypto.randomUUID(),
    time: instant(stage.now() - 2 * DAY_MS + index),
    actor: { kind: 'anonymous' } as const,
    correlationId: ids[index] as string,
  }));
  await committed(stage.log.append(`requests-n1.b1_${day.replaceAll('-', '')}`, -1, events.slice(0, 2)));
  const today = new Date(stage.now()).toISOString().slice(0, 10);
  const { position } = await committed(
    stage.log.append(`requests-n1.b1_${today.replaceAll('-', '')}`, -1, events.slice(2)),
  );
  await stage.hot.whenFolded(position);
  const started = await stage.call('POST', '/api/archives', { body: { until: day } });
  const { result } = await ended(stage, started.body.id);
  const [{ file }] = result.archived;
  return { stage, day, file: file as string, own, keyless, late, key, other, position };
}

const attemptDecidedAt = (decidedAt: number): Attempt => ({
  decidedAt: position(decidedAt),
  asOf: instant(0),
  v: 1,
  accountId: 'acc_1' as AccountId,
  startedAt: instant(0),
  endedAt: instant(1),
  outcome: 'ok',
});

test('gives receipts of archived requests by their ids, also to the key that made them', async () => {
  const { stage, own, keyless, key, other, position: last } = await archivedRequests();
  for (const name of [own, keyless]) {
    const { status, body } = await stage.call('GET', `/api/receipts/${name}`);
    expect([status, JSON.parse(body.entry ?? '{}').correlationId]).toEqual([200, name]);
    expect((await stage.call('GET', `/api/receipts/${body.index + 1}`)).body.entry).toBe(body.entry);
  }
  await setUp(stage);
  const read = async (name: string | number, secret: string) =>
    (await browser(stage).call('GET', `/api/receipts/${name}`, { headers: { authorization: `Bearer ${secret}` } }))
      .status;
  expect([await read(own, key.key), await read(last - 2, key.key)]).toEqual([200, 200]);
  expect([await read(keyless, key.key), await read(last - 1, key.key)]).toEqual([404, 404]);
  expect([await read(own, other.key), await read(last - 2, other.key)]).toEqual([404, 404]);
});

test('answers archived with the name of the file where a request or its decisions would be read', {
  timeout: 60_000,
}, async () => {
  const { stage, day, file, own, late } = await archivedRequests();
  const calls = [
    () => stage.call('GET', `/api/requests/${own}/explain`),
    () => stage.call('GET', `/api/requests/${late}/explain`),
    () => stage.call('POST', '/api/evidence', { body: { requests: [late, own] } }),
  ];
  for (const each of calls) {
    const { status, body } = await each();
    expect([status, body.error.code]).toEqual([410, 'archived']);
    expect(body.error.message).toContain(file);
    expect(body.error.message).toContain(day);
  }
  const unknown = await stage.call('GET', `/api/requests/req_${'f'.repeat(32)}/explain`);
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'request_not_found']);
  const restoring = await stage.call('POST', `/api/archives/${day}/restore`);
  await ended(stage, restoring.body.id);
  // The read models are made again with the rows that are back.
  await expect.poll(async () => (await calls[0]?.())?.status, { timeout: 30_000 }).toBe(200);
  expect(stage.reported).toEqual([]);
});

test('figures count archived days before a moment, and name the file of those with later events', {
  timeout: 60_000,
}, async () => {
  const stage = await startManagement();
  const days = [4, 3, 2].map((age) => instant(stage.now() - age * DAY_MS));
  const ends: number[] = [];
  for (const time of days) {
    const day = new Date(time).toISOString().slice(0, 10);
    const events = Array.from({ length: 300 }, (_, index) => ({
      ...(completed({ requestId: `${day} ${index}`, requestedAt: instant(time + index) }) as KnownEvent),
      id: crypto.randomUUID(),
      time: instant(time + index + 1_200),
      actor: { kind: 'anonymous' } as const,
      correlationId: day,
    }));
    const { position } = await committed(stage.log.append(`requests-n1.b1_${day.replaceAll('-', '')}`, -1, events));
    ends.push(position);
  }
  await stage.hot.whenFolded(position(ends.at(-1) as number));
  const [first, second] = days.map((time) => new Date(time).toISOString().slice(0, 10));
  const since = new Date((days[0] as number) - DAY_MS).toISOString();
  const figures = async (at: number) => {
    const { status, body } = await stage.call('GET', `/api/usage/breakdown?group_by=model&since=${since}&at=${at}`);
    return { status, body, requests: body.total?.requests, archived: body.archived?.map(({ day }: never) => day) };
  };
  const middleOf = (index: number) => (ends[index] as number) - 150;
  expect([(await figures(middleOf(0))).requests, (await figures(middleOf(2))).requests]).toEqual([150, 750]);

  const started = await stage.call('POST', '/api/archives', { body: { until: second } });
  const { result } = await ended(stage, started.body.id);
  expect(result.archived.map(({ day }: { day: string }) => day)).toEqual([first, second]);
  for (const index of [0, 1]) {
    const { status, body } = await figures(middleOf(index));
    expect([status, body.error?.code]).toEqual([410, 'archived']);
    expect(result.archived.some(({ file }: { file: string }) => body.error.message.includes(file))).toBe(true);
    for (const path of ['dashboard/overview', 'dashboard/trends', 'usage/summary', 'usage/history']) {
      const others = await stage.call('GET', `/api/${path}?at=${middleOf(index)}`);
      expect([path, others.status, others.body.error?.code]).toEqual([path, 410, 'archived']);
    }
  }
  expect(await figures(middleOf(2))).toMatchObject({ requests: 750, archived: [first, second] });

  // A day is back while a later one is still archived.
  const restoring = await stage.call('POST', `/api/archives/${first}/restore`);
  await ended(stage, restoring.body.id);
  await expect
    .poll(async () => (await stage.call('GET', '/api/request-logs')).body.total, { timeout: 30_000 })
    .toBe(600);
  for (const index of [0, 1]) {
    const { status, body } = await figures(middleOf(index));
    expect([status, body.error?.code]).toEqual([410, 'archived']);
    expect(body.error.message).toContain(result.archived[1].file);
  }
  expect(await figures(middleOf(2))).toMatchObject({ requests: 750, archived: [second] });
});
