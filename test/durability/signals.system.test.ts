import { readFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { type ServiceProcess, serve } from './support/serve.ts';

// Every test starts the service.
vi.setConfig({ testTimeout: 60_000 });

const WITHOUT_EFFECT = ['SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;
const NUMBERS = { SIGHUP: 1, SIGUSR1: 10, SIGUSR2: 12 };

const isHealthy = async (url: string) => (await fetch(`${url}/health`)).ok;

/** Resolves when the process handles the signals; that Node handles SIGUSR1 says nothing, it always does. */
async function handlesSignals({ pid }: ServiceProcess): Promise<void> {
  await vi.waitUntil(
    async () => {
      const caught = BigInt(`0x${/SigCgt:\s*([0-9a-f]+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]}`);
      return [NUMBERS.SIGHUP, NUMBERS.SIGUSR2].every((number) => (caught >> BigInt(number - 1)) & 1n);
    },
    { timeout: 20_000, interval: 1 },
  );
}

test.each([
  ['start.mjs', ['src/start.mjs', 'serve']],
  ['cli.ts', ['src/app/cli.ts', 'serve']],
])('%s writes a line for SIGHUP, SIGUSR1 and SIGUSR2, and goes on', async (_name, args) => {
  await using folder = await tempDir('signals');
  await using service = serve({ folder: folder.path, command: [process.execPath, ...args] });
  const url = await service.listening();
  for (const signal of WITHOUT_EFFECT) {
    service.signal(signal);
    await service.printed(new RegExp(`${signal} has no effect`));
    expect(await isHealthy(url)).toBe(true);
  }
  const { exitCode, stderr } = await service.stop();
  expect({ exitCode, stderr: stderr.filter((line) => /debugger|inspect/i.test(line)) }).toEqual({
    exitCode: 0,
    stderr: [],
  });
});

test('these signals change nothing while svc starts', async () => {
  await using folder = await tempDir('signals');
  await using service = serve({ folder: folder.path, command: [process.execPath, 'src/start.mjs', 'serve'] });
  await handlesSignals(service);
  for (const signal of WITHOUT_EFFECT) service.signal(signal);
  expect(await isHealthy(await service.listening())).toBe(true);
  const { exitCode, stdout, stderr } = await service.stop();
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: [] });
  for (const signal of WITHOUT_EFFECT) expect(stdout.join('\n')).toContain(`${signal} has no effect`);
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s while svc starts ends it with 0', async (signal) => {
  await using folder = await tempDir('signals');
  await using service = serve({ folder: folder.path, command: [process.execPath, 'src/start.mjs', 'serve'] });
  await handlesSignals(service);
  service.signal(signal);
  expect(await service.ended).toMatchObject({ exitCode: 0, stderr: [] });
});
