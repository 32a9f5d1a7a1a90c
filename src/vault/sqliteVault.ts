import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createEnvelope, INSTALLATION_BINDING, newInstallationKey, type WrappedKey } from './envelope.ts';
import { keyFromFile, parseMasterKey, WrongEncryptionKey } from './masterKey.ts';
import { MasterKeys } from './masterKeys.ts';
import type { DataKey, Vault } from './vault.ts';
import { INSTALLATION, openVaultFile } from './vaultFile.ts';
import { VaultMissing } from './vaultLoss.ts';

export interface SqliteVaultOptions {
  /** Folder of `vault.sqlite` and, without `masterKey`, of `master.key`. */
  readonly folder: string;
  /** The value of SVC_ENCRYPTION_KEY. */
  readonly masterKey?: string | undefined;
  /** The value of SVC_ENCRYPTION_KEY_NEW, while the master key is being rotated. */
  readonly newMasterKey?: string | undefined;
  /** False when sealed values may exist, whose keys a new vault would not have. Default: true. */
  readonly mayCreate?: boolean;
}

/**
 * Opens the embedded vault: data keys in a SQLite file of their own, wrapped by the master key. Calls are rare and short,
 * so they run in the calling thread.
 * @throws WrongEncryptionKey | InvalidEncryptionKey | VaultMissing | DataFolderInUse with what to do about it
 */
export function openSqliteVault({ folder, masterKey, newMasterKey, mayCreate = true }: SqliteVaultOptions): Vault {
  const path = join(folder, 'vault.sqlite');
  if (!mayCreate && !existsSync(path)) throw new VaultMissing(path);
  const masters = new MasterKeys(
    presentMasterKey(folder, masterKey),
    newMasterKey === undefined ? undefined : parseMasterKey(newMasterKey, 'SVC_ENCRYPTION_KEY_NEW'),
  );
  const database = openVaultFile(path);
  try {
    return createVault(database, masters, loadInstallationKey(database, masters, path, mayCreate));
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The master key that the vault has so far: the value of SVC_ENCRYPTION_KEY, or `master.key`, created where there is no vault. */
export const presentMasterKey = (folder: string, masterKey: string | undefined): Buffer =>
  masterKey === undefined
    ? keyFromFile(join(folder, 'master.key'), { mayCreate: !existsSync(join(folder, 'vault.sqlite')) })
    : parseMasterKey(masterKey, 'SVC_ENCRYPTION_KEY');

function createVault(database: DatabaseSync, masters: MasterKeys, installation: Buffer): Vault {
  const insert = database.prepare('INSERT INTO keys (id, subject, wrapped) VALUES (?, ?, ?)');
  const select = database.prepare('SELECT id, subject, wrapped FROM keys WHERE id = ?');
  const newest = database.prepare('SELECT id FROM keys WHERE subject = ? ORDER BY rowid DESC LIMIT 1');
  const ofPrefix = database.prepare(
    // A range, which the index finds.
    'SELECT id, subject FROM keys WHERE subject >= ?1 AND subject < ?1 || char(0x10ffff) ORDER BY rowid',
  );
  const remove = database.prepare(
    'DELETE FROM keys WHERE subject = ? AND id NOT IN (SELECT value FROM json_each(?)) RETURNING id',
  );
  const find = (id: string) => select.get(id) as WrappedKey | undefined;
  const { newKey, wipe: forget, close, ...envelope } = createEnvelope({ masters, installation, find });
  return {
    ...envelope,
    currentKeyOf: (subject) => (newest.get(subject) as { id: string } | undefined)?.id,
    keysOf: (subjectPrefix) => ofPrefix.all(subjectPrefix) as unknown as DataKey[],
    async createKey(subject) {
      const { id, wrapped } = newKey(subject);
      try {
        insert.run(id, subject, wrapped);
      } catch (error) {
        forget([id]);
        throw error;
      }
      return id;
    },
    async destroy(subject, except = new Set()) {
      forget((remove.all(subject, JSON.stringify([...except])) as { id: string }[]).map(({ id }) => id));
    },
    close() {
      close();
      database.close();
    },
  };
}

/** The key of `digest`, created at the first start. @throws WrongEncryptionKey when the master key cannot unwrap it */
function loadInstallationKey(database: DatabaseSync, masters: MasterKeys, path: string, mayCreate: boolean): Buffer {
  const row = database.prepare('SELECT wrapped FROM installation WHERE name = ?').get(INSTALLATION);
  if (row) {
    const key = masters.unwrap(row.wrapped as Uint8Array, INSTALLATION_BINDING);
    if (key) return key;
  }
  if (row || database.prepare('SELECT 1 FROM keys').get()) {
    throw new WrongEncryptionKey(
      `${path} was encrypted with another key. Restore the key it was created with (SVC_ENCRYPTION_KEY, or master.key ` +
        'beside it), or restore the whole data folder from one backup.',
    );
  }
  if (!mayCreate) throw new VaultMissing(path);
  const wrapped = newInstallationKey(masters.wrapping);
  database.prepare('INSERT INTO installation (name, wrapped) VALUES (?, ?)').run(INSTALLATION, wrapped);
  return masters.unwrap(wrapped, INSTALLATION_BINDING) as Buffer;
}
