import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const UNIT = readFileSync(new URL('../../deploy/systemd/svc.service', import.meta.url), 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).error === undefined;

/** What systemd says about a unit, whose Node is the one of this process. */
function verify(unit: string) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-unit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'svc.service');
  writeFileSync(path, unit.replace('/opt/svc/node_modules/.bin/node', process.execPath));
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
  // It also reads the units of the machine.
  const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('svc.service'));
  return { status, about };
}

test.skipIf(!hasSystemd)('systemd accepts the unit', () => expect(verify(UNIT)).toEqual({ status: 0, about: [] }));

test.skipIf(!hasSystemd)('systemd names a setting that it does not know', () =>
  expect(verify(UNIT.replace('KillMode=', 'KilMode=')).about.join()).toContain('KilMode'),
);
