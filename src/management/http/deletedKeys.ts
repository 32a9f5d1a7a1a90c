import { type ApiKeyId, type Instant, instant, type Position } from '../../domain/core/brands.ts';
import type { HeldRange } from '../../domain/hold/isHeld.ts';
import type { HistoryPage } from '../../readModels/historyQueries.ts';
import { keysOfCallers } from '../../vault/callerKeys.ts';
import type { Capabilities } from './capabilities.ts';

/** A deleted API key whose callers can still be read. */
export interface DeletedKey {
  readonly id: ApiKeyId;
  readonly deletedAt: Instant;
  /** What History says about its deletion; has its name. */
  readonly sentence: string;
  /** The events of its requests, for legal holds. */
  readonly requests: HeldRange;
}

/** Requests that were open when the key was deleted ended within this time. */
const LONGEST_REQUEST_MS = 86_400_000;
const PAGE = 500;

/**
 * Finds the deleted API keys whose callers can still be read, newest first. The vault names the keys; only those that History has as
 * deleted count, because another node may have created one that this node does not know yet.
 */
export async function findDeletedKeys({
  views,
  vault,
  queries,
}: Pick<Capabilities, 'views' | 'vault' | 'queries'>): Promise<DeletedKey[]> {
  const ids = keysOfCallers(vault).filter((id) => !views.current.apiKeys.has(id));
  if (ids.length === 0) return [];
  const created = new Map<string, Instant>();
  const deleted = new Map<ApiKeyId, Pick<DeletedKey, 'deletedAt' | 'sentence'>>();
  const { upTo } = views.currentView();
  for (let first = 0; first < ids.length; first += PAGE) {
    const subjects = ids.slice(first, first + PAGE).map((id) => `apiKey-${id}`);
    const filter = { subjects, types: ['ApiKeyCreated', 'ApiKeyDeleted'] };
    let before: Position | null = null;
    do {
      const page: HistoryPage = await queries.history.page(filter, before, PAGE, upTo);
      for (const { type, subject, time, sentence } of page.entries) {
        const id = subject.slice('apiKey-'.length) as ApiKeyId;
        if (type === 'ApiKeyDeleted') deleted.set(id, { deletedAt: time, sentence });
        else created.set(id, time);
      }
      before = page.before;
    } while (before !== null);
  }
  const keys = Array.from(deleted, ([id, deletion]): DeletedKey => {
    const from = created.get(id);
    const until = instant(deletion.deletedAt + LONGEST_REQUEST_MS);
    const subjects = new Set([`apiKey-${id}`]);
    return { id, ...deletion, requests: { ...(from !== undefined && { from }), until, subjects } };
  });
  return keys.sort((one, other) => other.deletedAt - one.deletedAt);
}
