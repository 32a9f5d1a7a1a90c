import { expect, onTestFinished, test, vi } from 'vitest';
import { archivableLog, rowsIn } from '../../../test/support/archives/archivableLog.ts';
import { NOW } from '../../../test/support/specification.ts';
import { Archiving } from '../../archive/archiving.ts';
import { restoreDay } from '../../archive/restoreDay.ts';
import { instant } from '../../domain/core/brands.ts';
import type { Actor } from '../../eventLog/eventLog.ts';
import { JobRunner } from '../../lib/jobs/jobRunner.ts';
import { startRetention } from './archiving.ts';

vi.setConfig({ testTimeout: 60_000 });

const DAY_MS = 86_400_000;
/** Requests of each hour of six days and some hours. */
const EVENTS = 150;
const KEPT_DAYS = 2;
const SOON = { timeout: 30_000, interval: 20 };
const dayAt = (time: number) => new Date(time).toISOString().slice(0, 10);

/** A log, its archives and the policy, which looks at the clock all the time. The history is random: its first day may have no request. */
async function policy({ days = KEPT_DAYS as number | null, holdsFirstDay = false } = {}) {
  const { logPath, folder, host } = await archivableLog(EVENTS);
  const daysInLog = () => [
    ...new Set(
      rowsIn(logPath)
        .filter(({ stream }) => stream.startsWith('requests-'))
        .map(({ time }) => dayAt(time)),
    ),
  ];
  const held = holdsFirstDay ? daysInLog().slice(0, 1) : [];
  const clock = {
    now: instant(NOW + 4 * DAY_MS),
    /** How often the policy has looked at the clock. */
    looks: 0,
    isTrusted: true,
    get isHeld() {
      this.looks += 1;
      return !this.isTrusted;
    },
  };
  const reported: unknown[] = [];
  const now = () => clock.now;
  const jobs = new JobRunner<Actor>({ newId: () => crypto.randomUUID(), now, report: (error) => reported.push(error) });
  const archiving = new Archiving({
    ...host,
    folder,
    now,
    holds: () =>
      held.map((day) => ({
        id: `hold of ${day}`,
        subject: null,
        from: instant(Date.parse(`${day}T00:00:00Z`)),
        until: instant(Date.parse(`${day}T23:59:59Z`)),
      })),
    whenFolded: async () => undefined,
  });
  const stop = startRetention(
    {
      config: { SVC_RETENTION_REQUEST_DAYS: days ?? undefined },
      clock: { limitClock: clock },
      jobs,
      now,
      report: (error) => reported.push(error),
    },
    archiving,
    { firstAfterMs: 1, intervalMs: 20 },
  );
  onTestFinished(async () => {
    stop();
    await jobs.stop();
  });
  const archivedDays = () => [
    ...new Set(
      archiving
        .segments()
        .filter(({ status }) => status === 'archived')
        .map(({ header }) => header.day),
    ),
  ];
  return { clock, jobs, reported, archivedDays, daysInLog, host, folder, logPath };
}

/** The days of requests that are older than the policy keeps, by a clock. */
const tooOld = (all: readonly string[], now: number) =>
  all.filter((day) => Date.parse(day) <= now - (KEPT_DAYS + 1) * DAY_MS);

test('archives each day when it becomes older than the policy keeps, and no other', async () => {
  const { clock, jobs, archivedDays, daysInLog, reported } = await policy();
  const all = daysInLog();
  for (let day = 0; day < 3; day += 1) {
    const expected = tooOld(all, clock.now);
    expect(expected.length).toBeGreaterThan(0);
    await vi.waitFor(() => expect(archivedDays()).toEqual(expected), SOON);
    await vi.waitFor(() => expect(daysInLog()).toEqual(all.filter((each) => !expected.includes(each))), SOON);
    await vi.waitFor(() => expect(jobs.current).toBeUndefined(), SOON);
    expect(jobs.last('archive')).toMatchObject({ state: 'done', actor: { kind: 'system' } });
    clock.now = instant(clock.now + DAY_MS);
  }
  expect(reported).toEqual([]);
});

test('archives nothing while the clock of the machine is not trusted, and keeps all without a policy', async () => {
  const held = await policy();
  held.clock.isTrusted = false;
  const open = await policy({ days: null });
  open.clock.now = instant(open.clock.now + 10 * DAY_MS);
  const lookAgain = () => {
    const { looks } = held.clock;
    return vi.waitFor(() => expect(held.clock.looks).toBeGreaterThan(looks + 3), SOON);
  };
  await lookAgain();
  // What began before the clock was distrusted is done; a day later nothing more is.
  await vi.waitFor(() => expect(held.jobs.current).toBeUndefined(), SOON);
  const before = held.archivedDays();
  held.clock.now = instant(held.clock.now + DAY_MS);
  await lookAgain();
  expect(held.archivedDays()).toEqual(before);
  expect([open.jobs.all, open.archivedDays(), open.clock.looks]).toEqual([[], [], 0]);
  held.clock.isTrusted = true;
  await vi.waitFor(() => expect(held.archivedDays().length).toBeGreaterThan(before.length), SOON);
});

test('waits for another job, and leaves days that are held and days that were restored', async () => {
  const { clock, jobs, archivedDays, daysInLog, host, folder, logPath, reported } = await policy({
    holdsFirstDay: true,
  });
  const all = daysInLog();
  const [held, second] = tooOld(all, clock.now) as [string, string];
  await vi.waitFor(() => expect(archivedDays()).toEqual(tooOld(all, clock.now).slice(1)), SOON);
  await vi.waitFor(() => expect(jobs.current).toBeUndefined(), SOON);
  await restoreDay({ host, folder, what: second });
  let end = () => {};
  const other = jobs.start({
    kind: 'verify',
    actor: host.actor,
    run: () => new Promise((resolve) => (end = () => resolve({}))),
  });
  clock.now = instant(clock.now + DAY_MS);
  const { looks } = clock;
  await vi.waitFor(() => expect(clock.looks).toBeGreaterThan(looks + 3), SOON);
  expect([jobs.current?.id, archivedDays().includes(tooOld(all, clock.now).at(-1) as string)]).toEqual([
    other.id,
    false,
  ]);
  end();
  await vi.waitFor(() => expect(archivedDays()).toContain(tooOld(all, clock.now).at(-1)), SOON);
  await vi.waitFor(() => expect(jobs.current).toBeUndefined(), SOON);
  expect([archivedDays().includes(held), archivedDays().includes(second)]).toEqual([false, false]);
  expect(rowsIn(logPath).some(({ time, stream }) => stream.startsWith('requests-') && dayAt(time) === second)).toBe(
    true,
  );
  expect(reported).toEqual([]);
});
