import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import type { PublishingPlaces } from '../../integrity/checkpoints/keepCheckpointsOptions.ts';
import { checkpointKeyFromFile, keyFileIn, parseCheckpointKey } from '../../integrity/keys/checkpointKey.ts';
import { parseVkey, type SigningKey } from '../../integrity/notes/noteKeys.ts';
import type { Vault } from '../../vault/vault.ts';
import { type Config, InvalidConfig } from '../config/config.ts';

/** The key of the log, keys that it had before as far as they are at hand, and where checkpoints are published. */
export interface CheckpointSettings {
  readonly key: SigningKey;
  /** The file that the key was read from. */
  readonly keyFile: string | undefined;
  readonly earlierKeys: readonly SigningKey[];
  readonly places: PublishingPlaces;
}

/**
 * Reads what the configuration says of checkpoints; creates `checkpoint.key` in the data folder when no other key is named. Nodes
 * that share a vault create the same one.
 * @throws InvalidConfig | InvalidCheckpointKey
 */
export function checkpointSettings(
  config: Config,
  folder: Pick<DataFolder, 'path'>,
  vault: Pick<Vault, 'digest'>,
): CheckpointSettings {
  const { SVC_CHECKPOINT_KEY, SVC_CHECKPOINT_KEY_FILE, SVC_CHECKPOINT_KEY_BEFORE } = config;
  if (SVC_CHECKPOINT_KEY !== undefined && SVC_CHECKPOINT_KEY_FILE !== undefined) {
    throw new InvalidConfig(
      'SVC_CHECKPOINT_KEY_FILE: must not be set together with SVC_CHECKPOINT_KEY. Remove one of them.',
    );
  }
  const own = keyFileIn(folder.path);
  const isOwn = SVC_CHECKPOINT_KEY === undefined && SVC_CHECKPOINT_KEY_FILE === undefined;
  const isShared = config.SVC_EVENTSTORE_URL !== undefined;
  const newSeed = isShared ? () => Buffer.from(vault.digest('checkpoint key', 'ed25519'), 'hex') : undefined;
  const named = SVC_CHECKPOINT_KEY_FILE === undefined ? own : resolve(SVC_CHECKPOINT_KEY_FILE);
  const keyFile = SVC_CHECKPOINT_KEY === undefined ? named : undefined;
  const key =
    SVC_CHECKPOINT_KEY === undefined
      ? checkpointKeyFromFile(named, { mayCreate: isOwn, newSeed })
      : parseCheckpointKey(SVC_CHECKPOINT_KEY, 'SVC_CHECKPOINT_KEY');
  const earlierKeys: SigningKey[] = [];
  if (SVC_CHECKPOINT_KEY_BEFORE !== undefined) {
    earlierKeys.push(parseCheckpointKey(SVC_CHECKPOINT_KEY_BEFORE, 'SVC_CHECKPOINT_KEY_BEFORE'));
  }
  // The key of before another one was named.
  if (!isOwn && existsSync(own)) earlierKeys.push(checkpointKeyFromFile(own, { mayCreate: false }));
  return { key, keyFile, earlierKeys, places: placesOf(config) };
}

function placesOf(config: Config): PublishingPlaces {
  const { SVC_CHECKPOINT_DIR, SVC_CHECKPOINT_URL, SVC_CHECKPOINT_WITNESS_URL, SVC_CHECKPOINT_WITNESS_KEY } = config;
  if (SVC_CHECKPOINT_WITNESS_URL !== undefined && SVC_CHECKPOINT_WITNESS_KEY === undefined) {
    throw new InvalidConfig(
      'SVC_CHECKPOINT_WITNESS_KEY: must be set together with SVC_CHECKPOINT_WITNESS_URL: the verifier key of the witness.',
    );
  }
  if (SVC_CHECKPOINT_WITNESS_KEY !== undefined && SVC_CHECKPOINT_WITNESS_URL === undefined) {
    throw new InvalidConfig('SVC_CHECKPOINT_WITNESS_URL: must be set together with SVC_CHECKPOINT_WITNESS_KEY.');
  }
  return {
    folder: SVC_CHECKPOINT_DIR === undefined ? undefined : resolve(SVC_CHECKPOINT_DIR),
    url: SVC_CHECKPOINT_URL,
    witness:
      SVC_CHECKPOINT_WITNESS_URL === undefined || SVC_CHECKPOINT_WITNESS_KEY === undefined
        ? undefined
        : { url: SVC_CHECKPOINT_WITNESS_URL, key: parseVkey(SVC_CHECKPOINT_WITNESS_KEY) },
  };
}
