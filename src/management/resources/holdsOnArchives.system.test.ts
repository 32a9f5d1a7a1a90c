import { expect, test } from 'vitest';
import { completedRequest } from '../../../bench/startup/completedRequests.ts';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { rowsIn } from '../../../test/support/archives/archivableLog.ts';
import { startManagement } from '../../../test/support/management.ts';
import { instant } from '../../domain/core/brands.ts';

const DAYS = 14;
const REQUESTS_PER_DAY = 300;
const DAY_MS = 86_400_000;
const FIRST = Date.UTC(2025, 11, 1);
const dayOf = (day: number) => new Date(FIRST + day * DAY_MS).toISOString().slice(0, 10);
const streamOf = (day: number) => `requests-n1.b1_${dayOf(day).replaceAll('-', '')}`;

test('a hold that is placed while days are archived stops the run before the next day', {
  timeout: 120_000,
}, async () => {
  const stage = await startManagement();
  let next = 1;
  for (let day = 0; day < DAYS; day += 1) {
    const events = Array.from({ length: REQUESTS_PER_DAY }, () => ({
      ...completedRequest(next++),
      time: instant(FIRST + day * DAY_MS),
    }));
    const { position } = await committed(stage.log.append(streamOf(day), -1, events));
    await stage.hot.whenFolded(position);
  }
  const days = Array.from({ length: DAYS }, (_, day) => dayOf(day));
  const rowsOf = (day: string) =>
    rowsIn(`${stage.folder}/log.sqlite`).filter(({ stream }) => stream.endsWith(`_${day.replaceAll('-', '')}`)).length;
  const archive = async () => {
    const { status, body } = await stage.call('POST', '/api/archives', { body: { until: '2025-12-31' } });
    expect(status).toBe(202);
    return body.id as string;
  };
  const job = async (id: string) => (await stage.call('GET', `/api/jobs/${id}`)).body;
  const ended = async (id: string) => {
    await expect.poll(async () => (await job(id)).state, { timeout: 60_000, interval: 20 }).not.toBe('running');
    return (await job(id)).result as { archived: { day: string }[]; kept: { day: string; reason: string }[] };
  };

  const running = await archive();
  await expect
    .poll(async () => (await stage.call('GET', '/api/archives')).body.length, { timeout: 60_000, interval: 5 })
    .toBeGreaterThan(0);
  const { body: hold } = await stage.call('POST', '/api/holds', { body: { reason: 'case 7' } });
  const { archived, kept } = await ended(running);
  expect([...archived, ...kept].map(({ day }) => day)).toEqual(days);
  expect(kept.length).toBeGreaterThan(0);
  for (const { day, reason } of kept) {
    expect(reason).toBe(`held by ${hold.id}`);
    expect(rowsOf(day)).toBe(REQUESTS_PER_DAY);
  }
  expect((await ended(await archive())).archived).toEqual([]);

  await stage.call('DELETE', `/api/holds/${hold.id}`, { body: { reason: 'case 7 is closed' } });
  const rest = await ended(await archive());
  expect([rest.archived.map(({ day }) => day), rest.kept]).toEqual([kept.map(({ day }) => day), []]);
  expect(days.map(rowsOf)).toEqual(days.map(() => 0));
});
