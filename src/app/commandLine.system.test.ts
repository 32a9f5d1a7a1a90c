import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const CLI = fileURLToPath(new URL('./cli.ts', import.meta.url));

/** Runs svc over an empty folder, which must stay empty. */
function svc(...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-usage-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    env: { PATH: process.env.PATH, SVC_DATA_DIR: folder },
    encoding: 'utf8',
  });
  expect(readdirSync(folder)).toEqual([]);
  return { status, stdout, stderr, lastLine: stderr.trimEnd().split('\n').at(-1) };
}

test.each([
  [['verify', '--bogus'], 'svc verify --bogus.'],
  [['verify', '--from', '5', '--to', '2'], 'svc verify --from 5 --to 2.'],
  [['evidence', '--since', 'yesterday', 'b.zip'], 'svc evidence --since yesterday b.zip.'],
  [['archive', '--days', 'a few'], 'svc archive --days "a few".'],
  [['hold', 'release', '\u001b[31m'], 'svc hold release "\\u001b[31m".'],
  [['serve', '--port', '80'], 'svc serve --port 80.'],
  [['frobnicate'], 'svc frobnicate.'],
])('names what it does not understand (%j), ends with 2 and writes nothing', (args, said) => {
  const { status, stdout, lastLine } = svc(...args);
  expect([status, stdout]).toEqual([2, '']);
  expect(lastLine).toBe(`Not understood: ${said} What svc takes is said above.`);
});

test('suggests the command that a typing error is near', () => {
  const { status, lastLine } = svc('verfy');
  expect([status, lastLine]).toEqual([2, 'Not understood: svc verfy. Did you mean "svc verify"?']);
});

test.each([[['verify', '--help']], [['help', 'verify']], [['verify', '-h']]])(
  'prints the usage of one command (%j)',
  (args) => {
    const { status, stdout, stderr } = svc(...args);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: svc verify\n\n {2}verify \[FILE\]/);
    expect(stdout).not.toContain('accept-loss');
  },
);

test('prints the usage of all commands', () => {
  const { status, stdout, stderr } = svc('help');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Usage: svc <command>\n/);
  expect(stdout).toContain('accept-loss --vault');
});

test('ends as it does otherwise when the program that reads its output is gone', async () => {
  const child = spawn(process.execPath, [CLI, 'help'], { env: { PATH: process.env.PATH }, stdio: 'pipe' });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  expect([await once(child, 'close'), stderr]).toEqual([[0, null], '']);
});
