import { createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { keyFromFile, parseMasterKey, WrongEncryptionKey } from './masterKey.ts';
import { decrypt, encrypt, openWith, parseSealed, sealWith } from './sealing.ts';
import { CannotOpen, type Vault } from './vault.ts';

export interface VaultOptions {
  /** Folder of `vault.sqlite` and, without `masterKey`, of `master.key`. */
  readonly folder: string;
  /** The value of SVC_ENCRYPTION_KEY. */
  readonly masterKey?: string | undefined;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS installation (name TEXT PRIMARY KEY, wrapped BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS keys (id TEXT PRIMARY KEY, subject TEXT NOT NULL, wrapped BLOB NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS keys_subject ON keys (subject);
`;

/**
 * The embedded vault: data keys in a SQLite file of their own, wrapped by the master key. Calls are rare and short, so
 * they run on the calling thread.
 * @throws WrongEncryptionKey | InvalidEncryptionKey with what to do about it
 */
export function openVault({ folder, masterKey }: VaultOptions): Vault {
  const path = join(folder, 'vault.sqlite');
  const master =
    masterKey === undefined
      ? keyFromFile(join(folder, 'master.key'), { mayCreate: !existsSync(path) })
      : parseMasterKey(masterKey, 'SVC_ENCRYPTION_KEY');
  const database = openDatabase(path);
  try {
    return vaultOver(database, master, installationKey(database, master, path));
  } catch (error) {
    database.close();
    throw error;
  }
}

function vaultOver(database: DatabaseSync, master: Buffer, installation: Buffer): Vault {
  const insert = database.prepare('INSERT INTO keys (id, subject, wrapped) VALUES (?, ?, ?)');
  const select = database.prepare('SELECT subject, wrapped FROM keys WHERE id = ?');
  const remove = database.prepare('DELETE FROM keys WHERE subject = ? RETURNING id');
  const unwrapped = new Map<string, Buffer>();

  function dataKey(id: string): Buffer {
    const known = unwrapped.get(id);
    if (known) return known;
    const row = select.get(id) as { subject: string; wrapped: Uint8Array } | undefined;
    if (!row) throw new CannotOpen(`the data key ${id} does not exist: it was destroyed, or belongs to another vault`);
    const key = unwrap(master, row.wrapped, placeOf(id, row.subject));
    if (!key) throw new CannotOpen(`the data key ${id} is damaged`);
    unwrapped.set(id, key);
    return key;
  }

  return {
    async createKey(subject) {
      const id = randomBytes(12).toString('base64url');
      const key = randomBytes(32);
      insert.run(id, subject, encrypt(master, key, placeOf(id, subject)));
      unwrapped.set(id, key);
      return id;
    },
    seal: (keyId, plain) => sealWith(keyId, dataKey(keyId), plain),
    keyIdOf: (sealed) => parseSealed(sealed).keyId,
    open(sealed) {
      const { keyId, encrypted } = parseSealed(sealed);
      return openWith(keyId, dataKey(keyId), encrypted);
    },
    async destroy(subject) {
      for (const { id } of remove.all(subject) as { id: string }[]) {
        unwrapped.get(id)?.fill(0);
        unwrapped.delete(id);
      }
    },
    digest: (purpose, value) => createHmac('sha256', installation).update(`${purpose}\0${value}`).digest('hex'),
    close() {
      for (const key of [...unwrapped.values(), installation, master]) key.fill(0);
      unwrapped.clear();
      database.close();
    },
  };
}

// A truncated journal is synced, so a destroyed key does not come back after a power cut; beside a write-ahead log its
// old page would stay. What is deleted is overwritten, and every commit synced (2 is FULL).
const SETTINGS = { journal_mode: 'truncate', synchronous: 2, secure_delete: 1 };

/** What a wrapped key is bound to: a row cannot stand in for another. */
const placeOf = (id: string, subject: string): string => `key ${id} of ${subject}`;

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    for (const [name, value] of Object.entries(SETTINGS)) {
      database.exec(`PRAGMA ${name} = ${value}`);
      const [actual] = Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {});
      if (actual !== value) throw new Error(`${path}: SQLite keeps ${name} = ${actual}, the vault needs ${value}`);
    }
    database.exec(SCHEMA);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

const INSTALLATION = 'installation';

/** The key of `digest`. Whether it can be unwrapped tells whether the master key is the right one. */
function installationKey(database: DatabaseSync, master: Buffer, path: string): Buffer {
  const row = database.prepare('SELECT wrapped FROM installation WHERE name = ?').get(INSTALLATION);
  if (row) {
    const key = unwrap(master, row.wrapped as Uint8Array, INSTALLATION);
    if (key) return key;
  }
  if (row || database.prepare('SELECT 1 FROM keys').get()) {
    throw new WrongEncryptionKey(
      `${path} was encrypted with another key. Restore the key it was made with (SVC_ENCRYPTION_KEY, or master.key ` +
        'beside it), or restore the whole data folder from one backup.',
    );
  }
  const key = randomBytes(32);
  database
    .prepare('INSERT INTO installation (name, wrapped) VALUES (?, ?)')
    .run(INSTALLATION, encrypt(master, key, INSTALLATION));
  return key;
}

function unwrap(master: Buffer, wrapped: Uint8Array, belongsTo: string): Buffer | undefined {
  try {
    return decrypt(master, Buffer.from(wrapped), belongsTo);
  } catch {
    return undefined;
  }
}
