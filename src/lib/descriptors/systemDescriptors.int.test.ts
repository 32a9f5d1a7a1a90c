import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { countDescriptors, readDescriptorLimit } from './systemDescriptors.ts';

test('counts the descriptors that are open', () => {
  const before = countDescriptors()?.open ?? 0;
  const opened = Array.from({ length: 10 }, () => openSync('/dev/null', 'r'));
  // Other tests of this process may open or close some.
  expect((countDescriptors()?.open ?? 0) - before).toBeGreaterThan(5);
  for (const descriptor of opened) closeSync(descriptor);
});

test.skipIf(process.platform === 'win32')('reads the limit of the process', () => {
  const module = new URL('./systemDescriptors.ts', import.meta.url).pathname;
  const program = `import(${JSON.stringify(module)}).then((m) => console.log(m.readDescriptorLimit()))`;
  const shell = 'ulimit -n 93 && exec "$0" --input-type=module -e "$1"';
  expect(execFileSync('/bin/sh', ['-c', shell, process.execPath, program], { encoding: 'utf8' })).toBe('93\n');
  expect(readDescriptorLimit()).toBeGreaterThan(93);
});
