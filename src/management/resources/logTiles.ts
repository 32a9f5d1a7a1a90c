import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { refuse } from '../../domain/core/refusal.ts';
import { TILE_WIDTH } from '../../integrity/merkle/merkleTree.ts';
import { parseTilePath } from '../../integrity/tiles/tilePaths.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { available, type Integrity } from '../http/integrity.ts';
import { READERS } from '../http/roles.ts';

const routes = {
  checkpoint: describeRoute({
    roles: READERS,
    at: { none: 'it is the last signed checkpoint; each names its own size and time' },
    summary: 'Get the newest checkpoint, a signed note as in c2sp.org/tlog-checkpoint',
    response: 'text',
    errors: ['checkpoint_not_found'],
  }),
  tile: describeRoute({
    roles: READERS,
    at: { none: 'a tile names the entries that it covers, and never changes' },
    summary:
      'Get hashes of the tree (<L>/<N> or <L>/<N>.p/<W>) or leaf entries (entries/<N> or entries/<N>.p/<W>), as in c2sp.org/tlog-tiles',
    response: 'bytes',
    errors: ['tile_not_found', 'proof_unavailable'],
  }),
};

const CHECKPOINT_TYPE = 'text/plain; charset=utf-8';
/** A tile never changes once it is full. Private: a cache that others share must not have what needs a session. */
const FULL_TILE = 'private, max-age=31536000, immutable';
/** Nor does a part of one, but no client asks for it again when the tile has grown. */
const PARTIAL_TILE = 'private, max-age=3600, immutable';

/** The tree over all events as https://c2sp.org/tlog-tiles serves one, below `/api/log`. */
export const logTileRoutes = ({ integrity: { tree, checkpoints } }: { readonly integrity: Integrity }) =>
  newRouter('/api/log')
    .get('/checkpoint', routes.checkpoint, (ctx) => {
      const { note } = checkpoints.latest() ?? refuse('checkpoint_not_found');
      ctx.type = CHECKPOINT_TYPE;
      return note;
    })
    .get('/tile/*path', routes.tile, async (ctx) => {
      // Not from the parameters, because a tile has one spelling only, without escapes.
      const name = parseTilePath(ctx.path.slice('/api/log/'.length)) ?? refuse('tile_not_found');
      const tile = (await available(tree.tile(name))) ?? refuse('tile_not_found');
      ctx.type = 'application/octet-stream';
      ctx.set('cache-control', name.width === TILE_WIDTH ? FULL_TILE : PARTIAL_TILE);
      return name.level === 'entries' ? compressed(ctx, tile) : tile;
    })
    .routes();

/** Leaf entries shrink to a fifth, hashes do not. Compressed outside the main thread, in the format that every client accepts. */
async function compressed(ctx: ManagementContext, entries: Buffer): Promise<Buffer> {
  ctx.vary('accept-encoding');
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') return entries;
  ctx.set('content-encoding', 'gzip');
  return promisify(gzip)(entries);
}
