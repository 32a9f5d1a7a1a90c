import { expect, test } from 'vitest';
import { completedRequest } from '../../../bench/startup/completedRequests.ts';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { startManagement } from '../../../test/support/management.ts';

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
