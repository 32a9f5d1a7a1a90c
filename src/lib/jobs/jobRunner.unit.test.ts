import { expect, test } from 'vitest';
import { type JobControl, JobRunner, JobRunning, type JobStart, JobsStopped } from './jobRunner.ts';

function stage(maxHistory?: number) {
  let id = 0;
  let time = 1_000;
  const reported: unknown[] = [];
  const jobs = new JobRunner<string>({
    newId: () => `job-${++id}`,
    now: () => time++,
    report: (error) => reported.push(error),
    ...(maxHistory !== undefined && { maxHistory }),
  });
  return { jobs, reported };
}

/** Work that ends when the test says so, or when it is cancelled. */
function controlled(kind = 'verify') {
  const end = Promise.withResolvers<Record<string, unknown>>();
  let control: JobControl | undefined;
  const started: JobStart<string> = {
    kind,
    actor: 'operator',
    run: (given) => {
      control = given;
      given.signal.addEventListener('abort', () => end.reject(new Error('cancelled')));
      return end.promise;
    },
  };
  return { started, end, control: () => control as JobControl };
}

test('runs a job and keeps its progress, times and result', async () => {
  const { jobs } = stage();
  const work = controlled();
  const { id } = jobs.start(work.started);
  expect(jobs.current).toMatchObject({ id, state: 'running', startedAt: 1_000, progress: { done: 0, of: undefined } });
  work.control().onProgress(3, 7, 'reading');
  expect(jobs.find(id)?.progress).toEqual({ done: 3, of: 7, step: 'reading' });
  work.end.resolve({ ok: true });
  await expect.poll(() => jobs.find(id)?.state).toBe('done');
  expect(jobs.find(id)).toEqual({
    id,
    kind: 'verify',
    state: 'done',
    actor: 'operator',
    startedAt: 1_000,
    endedAt: 1_001,
    progress: { done: 3, of: 7, step: 'reading' },
    result: { ok: true },
    error: undefined,
  });
  expect([jobs.current, jobs.last('verify')?.id, jobs.last('archive')]).toEqual([undefined, id, undefined]);
});

test('refuses a second job while one runs, and names that one', async () => {
  const { jobs } = stage();
  const first = controlled();
  const { id } = jobs.start(first.started);
  expect(() => jobs.start(controlled('evidence').started)).toThrow(
    new JobRunning(jobs.find(id) as NonNullable<ReturnType<typeof jobs.find>>),
  );
  first.end.resolve({});
  await expect.poll(() => jobs.current).toBeUndefined();
  expect(jobs.start(controlled('evidence').started).kind).toBe('evidence');
  await jobs.stop();
});

test('reports the error of a failed job and keeps its sentence without a stack trace', async () => {
  const { jobs, reported } = stage();
  const work = controlled();
  const { id } = jobs.start(work.started);
  const error = new Error(`The disk is full.${'x'.repeat(2_000)}`);
  work.end.reject(error);
  await expect.poll(() => jobs.find(id)?.state).toBe('failed');
  expect(jobs.find(id)?.error).toMatch(/^The disk is full\.x{983}\.\.\.$/);
  expect(reported).toEqual([error]);
});

test('treats work that throws before its first promise as failed', async () => {
  const { jobs } = stage();
  const { id } = jobs.start({
    kind: 'verify',
    actor: 'operator',
    run: () => {
      throw new Error('no log');
    },
  });
  await expect.poll(() => jobs.find(id)?.error).toBe('no log');
});

test('cancels the running job, and leaves an ended one as it is', async () => {
  const { jobs, reported } = stage();
  const { id } = jobs.start(controlled().started);
  expect((await jobs.cancel(id, 1_000))?.state).toBe('cancelled');
  expect(reported).toEqual([]);
  const other = controlled();
  const { id: done } = jobs.start(other.started);
  other.end.resolve({});
  await expect.poll(() => jobs.current).toBeUndefined();
  expect((await jobs.cancel(done, 1_000))?.state).toBe('done');
  expect(await jobs.cancel('unknown', 1_000)).toBeUndefined();
});

test('shows a job that does not heed its cancellation as running, and runs no other', async () => {
  const { jobs } = stage();
  const end = Promise.withResolvers<Record<string, unknown>>();
  const { id } = jobs.start({ kind: 'verify', actor: 'operator', run: () => end.promise });
  expect((await jobs.cancel(id, 1))?.state).toBe('running');
  expect(() => jobs.start(controlled().started)).toThrow(JobRunning);
  end.resolve({ ok: true });
  await expect.poll(() => jobs.find(id)?.state).toBe('done');
});

test('keeps as many ended jobs as allowed, latest first', async () => {
  const { jobs } = stage(2);
  for (let count = 0; count < 3; count++) {
    const work = controlled();
    jobs.start(work.started);
    work.end.resolve({});
    await expect.poll(() => jobs.current).toBeUndefined();
  }
  expect(jobs.all.map(({ id }) => id)).toEqual(['job-3', 'job-2']);
  expect(jobs.find('job-1')).toBeUndefined();
});

test('cancels the running job at the stop and begins no other', async () => {
  const { jobs } = stage();
  const { id } = jobs.start(controlled().started);
  await jobs.stop();
  expect(jobs.find(id)?.state).toBe('cancelled');
  expect(() => jobs.start(controlled().started)).toThrow(JobsStopped);
});
