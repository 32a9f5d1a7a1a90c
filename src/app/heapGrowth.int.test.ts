import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('this V8 knows the option by which heaps grow', () => {
  const program = `import(${JSON.stringify(new URL('heapGrowth.mjs', import.meta.url).href)}).then((module) => module.letHeapsDouble())`;
  const { status, stderr } = spawnSync(process.execPath, ['--eval', program], { encoding: 'utf8' });
  // V8 says so and goes on.
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
