import { z } from 'zod';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { EVERYONE } from '../http/roles.ts';

const Health = z.object({ status: z.literal('ok') });

const routes = {
  get: describeRoute({
    roles: EVERYONE,
    at: { none: 'it shows whether this process runs' },
    summary: 'Check that the process is running',
    response: Health,
  }),
};

/** Public, and independent of log and provider (docs/decisions/0045-optional-keys-and-public-paths.md). */
export const healthRoutes = () =>
  newRouter('')
    .get('/health', routes.get, () => ({ status: 'ok' }))
    .routes();
