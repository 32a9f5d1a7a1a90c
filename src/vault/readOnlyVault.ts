import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openDatabase } from '../dataFolder/openDatabase.ts';
import { createEnvelope, INSTALLATION_BINDING, type WrappedKey } from './envelope.ts';
import { keyFromFile, parseMasterKey } from './masterKey.ts';
import { MasterKeys } from './masterKeys.ts';
import { CannotUnseal, type Vault } from './vault.ts';
import { INSTALLATION } from './vaultFile.ts';

export interface ReadOnlyVaultOptions {
  /** The data folder: a service may be running over it. */
  readonly folder: string;
  /** The value of SVC_ENCRYPTION_KEY. */
  readonly masterKey?: string | undefined;
  /** The value of SVC_ENCRYPTION_KEY_NEW. */
  readonly newMasterKey?: string | undefined;
}

/** What a command that only reads needs of a vault. */
export interface ReadOnlyVault {
  readonly vault: Vault;
  /** Undefined without the master key. */
  readonly deriveKey: ((purpose: string) => Buffer) | undefined;
  /** Why sealed values cannot be opened; undefined when they can. */
  readonly problem: string | undefined;
}

/**
 * Opens the embedded vault without a lock and without a change to its folder, also while a service uses it. Where that is not
 * possible, the vault opens nothing, and says why.
 */
export function openVaultForReading({ folder, masterKey, newMasterKey }: ReadOnlyVaultOptions): ReadOnlyVault {
  const path = join(folder, 'vault.sqlite');
  let masters: MasterKeys;
  try {
    const present =
      masterKey === undefined
        ? keyFromFile(join(folder, 'master.key'), { mayCreate: false })
        : parseMasterKey(masterKey, 'SVC_ENCRYPTION_KEY');
    const next = newMasterKey === undefined ? undefined : parseMasterKey(newMasterKey, 'SVC_ENCRYPTION_KEY_NEW');
    masters = new MasterKeys(present, next);
  } catch (error) {
    return { vault: closedVault, deriveKey: undefined, problem: (error as Error).message };
  }
  const derive = (purpose: string) => masters.derive(purpose);
  if (!existsSync(path)) return { vault: closedVault, deriveKey: derive, problem: `there is no vault at ${path}` };
  try {
    return { vault: readVault(path, masters), deriveKey: derive, problem: undefined };
  } catch (error) {
    return { vault: closedVault, deriveKey: derive, problem: (error as Error).message };
  }
}

/** All keys are read at once: the file is locked by a running service, whose changes `immutable` does not see. */
function readVault(path: string, masters: MasterKeys): Vault {
  const database = openDatabase(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true });
  try {
    const row = database.prepare('SELECT wrapped FROM installation WHERE name = ?').get(INSTALLATION);
    const installation = row && masters.unwrap(row.wrapped as Uint8Array, INSTALLATION_BINDING);
    if (!installation) throw new Error(`${path} was encrypted with another key`);
    const rows = database.prepare('SELECT id, subject, wrapped FROM keys').all() as unknown as WrappedKey[];
    const keys = new Map(rows.map((key) => [key.id, key]));
    const envelope = createEnvelope({ masters, installation, find: (id) => keys.get(id) });
    const keysOf = (subjectPrefix: string) =>
      rows.flatMap(({ id, subject }) => (subject.startsWith(subjectPrefix) ? [{ id, subject }] : []));
    return { ...closedVault, ...envelope, keysOf, close: () => envelope.close() };
  } finally {
    database.close();
  }
}

const refuse = (): never => {
  throw new CannotUnseal('the vault is not open');
};

/** A vault without keys. */
export const closedVault: Vault = {
  createKey: () => Promise.reject(new CannotUnseal('the vault is not open')),
  currentKeyOf: () => undefined,
  keysOf: () => [],
  seal: refuse,
  hasKey: () => false,
  keyIdOf: () => '',
  open: refuse,
  destroy: () => Promise.reject(new CannotUnseal('the vault is not open')),
  digest: refuse,
  digestUnder: refuse,
  deriveKey: refuse,
  close: () => undefined,
};
