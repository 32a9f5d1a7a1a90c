import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';

const FIXTURE = new URL('../../histories/codexLb/', import.meta.url);

/** The values of the API keys in the database, by what they show. */
export const codexLbKeys = JSON.parse(readFileSync(new URL('keys.json', FIXTURE), 'utf8')) as Readonly<
  Record<
    | 'ci'
    | 'models'
    | 'disabled'
    | 'expired'
    | 'sameName'
    | 'foreignLimits'
    | 'scoped'
    | 'enforcedModel'
    | 'enforcedEffort',
    string
  >
>;

/** The data folder of the codex-lb that `makeDatabase.ts` ran, removed at the end of the test. @param sql changes it first */
export function codexLbFolder(sql = ''): { database: string; keyFile: string } {
  const folder = mkdtempSync(join(tmpdir(), 'codex-lb-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [database, keyFile] = [join(folder, 'store.db'), join(folder, 'encryption.key')];
  copyFileSync(new URL('encryption.key', FIXTURE), keyFile);
  using file = new DatabaseSync(database);
  file.exec(readFileSync(new URL('store.sql', FIXTURE), 'utf8'));
  file.exec(sql);
  return { database, keyFile };
}
