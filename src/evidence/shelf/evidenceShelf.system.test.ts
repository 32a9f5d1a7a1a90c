import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { aFolder } from '../../../test/histories/forged/honestLog.ts';
import { signedFolder } from '../../../test/support/evidence/bundles.ts';
import type { JobControl } from '../../lib/jobs/jobRunner.ts';
import { EvidenceShelf, type EvidenceShelfOptions } from './evidenceShelf.ts';

// Processes, browsers and threads wait for each other on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

async function aShelf(options: Partial<EvidenceShelfOptions> = {}) {
  const folder = await signedFolder();
  const parent = await aFolder();
  const clock = { now: Date.UTC(2026, 0, 1) };
  const shelf = new EvidenceShelf({
    folder,
    logName: 'log.sqlite',
    newId: randomUUID,
    now: () => clock.now,
    parent,
    ...options,
  });
  onTestFinished(() => shelf.close());
  /** Paths of the files that the shelf has. */
  const files = () =>
    readdirSync(parent, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.zip'));
  return { shelf, clock, files, parent };
}

const control = (signal = new AbortController().signal): JobControl => ({ signal, onProgress: () => undefined });

test('removes a bundle after an hour, and all of them when it closes', async () => {
  const { shelf, clock, files, parent } = await aShelf();
  const first = await shelf.make({}, {}, control());
  expect(existsSync(first.path)).toBe(true);
  clock.now += 1_800_000;
  const second = await shelf.make({}, {}, control());
  clock.now += 1_800_001;
  expect([shelf.find(first.id), shelf.find(second.id)?.name]).toEqual([undefined, 'evidence-20260101T003000Z.zip']);
  expect(files()).toHaveLength(1);
  await shelf.close();
  expect(readdirSync(parent)).toEqual([]);
});

test('leaves nothing of a bundle that was cancelled, and makes the next one', async () => {
  const { shelf, files } = await aShelf();
  const cancelling = new AbortController();
  const making = shelf.make({}, {}, { ...control(cancelling.signal), onProgress: () => cancelling.abort() });
  await expect(making).rejects.toThrow('aborted');
  await expect(shelf.make({}, {}, control(cancelling.signal))).rejects.toThrow('aborted');
  expect(files()).toEqual([]);
  expect(await shelf.make({}, {}, control())).toMatchObject({ firstPosition: 1, uncovered: 0 });
});

test('refuses a bundle that is larger than it keeps', async () => {
  const { shelf, files } = await aShelf({ limits: { bytes: 20_000 } });
  await expect(shelf.make({}, {}, control())).rejects.toThrow('make it with "svc evidence"');
  expect(files()).toEqual([]);
});

test('makes its folder again when it was cleaned away', async () => {
  const { shelf, parent } = await aShelf();
  const first = await shelf.make({}, {}, control());
  const { rmSync } = await import('node:fs');
  for (const name of readdirSync(parent)) rmSync(join(parent, name), { recursive: true });
  expect(existsSync(first.path)).toBe(false);
  const second = await shelf.make({}, {}, control());
  expect(existsSync(second.path)).toBe(true);
});
