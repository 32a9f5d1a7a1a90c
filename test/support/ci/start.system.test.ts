import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';

// Every test starts npm.
vi.setConfig({ testTimeout: 60_000 });

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** Starts `npm start` in a process group of its own. */
async function startNpm() {
  const data = await mkdtemp(join(tmpdir(), 'svc-start-test-'));
  const npm = spawn('npm', ['start'], {
    cwd: repository,
    env: { ...process.env, SVC_PORT: '0', SVC_DATA_DIR: data },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const group = npm.pid as number;
  onTestFinished(async () => {
    endGroup(group);
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
  return { npm, group, ended, url: await listening, output: () => output };
}

// The shell between npm and the service forwards no signal unless the script uses `exec`: SIGTERM would end npm and leave
// the service running.
test('SIGTERM to "npm start" drains the service and ends both', async () => {
  const { npm, ended, url, output } = await startNpm();
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' });

  npm.kill('SIGTERM');
  expect(await ended, output()).toBe(0);
  await expect(fetch(`${url}/health`)).rejects.toThrow();
});

// The service gets the signal twice, because npm forwards its own. Supervisors and Ctrl-C signal the whole group.
test.each(['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGINT'] as const)(
  '%s to the process group ends npm with 0',
  async (signal) => {
    const { group, ended, output } = await startNpm();
    process.kill(-group, signal);
    expect(await ended, output()).toBe(0);
  },
);

test('"npm run svc" without a command prints the usage and ends with 2', async () => {
  const data = await mkdtemp(join(tmpdir(), 'svc-start-test-'));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const env = { ...process.env, SVC_PORT: '0', SVC_DATA_DIR: join(data, 'data') };
  const npm = spawn('npm', ['run', 'svc'], { cwd: repository, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  onTestFinished(() => endGroup(npm.pid as number));
  const [output, exitCode] = await Promise.all([
    text(npm.stderr),
    once(npm, 'exit').then(([code]) => code as number | null),
    text(npm.stdout),
  ]);
  expect(output).toMatch(/^Usage: svc <command>\n/m);
  expect(exitCode).toBe(2);
  expect(await readdir(data)).toEqual([]);
});

/** Kills the remaining processes of the group that the test started. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All have ended.
  }
}
