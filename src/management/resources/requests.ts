import { refuse } from '../../domain/core/refusal.ts';
import type { Explanation } from '../../replay/explain/explanation.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { ExplanationEntry } from './explain/explanationSchema.ts';

/** Explains the request whose end is at a position. @returns undefined when it is not there */
export type Explain = (requestId: string, position: number) => Promise<Explanation | undefined>;

/** The search finds ids that begin with the text, and messages that contain it. */
const MAX_MATCHES = 50;

const routes = {
  explain: describeRoute({
    summary: 'Explain a request: caller, limits, the accounts that could have served it and why not, attempts, cost',
    response: ExplanationEntry,
    errors: ['request_not_found', 'read_models_unavailable'],
  }),
};

/** Single requests; `/api/request-logs` lists them. */
export const requestRoutes = ({
  views,
  queries,
  explain,
}: Pick<Capabilities, 'views' | 'queries'> & { readonly explain: Explain }) =>
  newRouter('/api/requests')
    .get('/:id/explain', routes.explain, async ({ params: { id: requestId = '' } }) => {
      const { rows } = await queries.requestLog.page({ search: requestId }, MAX_MATCHES, 0, views.current.position);
      const row = rows.find((each) => each.requestId === requestId);
      const explanation = row && (await explain(requestId, row.position));
      return explanation ?? refuse('request_not_found', { requestId });
    })
    .routes();
