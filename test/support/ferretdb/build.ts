// `node test/support/ferretdb/build.ts` builds the MongoDB-compatible server that tests use where no other is available
// (see ../mongo/mongoServer.ts). Needs Go, and two minutes once per machine. Without Go those tests are skipped.

import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ferretdbBinary } from './ferretdbBinary.ts';
import { pushDownIds } from './pushDownIds.ts';

const MODULE = 'github.com/FerretDB/FerretDB';
const HERE = fileURLToPath(new URL('.', import.meta.url));
const CHANGED = 'internal/backends/sqlite/collection.go';

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
  go('mod', 'download');
  const source = go('list', '-m', '-f', '{{.Dir}}', MODULE).stdout.trim();
  const isBuilt = source !== '' && build(source, unfinished);
  if (isBuilt) renameSync(unfinished, path);
  print(isBuilt ? `Built FerretDB for tests: ${path}` : 'FerretDB for tests was not built: see the errors above.');
}

function go(...args: string[]) {
  return spawnSync('go', args, { cwd: HERE, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Builds with a copy of FerretDB in which one source is changed. @param source its folder in the cache of modules */
function build(source: string, program: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ferretdb-'));
  const copy = join(folder, 'ferretdb');
  copyFolder(source, copy);
  writeFileSync(join(copy, CHANGED), pushDownIds(readFileSync(join(copy, CHANGED), 'utf8')));
  for (const name of ['go.mod', 'go.sum']) copyFileSync(join(HERE, name), join(folder, name));
  appendFileSync(join(folder, 'go.mod'), `\nreplace ${MODULE} => ${copy}\n`);
  const { status } = go('build', '-trimpath', `-modfile=${join(folder, 'go.mod')}`, '-o', program, '.');
  rmSync(folder, { recursive: true, force: true });
  return status === 0;
}

/** Without the permissions, as the cache of modules is read-only. */
function copyFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target);
    else writeFileSync(target, readFileSync(source));
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
