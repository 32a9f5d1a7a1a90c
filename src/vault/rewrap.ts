import type { DatabaseSync } from 'node:sqlite';
import { bindingOf, INSTALLATION_BINDING, type WrappedKey } from './envelope.ts';
import type { KeyStreams } from './keyStreams.ts';
import { unwrapWith } from './masterKeys.ts';
import { encrypt } from './sealing.ts';
import { INSTALLATION } from './vaultFile.ts';

/** A key of the vault that neither master key opens; nothing was changed, or what was changed stays readable with both. */
export class CannotRotate extends Error {
  override readonly name = 'CannotRotate';
  readonly code = 'CANNOT_ROTATE';
}

/** The two master keys of a rotation. */
export interface Rotation {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** How many keys there are, and how many of them were wrapped again. */
export interface Rewrapped {
  readonly keys: number;
  readonly rewrapped: number;
}

/** @returns undefined when the new key has wrapped it already @throws CannotRotate */
function rewrapped(wrapped: Uint8Array, belongsTo: string, { from, to }: Rotation): Buffer | undefined {
  const plain = unwrapWith(from, wrapped, belongsTo);
  if (plain) return encrypt(to, plain, belongsTo);
  if (unwrapWith(to, wrapped, belongsTo)) return undefined;
  throw new CannotRotate(
    `The vault has a key that neither the present nor the new master key opens (${belongsTo}). ` +
      'Set SVC_ENCRYPTION_KEY to the key that the vault has, and SVC_ENCRYPTION_KEY_NEW to the new one.',
  );
}

/** Wraps all keys of an embedded vault again, in one transaction: a killed process leaves it as it was, or done. @throws CannotRotate */
export function rewrapVaultFile(database: DatabaseSync, rotation: Rotation): Rewrapped {
  const installation = database.prepare('SELECT wrapped FROM installation WHERE name = ?').get(INSTALLATION);
  const keys = database.prepare('SELECT id, subject, wrapped FROM keys').all() as unknown as WrappedKey[];
  const setInstallation = database.prepare('UPDATE installation SET wrapped = ? WHERE name = ?');
  const setKey = database.prepare('UPDATE keys SET wrapped = ? WHERE id = ?');
  let count = 0;
  database.exec('BEGIN IMMEDIATE');
  try {
    const again = installation && rewrapped(installation.wrapped as Uint8Array, INSTALLATION_BINDING, rotation);
    if (again) setInstallation.run(again, INSTALLATION);
    for (const key of keys) {
      const wrapped = rewrapped(key.wrapped, bindingOf(key), rotation);
      if (!wrapped) continue;
      setKey.run(wrapped, key.id);
      count += 1;
    }
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
  return { keys: keys.length, rewrapped: count };
}

/**
 * Wraps all keys of a shared vault again, one by one, the key of digests first: from then on nodes with both master keys wrap new keys
 * by the new one. After an interruption, another run goes on. It ends when a look at all keys finds none that is left.
 * @throws CannotRotate, and Refusal `log_unavailable`
 */
export async function rewrapKeyStreams(
  streams: KeyStreams,
  rotation: Rotation,
  onProgress: (done: number, of: number) => void,
): Promise<Rewrapped> {
  const installation = await streams.getOrCreateInstallationKey(() => {
    throw new CannotRotate('There is no vault in EventStoreDB yet: start svc with the new key as SVC_ENCRYPTION_KEY.');
  });
  const again = rewrapped(installation, INSTALLATION_BINDING, rotation);
  if (again) await streams.replaceInstallationKey(again);
  const known = new Map<string, WrappedKey>();
  const listener = {
    onWritten: (key: WrappedKey) => known.set(key.id, key),
    onDestroyed: (id: string) => known.delete(id),
  };
  for (const key of await streams.follow(listener)) known.set(key.id, known.get(key.id) ?? key);
  let count = 0;
  let done = 0;
  // A map that grows while it is walked is walked to its new end: keys that nodes create meanwhile are looked at as well.
  for (const { id } of known.values()) {
    const key = known.get(id);
    const wrapped = key && rewrapped(key.wrapped, bindingOf(key), rotation);
    done += 1;
    onProgress(done, known.size);
    if (!key || !wrapped) continue;
    if (await streams.replace({ ...key, wrapped })) count += 1;
  }
  return { keys: known.size, rewrapped: count };
}
