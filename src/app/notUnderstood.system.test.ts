import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const CLI = fileURLToPath(new URL('./cli.ts', import.meta.url));

test.each([
  [['verify', '--bogus'], 'svc verify --bogus.'],
  [['verify', '--from', '5', '--to', '2'], 'svc verify --from 5 --to 2.'],
  [['evidence', '--since', 'yesterday', 'b.zip'], 'svc evidence --since yesterday b.zip.'],
  [['archive', '--days', 'a few'], 'svc archive --days "a few".'],
  [['hold', 'release', '\u001b[31m'], 'svc hold release "\\u001b[31m".'],
  [['verfy'], 'svc verfy.'],
])('names what it does not understand (%j), ends with 2 and writes nothing', (args, said) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-usage-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    env: { PATH: process.env.PATH, SVC_DATA_DIR: folder },
    encoding: 'utf8',
  });
  expect([status, stdout, readdirSync(folder)]).toEqual([2, '', []]);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(`Not understood: ${said} What svc takes is said above.`);
});
