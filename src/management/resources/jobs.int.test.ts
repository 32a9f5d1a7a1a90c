import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startManagement } from '../../../test/support/management.ts';
import { LOCAL_ADMINISTRATOR } from '../../../test/support/operators.ts';
import { Refusal } from '../../domain/core/refusal.ts';
import type { JobControl } from '../../lib/jobs/jobRunner.ts';
import type { ManagementContext } from '../http/context.ts';
import { jobEntry, startJob } from '../http/jobs.ts';

const OPERATOR = { kind: 'operator', sessionId: null, address: '127.0.0.1', userAgent: null, usedTotp: false } as const;

/** Starts a job that runs until it is cancelled or `end` resolves. */
function startLongJob({ jobs }: Awaited<ReturnType<typeof startManagement>>) {
  const end = Promise.withResolvers<Record<string, unknown>>();
  const control = Promise.withResolvers<JobControl>();
  const { id } = jobs.start({
    kind: 'verify',
    actor: OPERATOR,
    run: (given) => {
      control.resolve(given);
      given.signal.addEventListener('abort', () => end.reject(given.signal.reason));
      return end.promise;
    },
  });
  return { id, end, control: control.promise };
}

test('shows a running job with its progress, and its result once it is done', async () => {
  const stage = await startManagement();
  const { id, end, control } = startLongJob(stage);
  (await control).onProgress(5_000, 10_000, 'checking hashes');
  const running = {
    id,
    kind: 'verify',
    state: 'running',
    actor: { ...LOCAL_ADMINISTRATOR, address: '127.0.0.1' },
    started_at: '2026-01-15T12:00:00.000Z',
    ended_at: null,
    progress: { done: 5_000, of: 10_000, step: 'checking hashes' },
    result: null,
    error: null,
  };
  expect((await stage.call('GET', `/api/jobs/${id}`)).body).toEqual(running);
  expect((await stage.call('GET', '/api/jobs')).body).toEqual({ jobs: [running] });
  end.resolve({ ok: true, findings: [] });
  const done = { ...running, state: 'done', ended_at: running.started_at, result: { ok: true, findings: [] } };
  await expect.poll(async () => (await stage.call('GET', `/api/jobs/${id}`)).body).toEqual(done);
});

test('shows in a sentence why a job failed, and reports the error to the operator', async () => {
  const stage = await startManagement();
  const { id, end } = startLongJob(stage);
  const error = new Error('The log ends before position 7.');
  end.reject(error);
  await expect
    .poll(async () => (await stage.call('GET', `/api/jobs/${id}`)).body)
    .toMatchObject({ state: 'failed', error: 'The log ends before position 7.', result: null });
  expect(stage.reported).toEqual([error]);
});

test('cancels a job, again without effect', async () => {
  const stage = await startManagement();
  const { id } = startLongJob(stage);
  for (let attempt = 0; attempt < 2; attempt++) {
    const { status, body } = await stage.call('DELETE', `/api/jobs/${id}`);
    expect([status, body.state]).toEqual([200, 'cancelled']);
  }
});

test.each(['GET', 'DELETE'])('refuses to %s a job that the node does not know', async (method) => {
  const stage = await startManagement();
  const { status, body } = await stage.call(method, '/api/jobs/unknown');
  expect([status, body.error.code]).toEqual([404, 'job_not_found']);
  expect(body.error.message).toMatch(/^This node knows no job unknown\./);
});

test('starts one job at a time for the client of a route, and none while the service stops', async () => {
  const { jobs, vault, directory } = await startManagement();
  const address = vault.seal(await vault.createKey('client'), '203.0.113.9');
  const ctx = { status: 200, state: { cause: { actor: { ...OPERATOR, address } } } } as never as ManagementContext;
  const run = ({ signal }: JobControl) => once(signal, 'abort').then(() => Promise.reject(signal.reason));
  const job = startJob(ctx, { jobs, vault, directory }, { kind: 'evidence', run });
  expect([ctx.status, job]).toEqual([
    202,
    jobEntry(jobs.current as NonNullable<typeof jobs.current>, { vault, directory }),
  ]);
  expect(job.actor).toMatchObject({ kind: 'operator', address: '203.0.113.9' });
  const again = () => startJob(ctx, { jobs, vault, directory }, { kind: 'verify', run });
  expect(again).toThrow(new Refusal('job_running', { jobId: job.id, kind: 'evidence' }));
  await jobs.stop();
  expect(again).toThrow(new Refusal('shutting_down'));
});
