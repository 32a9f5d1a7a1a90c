import { withTimeout } from '../../lib/withTimeout.ts';
import { signCheckpoint } from '../notes/checkpoint.ts';
import type { SigningKey } from '../notes/noteKeys.ts';
import type { LogOrigin } from '../published/logOrigin.ts';
import { PublishedFolder } from '../published/publishedFolder.ts';
import type { Tree } from '../tree/tree.ts';
import type { NoteStore } from './noteStore.ts';
import type { Witnesses } from './signer.ts';
import type { WitnessTarget } from './witnessTarget.ts';

export interface PublishedHeadsOptions {
  readonly folder: string | undefined;
  readonly witness: WitnessTarget | undefined;
  readonly store: NoteStore;
  readonly tree: Pick<Tree, 'root'>;
  readonly key: SigningKey;
  readonly earlierKeys: readonly SigningKey[];
}

/** Public keys whose notes are of the log; none: those of any key, because the data folder does not know which keys the log had. */
export function keysOfLog(store: Pick<NoteStore, 'keys'>, own: readonly SigningKey[]): string[] {
  const known = store.keys();
  if (known.length === 0) return [];
  return [...new Set([...known, ...own.map(({ publicKey }) => publicKey.toString('hex'))])];
}

/** A folder or a witness that does not respond says nothing; its publisher raises the fault. */
const TIMEOUT_MS = 1_500;

/** What the folder and the witness have of the log. */
export function createPublishedHeads({
  folder,
  witness,
  store,
  tree,
  key,
  earlierKeys,
}: PublishedHeadsOptions): Witnesses {
  const published = folder === undefined ? undefined : new PublishedFolder(folder);
  const keys = () => keysOfLog(store, [key, ...earlierKeys]);

  async function probe(origin: LogOrigin): Promise<void> {
    if (!witness) return;
    const last = store.lastCheckpoint();
    const record =
      last?.origin === origin.origin
        ? last
        : // All copies of a log have the same first event, so this checkpoint contradicts none.
          {
            origin: origin.origin,
            size: 1,
            note: signCheckpoint({ origin: origin.origin, size: 1, root: (await tree.root(1)).root, extensions: [] }, [
              key,
            ]),
          };
    await witness.probe(record, AbortSignal.timeout(TIMEOUT_MS)).catch(() => undefined);
  }

  return {
    async heads(origin) {
      const inFolder = published?.head(origin, keys()).catch(() => undefined) ?? Promise.resolve(undefined);
      const [head] = await Promise.all([withTimeout(TIMEOUT_MS, inFolder), probe(origin)]);
      const conflicts = store.conflicts().filter((conflict) => conflict.origin === origin.origin);
      return [...(head ? [head] : []), ...conflicts];
    },
    async before(origin) {
      const inFolder = published?.before(origin, keys()).catch(() => undefined) ?? Promise.resolve(undefined);
      return await withTimeout(TIMEOUT_MS, inFolder);
    },
  };
}
