import { z } from 'zod';
import type { ApiKeyId, Instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { RequestLogRow } from '../../readModels/requestLogQueries.ts';
import type { UpTo } from '../../readModels/upTo.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { cursorOf, readCursor } from '../http/cursor.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { queryInteger, queryTime } from '../http/query.ts';
import { EVERYONE } from '../http/roles.ts';
import { isLimitedToOwn, requireOwn } from '../people/principal.ts';
import { archivedOf, archivedSchema } from './archives/archivedDays.ts';
import { ownerIn } from './owners.ts';
import { RequestLogEntry, requestLogEntry } from './requestLogs.ts';
import { withoutAccounts } from './requests/ownRequests.ts';

const time = z.iso.datetime({ offset: true }).optional();

const routes = {
  list: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary:
      'List the requests of the API keys of an owner, latest first; members get their own, without the accounts that served them',
    query: {
      since: time.describe('Earliest end of a request, inclusive'),
      until: time.describe('Latest end, inclusive'),
      limit: z.int().min(1).max(200).default(50),
      cursor: z.string().optional().describe('next_cursor of the previous page'),
    },
    response: z.object({
      requests: z.array(RequestLogEntry),
      next_cursor: z.string().nullable(),
      ...archivedSchema,
    }),
    errors: ['owner_not_found', 'invalid_owner', 'read_models_unavailable'],
  }),
};

/** Types of the events with which requests end. */
const ENDS = ['RequestCompleted', 'RequestRefused'];
/** More keys of one owner change hands less often than this. */
const MAX_MOVES = 1_000;

/**
 * What the keys that an owner has now were used for since they are the owner's: a key that moves takes no requests along. Found by
 * the history's index of API keys, so that a member's page costs no scan of all requests.
 */
export const ownerRequestRoutes = ({ views, queries, vault }: Pick<Capabilities, 'views' | 'queries' | 'vault'>) => {
  /** When each key came to its owner from another one, or from none. */
  async function movesOf(keyIds: readonly ApiKeyId[], upTo: UpTo): Promise<ReadonlyMap<string, Instant>> {
    const subjects = keyIds.map(subjectOfKey);
    const filter = { subjects, types: ['ApiKeyOwnerChanged'] };
    const { entries } = await queries.history.page(filter, null, MAX_MOVES, upTo);
    // In the order of time, so that the last move of a key remains.
    return new Map(entries.toReversed().map(({ subject, time }) => [subject, time]));
  }

  return newRouter('/api/owners')
    .get('/:owner/requests', routes.list, async (ctx) => {
      const owner = ownerIn(ctx);
      const limit = queryInteger(ctx, 'limit', { min: 1, max: 200, fallback: 50 });
      const cursor = readCursor(ctx);
      const [since, until] = [queryTime(ctx, 'since'), queryTime(ctx, 'until')];
      const { principal } = ctx.state;
      if (principal) requireOwn(principal, owner, 'owner_not_found', { owner });
      const { state, upTo } = await views.asOf(ctx);
      const keyIds = [...state.apiKeys.values()].filter((key) => key.owner === owner).map(({ id }) => id);
      if (keyIds.length === 0) {
        if (owner !== principal?.operatorId && !state.owners.has(owner)) refuse('owner_not_found', { owner });
        return { requests: [], next_cursor: null };
      }
      const [moves, page] = await Promise.all([
        movesOf(keyIds, upTo),
        queries.history.page(
          {
            actors: keyIds.map((id) => `apiKey:${id}`),
            types: ENDS,
            ...(since !== undefined && { since }),
            ...(until !== undefined && { until }),
          },
          cursor,
          limit,
          upTo,
        ),
      ]);
      const positions = page.entries.map(({ position }) => position);
      const rows = await queries.requestLog.rows(positions, upTo);
      const isOfOwner = ({ apiKeyId, requestedAt }: RequestLogRow) =>
        requestedAt >= (moves.get(subjectOfKey(apiKeyId as ApiKeyId)) ?? 0);
      const isOwnOnly = principal && isLimitedToOwn(principal);
      const entries = rows.filter(isOfOwner).map((row) => requestLogEntry(row, vault));
      return {
        requests: isOwnOnly ? entries.map(withoutAccounts) : entries,
        next_cursor: cursorOf(page.before),
        ...archivedOf(page),
      };
    })
    .routes();
};

const subjectOfKey = (id: ApiKeyId) => `apiKey-${id}`;
