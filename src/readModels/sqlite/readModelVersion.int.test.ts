import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { openForWriting } from '../../eventLog/sqlite/database.ts';
import { prepareInsertEvents } from '../../eventLog/sqlite/insertEvents.ts';
import { readRows, tablesOf } from './compare.ts';
import { LogReader } from './logReader.ts';
import { Projector, READ_MODEL_VERSION } from './projector.ts';
import { LAYOUT, openReadModelFile } from './readModelFile.ts';

/**
 * Digest of the tables that each version builds from `test/histories/everyKind.ndjson`. Lines are added; only the line of a
 * version that no release has yet may be changed.
 */
const DIGESTS: Readonly<Record<string, string>> = {
  'requestLog 7, usageTrends 2, history 21, layout 20':
    '198346043bfc3e9d1afc1f2393db9e0063b10fa0c19634d2426796060553dff9',
  'requestLog 7, usageTrends 2, history 21, layout 19':
    'b36db4ec8200904f4db42e15b8530a482cb7c5edca31695f13228ed72231cb07',
  'requestLog 7, usageTrends 2, history 21, layout 18':
    '0a97666e3a7c82f09ff70e325bc2b49f70c9483d76377bb11bd5cb6117520320',
  'requestLog 7, usageTrends 2, history 21, layout 17':
    '5961119573b8c26344b37b29f36677ed4e7c7103ed853527e8014577ed4ac380',
  'requestLog 7, usageTrends 2, history 21, layout 16':
    '34433ddaea45a258bca13567487210f39613996d77d1c398bc830476136fc390',
  'requestLog 7, usageTrends 2, history 20, layout 16':
    '5ca10f067e565d3b40f8ea31c76a9253a303b0c157cc7d24f5ca0cec3979542c',
  'requestLog 7, usageTrends 2, history 20, layout 15':
    '12ad0177d515a1a6aaa67bdc88723bab50d3c013aa734e37f39f0a38075317fd',
  'requestLog 7, usageTrends 2, history 19, layout 15':
    '7f88ee9bec54229e6bc5a26fe0505e334f96fdcff07d4c2feaca058ab639e5ef',
  'requestLog 7, usageTrends 2, history 18, layout 15':
    '09dbdfc165b647090e2750e4921de50dedac5cedbe8d92795554400a1428e699',
  'requestLog 7, usageTrends 2, history 17, layout 15':
    '8119b43ceed73abede3e891f07df55180ec639b22d1ee2eb58008dfccc6fb969',
  'requestLog 7, usageTrends 2, history 17, layout 14':
    '74b4c5057082c70efdc58479c1649b0abd8e6b782a7d6e8e5b227fb1a9c5e168',
  'requestLog 7, usageTrends 2, history 17, layout 13':
    '4ceca01663bdd951a7990238e2269e0c76c1d334d96d255cb0663ac91a27db7e',
  'requestLog 7, usageTrends 2, history 16, layout 13':
    '3f30df75f7850402bde24b9fd651916d2fafcb2d1678719ad23231ca3a278e7b',
  'requestLog 7, usageTrends 2, history 16, layout 12':
    '1e377e67021b1984503d833b5cc87728ef5ef994503dd7e3a4cb77ee1e791e7a',
  'requestLog 6, usageTrends 2, history 15, layout 11':
    'd4e99180a661253171b1a2c4c422de9d6213de0fc6a4a6fa3460000993871102',
  'requestLog 6, usageTrends 2, history 14, layout 11':
    '037dfd1402bca4be11e4b6fe656c7c7cae7892c98d3c849abfcf7d021fd296a3',
  'requestLog 5, usageTrends 2, history 14, layout 10':
    'a4b770fa4ec31eb67698c5e7f8c27acb61e6a95bf8a6593959c6b3268972c0ce',
  'requestLog 5, usageTrends 2, history 13, layout 10':
    '6239439a3601c63314c748554f9818c299270db8705487252479a144da5339d6',
  'requestLog 5, usageTrends 2, history 12, layout 10':
    'ab70a6f61a352d4d4203ab8f568c1a9b52982327c92398f1ead46fef79316cd1',
  'requestLog 5, usageTrends 1, history 12, layout 9':
    '0cf3de6ce7a242838eeb7c9553b704ba9458bbd012c426171c8c68e58448edbe',
  'requestLog 5, usageTrends 1, history 11, layout 9':
    'c8b4422d6c7010589fdd06e99074dd417da8a5f199f778f482ddeb1e6cf104fa',
  'requestLog 5, usageTrends 1, history 10, layout 9':
    '690315287d7969ed7d1a9f10073a2efd4b8716a59ed377b1315b5191c83f09ad',
  'requestLog 5, usageTrends 1, history 10, layout 8':
    '2998a8e49045dad8277602cc1028441bdd2bc59abfc4a8e50eae04d3c2615893',
  'requestLog 5, usageTrends 1, history 9, layout 8':
    'a0b2515a09595f04edc5803ef42ad8de2c1acd77f1b99c68e7a521cd7a60a6b7',
  'requestLog 5, usageTrends 1, history 8, layout 8':
    'fccafc72314f7f5039cf04a643967171ca2afd0e5ce19c8f3ac3285445376e2f',
  'requestLog 5, usageTrends 1, history 7, layout 8':
    '03dcca01a1b71b2387542381425cd2f1d7433ad976ea72b709b9247fc850bafb',
  'requestLog 5, usageTrends 1, history 6, layout 8':
    '275d54d7ee2216e2828f92f1707d8444e7331d2252135a8b5c6196e6bac0cfa8',
  'requestLog 4, usageTrends 1, history 6, layout 7':
    '5fc7e1841c04a70260411e270896c90a9a0b08aa63039a2989876c08df895650',
  'requestLog 4, usageTrends 1, history 5, layout 7':
    '3f925909d623bf5234f2fcefdd1cd31c07fa8852adeb41276590623d82af7094',
  'requestLog 4, usageTrends 1, history 4, layout 7':
    'a055f1e757bbc502e4cf9223e41c517f79dd3bf5d3b90a368bfc660b0ae97fef',
};

