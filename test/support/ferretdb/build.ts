// `node test/support/ferretdb/build.ts` builds the MongoDB-compatible server that tests use where no other is available
// (see ../mongo/mongoServer.ts). Needs Go, and two minutes once per machine. Without Go those tests are skipped.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ferretdbBinary } from './ferretdbBinary.ts';

const path = ferretdbBinary();
if (existsSync(path)) {
  print(`FerretDB for tests is already built: ${path}`);
} else if (spawnSync('go', ['version']).error) {
  print(
    'FerretDB for tests was not built: Go is not installed. Tests with MongoDB are skipped unless another server is found.',
  );
} else {
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  const { status } = spawnSync('go', ['build', '-trimpath', '-o', unfinished, '.'], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status === 0) renameSync(unfinished, path);
  print(status === 0 ? `Built FerretDB for tests: ${path}` : 'FerretDB for tests was not built: see the errors above.');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
