import { z } from 'zod';
import type { ModelCatalogue } from '../../domain/modelCatalogue/state.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { EVERYONE } from '../http/roles.ts';

const Model = z.object({ id: z.string(), name: z.string() });

const routes = {
  list: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary: 'List models that the provider offers, that have a price or that served a request',
    response: z.object({ models: z.array(Model) }),
    errors: ['read_models_unavailable'],
  }),
};

interface ModelsOptions extends Pick<Capabilities, 'views' | 'queries'> {
  /** Models in the price table. */
  readonly pricedModels: readonly string[];
}

/** The models known to this service, for the choices of the dashboard. */
export const modelRoutes = ({ views, queries, pricedModels }: ModelsOptions) =>
  newRouter('/api/models')
    .get('/', routes.list, async (ctx) => {
      const { state, upTo } = await views.asOf(ctx);
      const names = displayNames(state.models);
      const served = await queries.requestLog.models(upTo);
      const ids = [...new Set([...pricedModels, ...served, ...names.keys()])].sort();
      return { models: ids.map((id) => ({ id, name: names.get(id) ?? id })) };
    })
    .routes();

/** Display names by model id, from the provider's catalogue; the id where the catalogue has no name. */
function displayNames({ plans, entries }: ModelCatalogue): Map<string, string> {
  const names = new Map<string, string>();
  for (const { slug, version } of [...plans.values()].flat()) {
    const { display_name: name } = JSON.parse(entries.get(version) ?? '{}') as { display_name?: unknown };
    names.set(slug, typeof name === 'string' && name !== '' ? name : slug);
  }
  return names;
}
