import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readRows } from '../../test/histories/forged/forgedFiles.ts';
import { aFolder } from '../../test/histories/forged/honestLog.ts';
import { readBundle, signedFolder } from '../../test/support/evidence/bundles.ts';
import { aKey, vkeyOf } from '../../test/support/evidence/signedFolder.ts';

// Processes, browsers and threads wait for each other on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const START = fileURLToPath(new URL('../start.mjs', import.meta.url));
const run = promisify(execFile);

/** Runs a command of svc as its own process. */
async function svc(folder: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, SVC_DATA_DIR: folder };
  try {
    const { stdout, stderr } = await run(process.execPath, [START, ...args], { env });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

test('svc evidence writes a bundle that svc verify accepts anywhere, by its content', async () => {
  const folder = await signedFolder();
  const file = join(await aFolder(), 'no-suffix');
  const made = await svc(folder, 'evidence', '--since', '2025-01-01', '--until', '2026-12-31', file);
  expect(made).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Error') });
  expect(made.stdout).toContain(vkeyOf(aKey(1)));
  const elsewhere = await aFolder();
  const verified = await svc(elsewhere, 'verify', '--json', file);
  expect(verified.code).toBe(0);
  expect(JSON.parse(verified.stdout)).toEqual({
    ok: true,
    events: readRows(folder).length,
    root: expect.stringMatching(/^[0-9a-f]{64}$/),
    findings: [],
  });
  expect(verified.stderr).toContain('Nobody vouched for it');
  expect(verified.stderr).toContain('SHA256:');
  expect(readdirSync(elsewhere)).toEqual([]);
  const keyFile = join(elsewhere, 'checkpoint.pub');
  writeFileSync(keyFile, `${vkeyOf(aKey(1))}\n`);
  for (const key of [keyFile, vkeyOf(aKey(1))]) {
    const { code, stderr } = await svc(elsewhere, 'verify', '--public-key', key, file);
    expect([code, stderr.includes('signed by the key that was given')]).toEqual([0, true]);
  }
  expect((await svc(elsewhere, 'verify', '--public-key', vkeyOf(aKey(2)), file)).code).toBe(1);
  expect(await svc(elsewhere, 'verify', '--public-key', 'nonsense', file)).toMatchObject({ code: 2, stdout: '' });
});

test('svc verify compares a bundle with checkpoints that were published', async () => {
  const folder = await signedFolder();
  const other = await signedFolder({ sizes: [10] }, 2);
  const [file, otherFile] = [join(await aFolder(), 'evidence.zip'), join(await aFolder(), 'other.zip')];
  await svc(folder, 'evidence', '--since', '2025-01-01', file);
  await svc(other, 'evidence', '--since', '2025-01-01', otherFile);
  const publish = async (bundle: string) => {
    const published = await aFolder();
    for (const [name, note] of await readBundle(bundle)) {
      if (name.endsWith('.checkpoint')) writeFileSync(join(published, name.replace('/', '-')), note);
    }
    return published;
  };
  const own = await svc(folder, 'verify', '--checkpoints', await publish(file), file);
  expect([own.code, own.stderr]).toEqual([0, expect.stringContaining('is the one that was published')]);
  const forked = await svc(folder, 'verify', '--json', '--checkpoints', await publish(otherFile), file);
  expect([forked.code, JSON.parse(forked.stdout).findings]).toEqual([1, [expect.objectContaining({ kind: 'forked' })]]);
  expect(await svc(folder, 'verify', '--checkpoints', join(folder, 'missing'), file)).toMatchObject({ code: 2 });
}, 60_000);

test('svc verify ends with 1 for a changed bundle and with 2 for what is none', async () => {
  const folder = await signedFolder();
  const file = join(await aFolder(), 'evidence.zip');
  await svc(folder, 'evidence', '--since', '2025-01-01', file);
  const bytes = readFileSync(file);
  for (const [at, expected] of [
    [0, 2],
    [bytes.length >> 1, 1],
    [bytes.length - 1, 1],
  ] as const) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 1;
    writeFileSync(file, changed);
    const { code, stdout } = await svc(folder, 'verify', '--json', file);
    expect(code, `byte ${at}`).toBe(expected);
    if (code === 1) expect(JSON.parse(stdout).findings[0]).toMatchObject({ kind: 'edited', position: null });
  }
});

test.each([
  [['evidence']],
  [['evidence', 'file']],
  [['evidence', '--since', 'yesterday', 'file']],
  [['evidence', '--incident', 'file']],
  [['evidence', '--request', 'a', '--subject', 'b', 'file']],
  [['evidence', '--request', '', 'file']],
  [['evidence', '--since', '2026-01-01', 'file', 'another']],
])('svc %j prints the usage and ends with 2', async (args) => {
  expect(await svc(await aFolder(), ...args)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('evidence FILE'),
  });
});

test('svc evidence says in a sentence why it writes nothing', async () => {
  const folder = await signedFolder();
  const file = join(await aFolder(), 'evidence.zip');
  const nothing = await svc(folder, 'evidence', '--request', 'req_unknown', file);
  expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining('No event matches') });
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, 'mine');
  const there = await svc(folder, 'evidence', '--since', '2025-01-01', file);
  expect(there).toMatchObject({ code: 1, stderr: `${file} already exists. Name another file.\n` });
  const empty = await svc(await aFolder(), 'evidence', '--since', '2025-01-01', `${file}.2`);
  expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('set SVC_DATA_DIR to the data folder') });
});

const canMount = process.platform === 'linux' && process.getuid?.() === 0;

test.skipIf(!canMount)('svc evidence leaves nothing on a disk that is full (needs root for a tmpfs)', async () => {
  const folder = await signedFolder();
  const disk = join(await aFolder(), 'disk');
  mkdirSync(disk);
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'none', disk]).status === 0;
  if (!isMounted || statfsSync(disk).blocks > 100) return;
  onTestFinished(() => void spawnSync('umount', ['-l', disk]));
  const full = await svc(folder, 'evidence', '--since', '2025-01-01', join(disk, 'evidence.zip'));
  expect(full).toMatchObject({ code: 1, stderr: expect.stringMatching(/cannot be written: ENOSPC.*Make room/) });
  expect(readdirSync(disk)).toEqual([]);
});

test.skipIf(spawnSync('unzip', ['-v']).error !== undefined)('unzip reads a bundle (needs unzip)', async () => {
  const folder = await signedFolder();
  const file = join(await aFolder(), 'evidence.zip');
  await svc(folder, 'evidence', '--since', '2025-01-01', file);
  expect(spawnSync('unzip', ['-t', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  const digest = spawnSync('sh', ['-c', 'head -c -64 "$0" | sha256sum', file], { encoding: 'utf8' }).stdout.slice(
    0,
    64,
  );
  expect(readFileSync(file).subarray(-64).toString()).toBe(digest);
});
