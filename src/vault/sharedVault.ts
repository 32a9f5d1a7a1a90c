import { bindingOf, createEnvelope, INSTALLATION_BINDING, newInstallationKey, type WrappedKey } from './envelope.ts';
import type { KeyStreams } from './keyStreams.ts';
import { parseMasterKey, requireMasterKey, WrongEncryptionKey } from './masterKey.ts';
import { MasterKeys } from './masterKeys.ts';
import type { Vault } from './vault.ts';

export interface SharedVaultOptions {
  readonly streams: KeyStreams;
  /** The value of SVC_ENCRYPTION_KEY. */
  readonly masterKey: string | undefined;
  /** The value of SVC_ENCRYPTION_KEY_NEW, while the master key is being rotated. */
  readonly newMasterKey?: string | undefined;
  readonly report: (error: unknown) => void;
}

const RETRY_MS = 5_000;

/**
 * Opens a vault that several nodes share. Wrapped data keys exist only in streams beside the log and in the memory of the
 * nodes. A destroyed key is unusable on this node at once, and on other nodes when they receive the event.
 * @throws WrongEncryptionKey | InvalidEncryptionKey with what to do about it
 */
export async function openSharedVault({
  streams,
  masterKey,
  newMasterKey,
  report,
}: SharedVaultOptions): Promise<Vault> {
  requireMasterKey(masterKey);
  const masters = new MasterKeys(
    parseMasterKey(masterKey, 'SVC_ENCRYPTION_KEY'),
    newMasterKey === undefined ? undefined : parseMasterKey(newMasterKey, 'SVC_ENCRYPTION_KEY_NEW'),
  );
  const installation = masters.unwrap(
    await streams.getOrCreateInstallationKey(() => newInstallationKey(masters.wrapping)),
    INSTALLATION_BINDING,
  );
  if (!installation) {
    throw new WrongEncryptionKey(
      'The vault in EventStoreDB was encrypted with another key. Restore the SVC_ENCRYPTION_KEY that it was created with.',
    );
  }
  const keys = new Map<string, WrappedKey>();
  const envelope = createEnvelope({ masters, installation, find: (id) => keys.get(id) });
  const retries = new Set<NodeJS.Timeout>();

  function forgetKey(id: string): void {
    keys.delete(id);
    envelope.wipe([id]);
  }

  /** Destroys a key. Rejects if that fails, and retries in the background. */
  async function destroyKey(key: WrappedKey): Promise<void> {
    try {
      await streams.destroy(key);
    } catch (error) {
      const retry = setTimeout(() => {
        retries.delete(retry);
        destroyKey(key).catch(() => {});
      }, RETRY_MS).unref();
      retries.add(retry);
      throw error;
    }
  }

  const existing = await streams.follow({
    onWritten(key) {
      keys.set(key.id, key);
      // One that was wrapped again says that a rotation has begun.
      masters.unwrap(key.wrapped, bindingOf(key))?.fill(0);
    },
    onDestroyed: forgetKey,
  });
  for (const key of existing) keys.set(key.id, key);
  const { seal, open, hasKey, keyIdOf, digest, digestUnder, deriveKey } = envelope;
  return {
    seal,
    open,
    hasKey,
    keyIdOf,
    digest,
    digestUnder,
    deriveKey,
    currentKeyOf: (subject) => [...keys.values()].findLast((key) => key.subject === subject)?.id,
    keysOf: (subjectPrefix) =>
      [...keys.values()].flatMap(({ id, subject }) => (subject.startsWith(subjectPrefix) ? [{ id, subject }] : [])),
    async createKey(subject) {
      const key = envelope.newKey(subject);
      try {
        await streams.write(key);
      } catch (error) {
        envelope.wipe([key.id]);
        throw error;
      }
      keys.set(key.id, key);
      return key.id;
    },
    async destroy(subject, except = new Set()) {
      const destroyed = [...keys.values()].filter((key) => key.subject === subject && !except.has(key.id));
      for (const { id } of destroyed) forgetKey(id);
      const results = await Promise.allSettled(destroyed.map(destroyKey));
      const failed = results.find((result) => result.status === 'rejected');
      if (!failed) return;
      report(
        new Error(
          `the data keys of ${subject} are not destroyed in EventStoreDB yet. Retrying every ${RETRY_MS / 1_000} s.`,
        ),
      );
      throw failed.reason;
    },
    close() {
      for (const retry of retries) clearTimeout(retry);
      keys.clear();
      envelope.close();
    },
  };
}
