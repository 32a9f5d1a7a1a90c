import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { anEvent } from '../../../test/contract/events.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { ip } from '../../../test/support/specification.ts';
import { instant, position } from '../../domain/core/brands.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import { Checkpoints, checkpointOf } from '../fold/checkpoints.ts';
import { HotState } from '../fold/hotState.ts';
import { makeSnapshot } from '../snapshots/makeSnapshot.ts';
import { SnapshotFolder } from '../snapshots/snapshotFolder.ts';
import { FilePast } from './filePast.ts';

const KEY = randomBytes(32);
const EVENTS = 2_100;
/** In the states of the snapshot only, so that it is seen which answers come from them. */
const MARK = ip('203.0.113.1');

/** A log and an authentic snapshot of it, in which every state has one more address. */
async function markedSnapshot() {
  const temp = await tempFolder();
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const logPath = join(temp.path, 'log.sqlite');
  const log = await createSqliteEventLog({ path: logPath, node: 'n1' });
  onTestFinished(() => log.close());
  const events = Array.from({ length: EVENTS }, (_, index) => anEvent({ data: { ip: ip(`10.0.0.${index % 50}`) } }));
  await log.append('firewall-main', -1, events);
  const folder = new SnapshotFolder(join(temp.path, 'snapshots'), KEY);
  makeSnapshot({ logPath, folder: folder.path, key: KEY, basis: undefined, verifies: false, minEvents: 1 });
  const [name = ''] = folder.names();
  const snapshot = folder.read(name);
  const { state, checkpoints } = snapshot.fold;
  const kept = checkpoints.parts.kept.map((each) => checkpointOf(marked(each.read()), each.latest));
  const fold = { state: marked(state), checkpoints: Checkpoints.from({ ...checkpoints.parts, kept }) };
  folder.write({ ...snapshot, fold });
  const path = join(folder.path, name);
  return {
    path,
    /** Number of addresses at a position; one more from a state of the snapshot. */
    async addressesAt(at: number) {
      const past = new FilePast({ location: logPath, snapshots: { folder: folder.path, key: KEY } });
      try {
        return (await past.at({ position: position(at) })).state.firewall.size;
      } finally {
        past.close();
      }
    },
  };
}

function marked(state = new HotState()): HotState {
  state.firewall = new Map([...state.firewall, [MARK, { allowedAt: instant(0) }]]);
  return state;
}

const flip = (path: string, at: number) => {
  const bytes = readFileSync(path);
  bytes.writeUInt8((bytes.at(at) as number) ^ 1, at < 0 ? bytes.length + at : at);
  writeFileSync(path, bytes);
};

test('continues from the nearest state of a snapshot', async () => {
  const { addressesAt } = await markedSnapshot();
  expect([await addressesAt(40), await addressesAt(1_500), await addressesAt(EVENTS)]).toEqual([40, 51, 51]);
});

test('uses no checkpoint of a group that was changed, and the other parts of the snapshot', async () => {
  const { path, addressesAt } = await markedSnapshot();
  flip(path, -5);
  expect([await addressesAt(40), await addressesAt(1_500), await addressesAt(EVENTS)]).toEqual([40, 50, 51]);
});

test('does not use the end of a snapshot that was changed, only its checkpoints', async () => {
  const { path, addressesAt } = await markedSnapshot();
  // The marked state is in the file as it is; of the checkpoints it is compressed.
  flip(path, readFileSync(path, 'latin1').indexOf('203.0.113.1'));
  expect([await addressesAt(40), await addressesAt(1_500), await addressesAt(EVENTS)]).toEqual([40, 51, 51]);
});

test.each([
  ['whose head was changed', (path: string) => flip(path, 70)],
  ['that was cut', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, -1))],
  ['that is empty', (path: string) => writeFileSync(path, '')],
])('does not use a snapshot %s', async (_, damage) => {
  const { path, addressesAt } = await markedSnapshot();
  damage(path);
  expect([await addressesAt(40), await addressesAt(1_500), await addressesAt(EVENTS)]).toEqual([40, 50, 50]);
});
