import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { MerkleTree, TILE_WIDTH } from '../../src/integrity/merkle/merkleTree.ts';
import { decodeBundle } from '../../src/integrity/tiles/entryBundle.ts';
import { openTileReader } from '../../src/integrity/tiles/sqliteTileStore.ts';
import { tilesOf } from '../../src/integrity/tiles/tilePaths.ts';
import { TreeReader } from '../../src/integrity/tiles/tileTree.ts';
import { runs } from '../support/runs.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-killed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const program = fileURLToPath(new URL('../support/integrity/growTree.ts', import.meta.url));

/** Kills the program after so many growths. @returns the last size that it reported */
async function killAfter(path: string, growths: number): Promise<number> {
  const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let size = 0;
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    size = Number(line);
    lines += 1;
    if (lines === growths) child.kill('SIGKILL');
  }
  await exited;
  return size;
}

test('a tree whose writer is killed at any moment is a whole one, and grows on', async () => {
  const path = join(folder, 'tree.sqlite');
  for (let round = 1; round <= runs(12).numRuns; round += 1) {
    const reported = await killAfter(path, 1 + ((round * 31) % 17));
    const tiles = openTileReader(path);
    const reader = new TreeReader(tiles);
    const size = reader.size();
    expect(size).toBeGreaterThanOrEqual(reported);
    const tree = new MerkleTree();
    for (let index = 0; index < size; index += 1) tree.append(`entry ${index}`);
    expect(reader.root()).toEqual(tree.root());
    for (const name of tilesOf(size)) {
      const bytes = reader.read(name) as Buffer;
      if (name.level !== 'entries') continue;
      const first = name.index * TILE_WIDTH;
      expect(decodeBundle(bytes).map(String)).toEqual(
        Array.from({ length: name.width }, (_, at) => `entry ${first + at}`),
      );
    }
    tiles.close();
  }
}, 120_000);
