import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { fillDays } from '../../bench/archive/fillDays.ts';
import { openBackup } from '../../src/backup/format/readRecords.ts';
import { readBack } from '../../src/backup/make/readBack.ts';
import { openDataFolder } from '../../src/dataFolder/dataFolder.ts';
import { openSqliteVault } from '../../src/vault/sqliteVault.ts';
import { fullDisks } from '../durability/support/fullDisk.ts';
import { serve } from '../durability/support/serve.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { createRandom } from '../support/random.ts';
import { mustRun, runSvc, startSvc } from './support/runSvc.ts';
import { eventsIn, filesIn, positionIn } from './support/stage.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });

const KILLS = 6;
const REQUESTS = 8_000;
const NOW = Date.UTC(2026, 0, 2);
const random = createRandom(Date.now());

/** Starts a command and kills it after a part of the time that it takes. @returns whether it had ended before */
async function killed(folder: string, args: readonly string[], tookMs: number): Promise<boolean> {
  await using command = startSvc(folder, args);
  const ended = await Promise.race([
    command.ended.then(() => true),
    delay(random.between(0, Math.round(1.1 * tookMs))).then(() => false),
  ]);
  await command.kill();
  return ended;
}

async function timed<Result>(work: Promise<Result>): Promise<[Result, number]> {
  const began = performance.now();
  const result = await work;
  return [result, performance.now() - began];
}

async function eventsInBackup(file: string): Promise<number> {
  const { records } = await openBackup(file, undefined);
  return (await readBack(records())).events;
}

let folder: string;
let scratch: string;

/** A data folder with enough requests that a backup of it takes a while. */
beforeAll(async () => {
  const temporary = await tempDir('backup');
  folder = temporary.path;
  openDataFolder(folder).close();
  openSqliteVault({ folder }).close();
  fillDays(join(folder, 'log.sqlite'), { requests: REQUESTS, days: 1, now: NOW, print: () => undefined });
  return () => temporary[Symbol.asyncDispose]();
});

async function aScratchFolder(): Promise<(name: string) => string> {
  const temporary = await tempDir('interrupted');
  onTestFinished(() => temporary[Symbol.asyncDispose]());
  scratch = temporary.path;
  return (name) => join(scratch, name);
}

test('a backup that is killed leaves no file under its name but a whole one, and the next one succeeds', async () => {
  const at = await aScratchFolder();
  const [, tookMs] = await timed(mustRun(folder, ['backup', at('first')]));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const isEnded = await killed(folder, ['backup', at(`killed-${kill}`)], tookMs);
    const file = at(`killed-${kill}`);
    // The file gets its name some milliseconds before the process ends.
    if (isEnded || existsSync(file)) expect(await eventsInBackup(file)).toBe(eventsIn(folder).length);
  }
  const before = filesIn(folder);
  const made = await mustRun(folder, ['backup', at('killed-x')]);
  expect(filesIn(folder)).toEqual(before);
  expect(positionIn(made.stdout)).toBe(eventsIn(folder).length);
});

test('a restore that is killed leaves a folder in which no service starts, and the next restore succeeds', async () => {
  const at = await aScratchFolder();
  await mustRun(folder, ['backup', at('file')]);
  const [, tookMs] = await timed(mustRun(at('first'), ['restore', at('file')]));
  const places = new Set<string>();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const target = at(`target-${kill}`);
    mkdirSync(target);
    await killed(target, ['restore', at('file')], tookMs);
    const isRestored = existsSync(join(target, 'log.sqlite'));
    const isDraft = existsSync(join(target, 'restore.part'));
    places.add(`${isRestored} ${isDraft}`);
    if (isDraft) {
      await using service = serve({ folder: target });
      await expect(service.listening()).rejects.toThrow('A restore to');
    }
    if (!isRestored) await mustRun(target, ['restore', at('file')]);
    expect(eventsIn(target).slice(0, -1)).toEqual(eventsIn(folder));
    expect(existsSync(join(target, 'restore.part'))).toBe(false);
  }
  expect(places.size, [...places].join()).toBeGreaterThan(0);
});

test('files that are damaged, of another log, or out of order are refused by name, and nothing is left', async () => {
  const at = await aScratchFolder();
  await mustRun(folder, ['backup', at('full')]);
  await mustRun(folder, ['backup', at('increment'), '--since', at('full')]);
  await mustRun(folder, ['backup', at('other')]);
  const bytes = readFileSync(at('full'));
  writeFileSync(at('cut'), bytes.subarray(0, bytes.length - 1_000));
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
  writeFileSync(at('flipped'), bytes);
  for (const [files, reason] of [
    [['cut'], `${at('cut')} is damaged, cut or changed: chunk`],
    [['flipped'], `${at('flipped')} is damaged, cut or changed: chunk`],
    [['increment'], `${at('increment')} has only the events after position`],
    [['other', 'increment'], `${at('increment')} does not continue ${at('other')}`],
    [['full', 'other'], `${at('other')} continues no other backup`],
    [['full', 'none'], `${at('none')} cannot be read`],
  ] as const) {
    const target = at(`restored-${files.join('-')}`);
    const refused = await runSvc(target, ['restore', ...files.map(at)]);
    expect(refused.stderr.join('\n')).toContain(reason);
    expect([refused.exitCode, existsSync(target)]).toEqual([1, false]);
  }
  mkdirSync(at('used'));
  writeFileSync(at('used/notes.txt'), 'mine');
  const used = await runSvc(at('used'), ['restore', at('full')]);
  expect(used.stderr.join('\n')).toContain('is not empty: it has notes.txt');
  expect(readdirSync(at('used'))).toEqual(['notes.txt']);
  const again = await runSvc(folder, ['backup', at('full')]);
  expect(again.stderr.join('\n')).toContain('already exists');
  const nothing = await runSvc(at('used'), ['backup', at('nothing')]);
  expect(nothing.stderr.join('\n')).toContain('There is no log in');
  expect(existsSync(at('nothing'))).toBe(false);
});

describe.each(fullDisks('').slice(0, 1))('on a full disk', ({ reason, open }) => {
  const title = (claim: string) => (reason === undefined ? claim : `${claim} (skipped: ${reason})`);

  test.skipIf(reason !== undefined)(title('backup and restore say so and leave nothing'), async () => {
    const at = await aScratchFolder();
    await mustRun(folder, ['backup', at('file')]);
    const disk = await open();
    mkdirSync(at('disk'));
    disk.prepare(at('disk'));
    disk.fill();
    const backup = await runSvc(folder, ['backup', at('disk/file')]);
    expect(backup.stderr.join('\n')).toMatch(/disk\/file was not written: .*Make room on its disk/s);
    const restore = await runSvc(at('disk/data'), ['restore', at('file')]);
    expect(restore.stderr.join('\n')).toContain('Make room on its disk');
    expect([backup.exitCode, restore.exitCode]).toEqual([1, 1]);
    expect(readdirSync(at('disk'))).toEqual(['ballast']);
    disk.makeRoom();
    await mustRun(folder, ['backup', at('disk/file')]);
  });
});
