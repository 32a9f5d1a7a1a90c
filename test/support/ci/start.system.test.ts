import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

// The shell between npm and the service forwards no signal unless the script uses `exec`: SIGTERM would end npm and leave
// the service running.
test('SIGTERM to "npm start" drains the service and ends both', async () => {
  const data = await mkdtemp(join(tmpdir(), 'svc-start-test-'));
  const npm = spawn('npm', ['start'], {
    cwd: repository,
    env: { ...process.env, SVC_PORT: '0', SVC_DATA_DIR: data },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  onTestFinished(async () => {
    endGroup(npm.pid as number);
    await rm(data, { recursive: true, force: true });
  });
  const ended = once(npm, 'exit').then(([exitCode]) => exitCode as number | null);
  let output = '';
  const listening = new Promise<string>((resolve, reject) => {
    for (const stream of [npm.stdout, npm.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const url = /listening on (\S+)/.exec(output)?.[1];
        if (url !== undefined) resolve(url);
      });
    }
    void ended.then((exitCode) => reject(new Error(`npm ended with ${exitCode}:\n${output}`)));
  });
  const url = await listening;
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' });

  npm.kill('SIGTERM');
  expect(await ended, output).toBe(0);
  await expect(fetch(`${url}/health`)).rejects.toThrow();
});

/** Kills the remaining processes of the group that the test started. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All have ended.
  }
}
