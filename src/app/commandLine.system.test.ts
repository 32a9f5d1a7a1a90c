import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const CLI = fileURLToPath(new URL('./cli.ts', import.meta.url));

/** Runs svc over an empty folder, which must stay empty. */
const svc = (...args: readonly string[]) => svcWith({}, ...args);

function svcWith(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-usage-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    env: { PATH: process.env.PATH, SVC_DATA_DIR: folder, ...env },
    encoding: 'utf8',
  });
  expect(readdirSync(folder)).toEqual([]);
  return { status, stdout, stderr, lastLine: stderr.trimEnd().split('\n').at(-1) };
}

const SAID_ABOVE = 'What svc takes is said above.';
const MISSING = ' is missing.';
const A_TIME = 'must be a day (UTC) or a time like 2026-01-31T12:00:00Z, not';

test.each([
  [['frobnicate'], 'frobnicate', SAID_ABOVE],
  [['serve', '--port', '80'], 'serve --port 80', SAID_ABOVE],
  [['verify', '--bogus'], 'verify --bogus', 'There is no option --bogus.'],
  [['verify', '--from', '5', '--to', '2'], 'verify --from 5 --to 2', '--from 5 is after --to 2.'],
  [['verify', 'a', 'b'], 'verify a b', 'b is one argument too many.'],
  [['verify', '--json=yes'], 'verify --json=yes', '--json takes no value.'],
  [['explain'], 'explain', `REQUEST${MISSING}`],
  [['diff', 'settings'], 'diff settings', `--from${MISSING}`],
  [
    ['show', 'settings', '--at', '-3'],
    'show settings --at -3',
    '--at needs a value; one that begins with "-" is written --at=VALUE.',
  ],
  [['replay', '--since', '2026'], 'replay --since 2026', `--since ${A_TIME} 2026.`],
  [
    ['replay', '--since', '2026-02-02', '--until', '2026-02-01'],
    'replay --since 2026-02-02 --until 2026-02-01',
    '--since 2026-02-02 is later than --until 2026-02-01.',
  ],
  [['evidence', '--since', 'yesterday', 'b.zip'], 'evidence --since yesterday b.zip', `--since ${A_TIME} yesterday.`],
  [['evidence', 'b.zip'], 'evidence b.zip', 'Name a period, a request or a subject.'],
  [['archive', '--days', 'a few'], 'archive --days "a few"', '--days must be a number of days, not "a few".'],
  [['hold', '\u001b[31m'], 'hold "\\u001b[31m"', 'hold takes list, place or lift, not "\\u001b[31m".'],
  [['hold', 'lift', 'h1'], 'hold lift h1', `--reason${MISSING}`],
  [['backup'], 'backup', `FILE${MISSING}`],
  [['import-from', 'x'], 'import-from x', 'svc imports from codex-lb, not from x.'],
])('names what it does not understand (%j), ends with 2 and writes nothing', (args, said, reason) => {
  const { status, stdout, lastLine } = svc(...args);
  expect([status, stdout]).toEqual([2, '']);
  expect(lastLine).toBe(`Not understood: svc ${said}. ${reason}`);
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

test('accepts no clock beside other nodes without --force', () => {
  const { status, lastLine } = svcWith({ SVC_EVENTSTORE_URL: 'esdb://127.0.0.1:9?tls=false' }, 'accept-clock');
  expect(status).toBe(1);
  expect(lastLine).toMatch(/The clock was not accepted: .* run "svc accept-clock --force"\.$/);
});

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
