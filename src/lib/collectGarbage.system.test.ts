import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { collectGarbage } from './collectGarbage.ts';

test('frees the memory of what is no longer referenced', async () => {
  let garbage: unknown[] | undefined = Array.from({ length: 500_000 }, (_, index) => ({ index }));
  const used = process.memoryUsage().heapUsed;
  expect(garbage.length).toBe(500_000);
  garbage = undefined;
  await collectGarbage();
  expect(process.memoryUsage().heapUsed).toBeLessThan(used - 10 * 2 ** 20);
});

test('leaves compiled code valid that a start without it has cached', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-garbage-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const main = join(folder, 'main.mjs');
  writeFileSync(join(folder, 'later.mjs'), 'export const code = () => 1;');
  writeFileSync(
    main,
    `import { collectGarbage } from '${import.meta.resolve('./collectGarbage.ts')}';
     if (process.argv[2] === 'collect') await collectGarbage();
     await import('./later.mjs');`,
  );
  const { PATH } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE: join(folder, 'compiled'), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
  const run = (what: string) => spawnSync(process.execPath, [main, what], { env, encoding: 'utf8' });
  expect(run('nothing').status).toBe(0);
  expect(run('collect').stderr).toMatch(/later\.mjs was accepted/);
});