const INSTRUCTIONS = `The read models have other content or tables than their version promises, so existing files would not be
rebuilt. Raise what has changed: \`version\` of the projection, HISTORY_VERSION in projections/history.ts (also for a reworded
sentence), or LAYOUT in readModelFile.ts and mongo/generations.ts (tables, documents, indexes). Then add a line to DIGESTS.`;

test('builds the tables of its version from a history of every event type', async () => {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const logPath = join(folder.path, 'log.sqlite');
  writeHistory(logPath);
  const path = join(folder.path, 'readmodels.sqlite');
  const database = openReadModelFile(path);
  const log = new LogReader(logPath);
  new Projector(database, log).catchUp();
  log.close();
  database.close();
  const version = `${READ_MODEL_VERSION}, layout ${LAYOUT}`;
  expect(digestOf(path), INSTRUCTIONS).toBe(DIGESTS[version]);
});

/** Of all tables: their columns, indexes and rows. */
function digestOf(path: string): string {
  using database = new DatabaseSync(path, { readOnly: true });
  const digest = createHash('sha256');
  for (const { sql } of database.prepare('SELECT sql FROM sqlite_schema ORDER BY name').all()) {
    digest.update(String(sql).replaceAll(/\s+/g, ' '));
  }
  for (const table of tablesOf(database)) {
    const rows = readRows(database, table);
    for (let row = rows.next(); !row.done; row = rows.next()) digest.update(JSON.stringify([table.name, ...row.value]));
  }
  return digest.digest('hex');
}

function writeHistory(path: string): void {
  const lines = readFileSync(new URL('../../../test/histories/everyKind.ndjson', import.meta.url), 'utf8').trimEnd();
  const rows = lines.split('\n').map((line, index) => {
    const { stream, revision, type, version, time, data } = JSON.parse(line);
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const actor = {
      kind: index % 2 === 0 ? 'system' : 'operator',
      sessionId: null,
      address: '10.0.0.7',
      reason: 'test',
    };
    const metadata = { schemaVersion: version, actor, correlationId: id };
    return [stream, revision, id, type, version, time, JSON.stringify(data), JSON.stringify(metadata)] as const;
  });
  using database = openForWriting({ path });
  prepareInsertEvents(database)(rows);
}
