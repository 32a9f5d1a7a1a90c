import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { openDataFolder } from '../../../dataFolder/dataFolder.ts';
import { instant } from '../../../domain/core/brands.ts';
import type { EventOf } from '../../../domain/core/event.ts';
import { CheckpointKeyLossAccepted } from '../../../domain/losses/events.ts';
import { PublishedFolder } from '../../../integrity/published/publishedFolder.ts';
import { Faults } from '../../../lib/faults.ts';
import type { Config } from '../../config/config.ts';
import { checkpointSettings } from '../../wiring/checkpointSettings.ts';
import { openStore } from '../../wiring/openStore.ts';
import { appendLoss } from './appendLoss.ts';
import { originOf, type StoppedLog, withNotes } from './checkpointLoss.ts';

type LostKey = EventOf<typeof CheckpointKeyLossAccepted>['data'];

/**
 * Accepts that the key was lost which signed the last checkpoint of the log: records it in the log, so that checkpoints go on under
 * a new origin with the key that svc has. No other process may have the folder open.
 * @returns what was recorded; undefined when the key that svc has signed last, or nothing was signed
 * @throws CannotAcceptLoss | DataFolderInUse, and what opening the store throws
 */
export async function acceptCheckpointKeyLoss(
  config: Config,
  { print }: { readonly print: (line: string) => void },
): Promise<LostKey | undefined> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(openDataFolder(resolve(config.SVC_DATA_DIR), { nodeId: config.SVC_NODE_ID }), (locked) =>
    locked.close(),
  );
  const io = { print, report: (error: unknown) => print(String(error)), faults: new Faults({ print, now: Date.now }) };
  const store = opened.adopt(await openStore(config, folder, io), async (each) => {
    await each.outbox?.close();
    await each.close();
  });
  const lost = await findLostKey({ config, folder, store });
  if (!lost) return undefined;
  await appendLoss(store.log, {
    ...CheckpointKeyLossAccepted(lost),
    time: instant(Date.now()),
    actorCommand: 'accept-loss --checkpoint-key',
    correlationId: randomUUID(),
  });
  return lost;
}

async function findLostKey(stopped: StoppedLog): Promise<LostKey | undefined> {
  const { config, folder } = stopped;
  const { key, places } = checkpointSettings(config, folder, stopped.store.vault);
  const own = key.publicKey.toString('hex');
  return await withNotes(folder, async (notes) => {
    const [last, checkpoint] = [notes?.last(), notes?.lastCheckpoint()];
    if (last && checkpoint) {
      const { origin, size, root } = checkpoint;
      return last.publicKey === own ? undefined : { publicKey: last.publicKey, checkpoint: { origin, size, root } };
    }
    // The folder of checkpoints may know what the data folder has lost.
    const origin = await originOf(stopped);
    if (!origin || places.folder === undefined || !existsSync(places.folder)) return undefined;
    const published = new PublishedFolder(places.folder);
    const head = await published.head(origin, []);
    const isOwn = head && (await published.head(origin, [own]))?.size === head.size;
    if (!head || isOwn) return undefined;
    return { publicKey: '', checkpoint: { origin: head.origin, size: head.size, root: head.root ?? '' } };
  });
}
