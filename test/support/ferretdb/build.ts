// `node test/support/ferretdb/build.ts`: builds the MongoDB-compatible server that tests use where there is no other
// (see ../mongo/mongoServer.ts). Takes Go and two minutes, once a machine; without Go it says so, and those tests skip.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ferretdbBinary } from './ferretdbBinary.ts';

const path = ferretdbBinary();
if (existsSync(path)) {
  say(`FerretDB for tests is there: ${path}`);
} else if (spawnSync('go', ['version']).error) {
  say(
    'FerretDB for tests is not built: there is no Go here. Tests against MongoDB skip unless another server is found.',
  );
} else {
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  const { status } = spawnSync('go', ['build', '-trimpath', '-o', unfinished, '.'], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status === 0) renameSync(unfinished, path);
  say(status === 0 ? `FerretDB for tests is built: ${path}` : 'FerretDB for tests could not be built, see above.');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
