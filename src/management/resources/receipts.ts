import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { ApiKeyId } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { StoredCheckpoint } from '../../integrity/checkpoints/checkpoints.ts';
import { leafHash } from '../../integrity/merkle/hashes.ts';
import { rootFromInclusion } from '../../integrity/merkle/proofs.ts';
import { formatProof } from '../../integrity/notes/tlogProof.ts';
import { checkSession } from '../auth/access.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { available, type Integrity } from '../http/integrity.ts';
import { EVERYONE } from '../http/roles.ts';
import { isLimitedToOwn } from '../people/principal.ts';
import { bearerToken } from '../people/secrets.ts';
import { mayUseKey } from './apiKeys/ownKeys.ts';
import { findRequestRow } from './requests/findRequestRow.ts';

const Receipt = z
  .object({
    index: z.int().describe('Index of the leaf: the position of the event - 1'),
    hashes: z.array(z.string()).describe('Inclusion proof of RFC 6962 from the leaf up; each 32 bytes in base64'),
    checkpoint: z.string().describe('Signed note as in c2sp.org/tlog-checkpoint'),
    entry: z.string().describe('The leaf entry: a line of JSON, whose exact bytes are hashed'),
    proof: z.string().describe('The same as in c2sp.org/tlog-proof, with the entry as its extra data'),
  })
  .meta({ id: 'Receipt' });

const routes = {
  get: describeRoute({
    roles: EVERYONE,
    at: { none: 'a receipt proves an event against the last signed checkpoint, and names its size itself' },
    summary: 'Get the proof that a request, by its id, or an event, by its position, is in the log',
    response: Receipt,
    errors: ['receipt_not_found', 'proof_unavailable', 'read_models_unavailable', 'invalid_api_key', 'ip_forbidden'],
    acceptsApiKey: true,
  }),
};

/** @returns the API key that a request carries; undefined when it carries none. @throws Refusal for one that is not valid */
export type ClientKey = (ctx: ManagementContext) => ApiKey | undefined;

/** The requests that a client may read, by the key that made them; undefined: all. */
type Reader = ((apiKeyId: string | null) => boolean) | undefined;

interface ReceiptOptions extends Pick<Capabilities, 'views' | 'queries'> {
  readonly integrity: Integrity;
  readonly clientKey: ClientKey;
}

const POSITION = /^[1-9]\d{0,14}$/;
const REQUEST_ID = /^req_[0-9a-f]{32}$/;
/** An event is in the log before its response ends, and in the read models shortly after. */
const LOOKUPS = 4;
const LOOKUP_INTERVAL_MS = 300;
const TREE_TIMEOUT_MS = 2_000;

/**
 * Proofs that a client can keep. A request's is that of the event with which it ended (`RequestCompleted`, `RequestRefused`).
 * Mounted before `requireSession`: the API key that made a request may read its receipt, and no other one, and a member those of
 * their keys.
 */
export function receiptRoutes({ views, queries, integrity: { tree, checkpoints }, clientKey }: ReceiptOptions) {
  function readerOf(ctx: ManagementContext): Reader {
    const key = bearerToken(ctx.headers.authorization) === undefined ? clientKey(ctx) : undefined;
    if (key) return (apiKeyId) => apiKeyId === key.id;
    const principal = checkSession(views.current, ctx);
    if (!isLimitedToOwn(principal)) return undefined;
    return (apiKeyId) => mayUseKey(principal, views.current.apiKeys.get(apiKeyId as ApiKeyId));
  }

  const findRequest = (requestId: string) => findRequestRow(queries, requestId, views.current.position);

  /** Its leaf entry stays when a day is archived, so there is a receipt. */
  async function findArchived(requestId: string) {
    const archived = await available(tree.archivedRequest(requestId));
    return archived && { position: archived.position, apiKeyId: archived.keyId };
  }

  async function positionOf(name: string, mayRead: Reader): Promise<number | undefined> {
    if (REQUEST_ID.test(name)) {
      let end = (await findRequest(name)) ?? (await findArchived(name));
      for (let lookup = 1; !end && lookup < LOOKUPS; lookup += 1) {
        await delay(LOOKUP_INTERVAL_MS);
        end = await findRequest(name);
      }
      return end && (!mayRead || mayRead(end.apiKeyId)) ? end.position : undefined;
    }
    const position = Number(name);
    if (!POSITION.test(name) || position > views.current.position) return undefined;
    return !mayRead || (await isOwn(position, mayRead)) ? position : undefined;
  }

  /** Whether the event at a position is the end of a request that the reader may read. */
  async function isOwn(position: number, mayRead: NonNullable<Reader>): Promise<boolean> {
    await available(tree.reached(position, TREE_TIMEOUT_MS));
    const entry = await available(tree.entry(position - 1));
    const requestId: unknown = entry && JSON.parse(entry.toString()).correlationId;
    if (typeof requestId !== 'string' || !REQUEST_ID.test(requestId)) return false;
    const end = (await findRequest(requestId)) ?? (await findArchived(requestId));
    return end?.position === position && mayRead(end.apiKeyId);
  }

  return newRouter('/api/receipts')
    .get('/:requestIdOrPosition', routes.get, async (ctx): Promise<z.infer<typeof Receipt>> => {
      const { requestIdOrPosition: name = '' } = ctx.params;
      const position =
        (await positionOf(name, readerOf(ctx))) ?? refuse('receipt_not_found', { name: name.slice(0, 100) });
      return receiptOf(position, await available(checkpoints.covering(position)));
    })
    .routes();

  async function receiptOf(position: number, { note, size, root }: StoredCheckpoint): Promise<z.infer<typeof Receipt>> {
    const index = position - 1;
    await available(tree.reached(size, TREE_TIMEOUT_MS));
    const hashes = await available(tree.inclusionProof(index, size));
    const entry = (await available(tree.entry(index))) ?? refuse('receipt_not_found', { name: position });
    if (rootFromInclusion(index, size, leafHash(entry), hashes).toString('hex') !== root) {
      refuse('proof_unavailable', { problem: 'the log does not fit the checkpoint that was signed of it' });
    }
    return {
      index,
      hashes: hashes.map((hash) => hash.toString('base64')),
      checkpoint: note,
      entry: entry.toString(),
      proof: formatProof({ index, hashes, checkpoint: note, extra: entry }),
    };
  }
}
