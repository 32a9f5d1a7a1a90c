import { existsSync } from 'node:fs';
import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import { Faults } from '../../lib/faults.ts';
import { parseMasterKey, requireMasterKey } from '../../vault/masterKey.ts';
import { CannotRotate, type Rewrapped, rewrapKeyStreams, rewrapVaultFile } from '../../vault/rewrap.ts';
import { presentMasterKey } from '../../vault/sqliteVault.ts';
import { openVaultFile } from '../../vault/vaultFile.ts';
import type { CommandIo } from '../commandLine/command.ts';
import { type Config, readConfig } from '../config/config.ts';
import { progressPrinter } from './progressPrinter.ts';

/** `svc rotate-master-key`: wraps the keys of the vault with the new master key. @throws when it cannot, with what to do */
export async function rotateConfiguredMasterKey(io: CommandIo): Promise<void> {
  const config = readConfig();
  const { SVC_ENCRYPTION_KEY, SVC_ENCRYPTION_KEY_NEW, SVC_EVENTSTORE_URL } = config;
  if (SVC_ENCRYPTION_KEY_NEW === undefined)
    throw new CannotRotate('Set SVC_ENCRYPTION_KEY_NEW to the new key (openssl rand -base64 32).');
  const to = parseMasterKey(SVC_ENCRYPTION_KEY_NEW, 'SVC_ENCRYPTION_KEY_NEW');
  const { keys, rewrapped } =
    SVC_EVENTSTORE_URL === undefined ? await rotateFile(config, to) : await rotateShared(config, to, io);
  io.print(
    rewrapped === 0
      ? `All ${keys} keys of the vault were wrapped with the new master key before.`
      : `${rewrapped} of ${keys} keys of the vault are wrapped with the new master key; the others were before.`,
  );
  const old = SVC_ENCRYPTION_KEY === undefined ? 'delete master.key' : 'forget the one before';
  const nodes = SVC_EVENTSTORE_URL === undefined ? '' : ' on every node';
  io.print(
    `Now set SVC_ENCRYPTION_KEY to the new key${nodes}, remove SVC_ENCRYPTION_KEY_NEW, and ${old}. Backups of before need the key of before.`,
  );
}

async function rotateFile({ SVC_DATA_DIR, SVC_NODE_ID, SVC_ENCRYPTION_KEY }: Config, to: Buffer): Promise<Rewrapped> {
  const folder = openDataFolder(SVC_DATA_DIR, { nodeId: SVC_NODE_ID });
  try {
    const path = folder.file('vault.sqlite');
    if (!existsSync(path))
      throw new CannotRotate(`There is no vault in ${folder.path}: set SVC_DATA_DIR to the data folder.`);
    const from = presentMasterKey(folder.path, SVC_ENCRYPTION_KEY);
    const database = openVaultFile(path);
    try {
      return rewrapVaultFile(database, { from, to });
    } finally {
      database.close();
    }
  } finally {
    folder.close();
  }
}

async function rotateShared(
  { SVC_DATA_DIR, SVC_NODE_ID, SVC_ENCRYPTION_KEY, SVC_EVENTSTORE_URL }: Config,
  to: Buffer,
  { print, printError }: CommandIo,
): Promise<Rewrapped> {
  requireMasterKey(SVC_ENCRYPTION_KEY);
  const from = parseMasterKey(SVC_ENCRYPTION_KEY, 'SVC_ENCRYPTION_KEY');
  const folder = openDataFolder(SVC_DATA_DIR, { nodeId: SVC_NODE_ID });
  try {
    const [{ openEventStore }, { parseConnectionString }] = await Promise.all([
      import('../../eventLog/eventstore/eventStore.ts'),
      import('../../eventLog/eventstore/client/connectionString.ts'),
    ]);
    const store = await openEventStore({
      settings: parseConnectionString(SVC_EVENTSTORE_URL ?? ''),
      path: folder.file('mirror.sqlite'),
      node: folder.node,
      print: printError,
      faults: new Faults({ print, now: Date.now }),
    });
    try {
      return await rewrapKeyStreams(store.keys, { from, to }, progressPrinter(printError));
    } finally {
      await store.close();
    }
  } finally {
    folder.close();
  }
}
