// `node growTree.ts PATH` lets the tree in a file grow in steps of many sizes until it is killed.

import { openTileStore } from '../../../src/integrity/tiles/sqliteTileStore.ts';
import { TreeWriter } from '../../../src/integrity/tiles/tileTree.ts';

const store = openTileStore(process.argv[2] as string);
const writer = new TreeWriter(store);
process.stdout.write(`${writer.size}\n`);
for (let step = 0; ; step += 1) {
  const from = writer.size;
  writer.append(Array.from({ length: 1 + ((step * 7919) % 600) }, (_, at) => `entry ${from + at}`));
  process.stdout.write(`${writer.size}\n`);
}
