import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { codexLbFolder } from '../support/codexLb/codexLbFolder.ts';
import { emptyFolder, importInto, outcomes, SLOW } from './importStage.ts';

/** Names, sizes, times and contents of all files in a folder. */
const filesIn = (folder: string) =>
  readdirSync(folder)
    .sort()
    .map((name) => {
      const path = join(folder, name);
      return [name, statSync(path).mtimeMs, createHash('sha256').update(readFileSync(path)).digest('hex')];
    });

test('keeps the source unchanged, also beside a write-ahead log, and imports what only that has', SLOW, async () => {
  const source = codexLbFolder();
  using writer = new DatabaseSync(source.database);
  writer.exec(
    "PRAGMA journal_mode = WAL; INSERT INTO api_firewall_allowlist VALUES ('10.9.9.9', '2026-11-28 08:00:00');",
  );
  const before = filesIn(dirname(source.database));
  expect(before.map(([name]) => name)).toContain('store.db-wal');
  const { items } = await importInto(emptyFolder(), source);
  expect(filesIn(dirname(source.database))).toEqual(before);
  expect(outcomes(items, 'allowed_ip')).toContain('10.9.9.9: imported');
});

test.each<[name: string, source: () => { database: string; keyFile: string }, message: RegExp]>([
  [
    'a key of another installation',
    () => {
      const source = codexLbFolder();
      writeFileSync(source.keyFile, Buffer.alloc(32, 7).toString('base64url'));
      return source;
    },
    /does not open the tokens/,
  ],
  [
    'a file that is no key',
    () => {
      const source = codexLbFolder();
      writeFileSync(source.keyFile, 'secret');
      return source;
    },
    /is not a key of codex-lb/,
  ],
  ['a missing key', () => ({ ...codexLbFolder(), keyFile: '/nowhere/encryption.key' }), /cannot be read/],
  ['a missing database', () => ({ ...codexLbFolder(), database: '/nowhere/store.db' }), /There is no file/],
  [
    'a truncated database',
    () => {
      const source = codexLbFolder();
      truncateSync(source.database, 40_000);
      return source;
    },
    /is not an intact SQLite database/,
  ],
  [
    'a file that is no database',
    () => {
      const source = codexLbFolder();
      writeFileSync(source.database, 'not a database, but long enough to be read as one'.repeat(100));
      return source;
    },
    /is not an intact SQLite database/,
  ],
  [
    'an older schema',
    () => codexLbFolder("UPDATE alembic_version SET version_num = '20260312_010000_merge'"),
    /Start codex-lb 1\.24\.0 once on a copy/,
  ],
  [
    'a newer schema',
    () => codexLbFolder("UPDATE alembic_version SET version_num = '20991231_000000_add'"),
    /A newer svc may know it/,
  ],
  ['another database', () => codexLbFolder('DROP TABLE alembic_version'), /is not a database of codex-lb/],
  [
    'PostgreSQL',
    () => ({ ...codexLbFolder(), database: 'postgresql+asyncpg://codex@db/codex' }),
    /docs\/moving-in\.md#from-postgresql/,
  ],
  [
    'a row that codex-lb does not write',
    () => codexLbFolder("UPDATE api_keys SET key_hash = 'x' WHERE name = 'ci' AND last_used_at IS NOT NULL"),
    /of api_keys is not what codex-lb writes: key_hash/,
  ],
  [
    'a request that codex-lb does not write',
    () => codexLbFolder("UPDATE request_logs SET requested_at = 'yesterday' WHERE id = 3"),
    /Row 3 of request_logs is not what codex-lb writes: requested_at/,
  ],
  [
    'a number beyond what is exact',
    () => codexLbFolder('UPDATE api_key_limits SET max_value = 9223372036854775807'),
    /of api_key_limits is not what codex-lb writes: max_value/,
  ],
])('refuses %s before it changes anything', SLOW, async (_name, source, message) => {
  const folder = emptyFolder();
  await expect(importInto(folder, source())).rejects.toThrow(message);
  expect(readdirSync(dirname(folder))).toEqual([]);
});

test('imports databases of earlier revisions that lack newer columns', SLOW, async () => {
  const older = codexLbFolder(
    `DROP INDEX idx_accounts_delete_requested_at;
     ALTER TABLE accounts DROP COLUMN delete_requested_at;
     ALTER TABLE accounts DROP COLUMN alias;
     ALTER TABLE accounts DROP COLUMN routing_policy;
     DROP TABLE model_source_models; DROP TABLE model_sources;
     UPDATE alembic_version SET version_num = '20260630_000000_add_limit_warmup_staggered_idle'`,
  );
  const { items } = await importInto(emptyFolder(), older);
  expect(outcomes(items, 'account').every((line) => line.endsWith(': imported'))).toBe(true);
});
