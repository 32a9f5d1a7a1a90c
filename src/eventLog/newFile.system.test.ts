import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../test/contract/tempFolder.ts';
import { writeNewFile } from './newFile.ts';

async function aFolder(): Promise<string> {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

/** A process that has begun to write a file and goes on until it is ended. */
async function startWriting(file: string) {
  const program = `
    import { writeNewFile } from ${JSON.stringify(new URL('./newFile.ts', import.meta.url).href)};
    await writeNewFile(${JSON.stringify(file)}, async (target) => {
      await target.appendFile('begun');
      console.log('writing');
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const ended = once(child, 'exit').then(([exitCode]) => exitCode as number | null);
  return { child, ended };
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s removes the file that a command has begun', async (signal, expected) => {
  const folder = await aFolder();
  const { child, ended } = await startWriting(join(folder, 'export'));
  expect(await readdir(folder)).toEqual(['export.part']);
  child.kill(signal);
  expect(await ended).toBe(expected);
  expect(await readdir(folder)).toEqual([]);
});

test('replaces what a killed command has left', async () => {
  const folder = await aFolder();
  const file = join(folder, 'export');
  const { child, ended } = await startWriting(file);
  child.kill('SIGKILL');
  await ended;
  await writeNewFile(file, (target) => target.appendFile('whole'));
  expect(await readdir(folder)).toEqual(['export']);
  expect(await readFile(file, 'utf8')).toBe('whole');
});

test('does not write through a link in the place of the draft', async () => {
  const folder = await aFolder();
  const [file, other] = [join(folder, 'export'), join(folder, 'other')];
  await writeFile(other, 'of another user', { mode: 0o666 });
  await symlink(other, `${file}.part`);
  await writeNewFile(file, (target) => target.appendFile('secret'));
  expect(await readFile(other, 'utf8')).toBe('of another user');
});

test('neither takes nor removes what another process has begun under the same name', async () => {
  const folder = await aFolder();
  const file = join(folder, 'export');
  const writing = writeNewFile(file, async () => {
    await startWriting(file);
  });
  await expect(writing).rejects.toThrow('Another process writes');
  expect(await readdir(folder)).toEqual(['export.part']);
});
