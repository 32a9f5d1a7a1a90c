import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { ApiKey } from '../../domain/apiKey/state.ts';
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
    summary: 'Get the proof that a request, by its id, or an event, by its position, is in the log',
    response: Receipt,
    errors: ['receipt_not_found', 'proof_unavailable', 'read_models_unavailable', 'invalid_api_key', 'ip_forbidden'],
    acceptsApiKey: true,
  }),
};

/** @returns the API key that a request carries; undefined when it carries none. @throws Refusal for one that is not valid */
export type ClientKey = (ctx: ManagementContext) => ApiKey | undefined;

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
 * Mounted before `requireSession`: the API key that made a request may read its receipt, and no other one.
 */
export function receiptRoutes({ views, queries, integrity: { tree, checkpoints }, clientKey }: ReceiptOptions) {
  /** @returns undefined for operators */
  function readerOf(ctx: ManagementContext): ApiKey | undefined {
    const key = clientKey(ctx);
    if (!key) checkSession(views.current, ctx);
    return key;
  }

  async function findRequest(requestId: string) {
    const { rows } = await queries.requestLog.page({ search: requestId }, 50, 0, views.current.position);
    return rows.find((row) => row.requestId === requestId);
  }

  async function positionOf(name: string, key: ApiKey | undefined): Promise<number | undefined> {
    if (REQUEST_ID.test(name)) {
      let row = await findRequest(name);
      for (let lookup = 1; !row && lookup < LOOKUPS; lookup += 1) {
        await delay(LOOKUP_INTERVAL_MS);
        row = await findRequest(name);
      }
      return row && mayRead(key, row.apiKeyId) ? row.position : undefined;
    }
    const position = Number(name);
    if (!POSITION.test(name) || position > views.current.position) return undefined;
    return !key || (await isOwn(position, key)) ? position : undefined;
  }

  /** Whether the event at a position is the end of a request that the key made. */
  async function isOwn(position: number, key: ApiKey): Promise<boolean> {
    await available(tree.reached(position, TREE_TIMEOUT_MS));
    const entry = await available(tree.entry(position - 1));
    const requestId: unknown = entry && JSON.parse(entry.toString()).correlationId;
    const row = typeof requestId === 'string' && REQUEST_ID.test(requestId) ? await findRequest(requestId) : undefined;
    return row?.position === position && mayRead(key, row.apiKeyId);
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

const mayRead = (key: ApiKey | undefined, apiKeyId: string | null): boolean => !key || key.id === apiKeyId;
