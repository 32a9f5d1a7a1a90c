import { statfs } from 'node:fs/promises';
import type { CoolDowns } from '../../domain/coolDown/state.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { availabilityOf } from '../../domain/routing/availability.ts';
import { withTimeout } from '../../lib/withTimeout.ts';
import type { CheckReadiness, NotReadyCode } from '../../management/resources/health.ts';
import type { Sinks } from '../../sinks/keepSinks.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { Foundation } from './foundation.ts';

export interface ReadinessOptions extends Pick<Foundation, 'hot' | 'folder' | 'descriptors' | 'now'> {
  readonly store: Pick<Foundation['store'], 'isFailing' | 'checkIdle' | 'isCopyWritten' | 'outbox' | 'log'>;
  readonly sinks: Pick<Sinks, 'isTaking'>;
  /** Whether a request needs no new connection to the provider. */
  readonly hasIdleConnection: () => boolean;
  readonly coolDowns: CoolDowns;
  readonly isShuttingDown: () => boolean;
  /** Bytes that are left for the data folder; undefined: unknown. */
  readonly freeBytes?: () => Promise<number | undefined>;
}

/** A full WAL, and the room that the log needs to say that it is full. */
const MIN_FREE_BYTES = 64 * 1_048_576;
/** How long this node may take to fold what the log has when it is asked, and the disk to respond. */
const CHECK_MS = 1_000;
/** Everyone may ask, and as often as they like. */
const CACHED_MS = 500;

/**
 * Whether model requests would be served, from what this node knows: it sends nothing anywhere. While EventStoreDB is unreachable the
 * outbox takes the events, so the node is ready until that is full. An account that cools down for seconds is one that can serve.
 */
export function createReadiness(options: ReadinessOptions): CheckReadiness {
  const { store, sinks, hot, folder, descriptors, now, coolDowns, isShuttingDown } = options;
  const { freeBytes = () => freeBytesOf(folder.path) } = options;
  let last: { readonly at: number; readonly result: Promise<readonly NotReadyCode[]> } | undefined;

  async function isBehind(): Promise<boolean> {
    // Its copy ends where it could not be written any more, and the fold with it.
    if (!store.isCopyWritten()) return true;
    const head = await withTimeout(CHECK_MS, store.log.head()).catch(() => undefined);
    // A log that does not say how far it reaches is not readable.
    if (head === undefined) return true;
    return hot.whenFolded(head, CHECK_MS).then(
      () => false,
      () => true,
    );
  }

  async function check(): Promise<readonly NotReadyCode[]> {
    const [behind, free] = await Promise.all([
      isBehind(),
      withTimeout(CHECK_MS, freeBytes()).catch(() => undefined),
      // A disk that does not respond is failing soon, and this check does not wait for it.
      withTimeout(CHECK_MS, store.checkIdle()),
    ]);
    const found: readonly (NotReadyCode | false | undefined)[] = [
      store.isFailing() && 'log_unavailable',
      store.outbox?.isFull && 'outbox_full',
      !sinks.isTaking && 'sink_unavailable',
      behind && 'fold_behind',
      whyNoAccount(hot.state, coolDowns, now()),
      free !== undefined && free < MIN_FREE_BYTES && 'disk_space_low',
      !options.hasIdleConnection() && descriptors.isShort && 'out_of_file_descriptors',
    ];
    return found.filter((code) => code !== false && code !== undefined);
  }

  return () => {
    if (isShuttingDown()) return Promise.resolve(['shutting_down']);
    const at = performance.now();
    if (!last || at - last.at > CACHED_MS) last = { at, result: check() };
    return last.result;
  };
}

function whyNoAccount(
  { accounts, usage }: Pick<HotState, 'accounts' | 'usage'>,
  coolDowns: CoolDowns,
  now: Instant,
): NotReadyCode | undefined {
  if (accounts.size === 0) return 'no_accounts';
  for (const account of accounts.values()) {
    const { state, reason } = availabilityOf(account, usage.get(account.id), coolDowns.get(account.id), now);
    if (state === 'available' || (state === 'cooling' && reason !== 'usage_limit')) return undefined;
  }
  return 'no_account_available';
}

async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}
