import { refuse } from '../../domain/core/refusal.ts';
import { programOfTransport } from '../../domain/moving/events.ts';
import type { Explained } from '../../replay/reading/readingThread.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { available, type Integrity } from '../http/integrity.ts';
import { READERS } from '../http/roles.ts';
import { ExplanationEntry } from './explain/explanationSchema.ts';
import { findRequestRow } from './requests/findRequestRow.ts';

/** Explains the request whose end is at a position. */
export type Explain = (requestId: string, position: number) => Promise<Explained>;

const NOT_FOUND: Explained = { explanation: undefined };

const routes = {
  explain: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'Explain a request: caller, limits, the accounts that could have served it and why not, attempts, cost',
    response: ExplanationEntry,
    errors: ['request_not_found', 'request_imported', 'archived', 'read_models_unavailable', 'proof_unavailable'],
  }),
};

/** Single requests; `/api/request-logs` lists them. */
export const requestRoutes = ({
  views,
  queries,
  explain,
  integrity: { tree },
}: Pick<Capabilities, 'views' | 'queries'> & {
  readonly explain: Explain;
  readonly integrity: Pick<Integrity, 'tree'>;
}) =>
  newRouter('/api/requests')
    .get('/:id/explain', routes.explain, async (ctx) => {
      const { id: requestId = '' } = ctx.params;
      const { upTo } = await views.asOf(ctx);
      const row = await findRequestRow(queries, requestId, upTo);
      const program = row && programOfTransport(row.transport);
      if (program !== undefined) refuse('request_imported', { requestId, program });
      const { explanation, archived: behind } = row ? await explain(requestId, row.position) : NOT_FOUND;
      if (explanation) return explanation;
      const archived = behind ?? (await available(tree.archivedRequest(requestId)));
      return archived ? refuse('archived', { ...archived }) : refuse('request_not_found', { requestId });
    })
    .routes();
