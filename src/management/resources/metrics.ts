import type { IncomingMessage } from 'node:http';
import { refuse } from '../../domain/core/refusal.ts';
import type { MetricRegistry } from '../../lib/metrics/metricRegistry.ts';
import { checkSession, forwardingHeaderIn } from '../auth/access.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { READERS } from '../http/roles.ts';

/** What is measured, and who may read it without signing in. */
export interface ReadableMetrics {
  readonly registry: Pick<MetricRegistry, 'expose'>;
  /** Whether the peer of a request has an address of `SVC_METRICS_ALLOW`. */
  readonly isAllowedPeer: (request: IncomingMessage) => boolean;
}

const routes = {
  get: describeRoute({
    roles: READERS,
    at: { none: 'it shows what this process has counted since its start' },
    summary: 'Get the metrics of this node: text of Prometheus, or OpenMetrics where `Accept` names it',
    // A scrape configuration can add parameters.
    isQueryOpen: true,
    response: 'text',
  }),
};

interface MetricsOptions extends Pick<Capabilities, 'views'> {
  readonly metrics?: ReadableMetrics | undefined;
}

/** Mounted before `requireSession`: a scraper on this machine or at an allowed address needs no token. */
export const metricsRoutes = ({ views, metrics }: MetricsOptions) =>
  newRouter('')
    .get('/metrics', routes.get, async (ctx) => {
      if (!metrics) return refuse('not_found', { path: ctx.path });
      // Credentials that are not valid are refused from everywhere, so that a mistake in them is noticed.
      if (!isKnownScraper(ctx, metrics)) checkSession(views.current, ctx);
      const { contentType, text } = await metrics.registry.expose(formatFor(ctx.get('accept')));
      ctx.set('content-type', contentType);
      return text;
    })
    .routes();

function isKnownScraper(ctx: ManagementContext, { isAllowedPeer }: ReadableMetrics): boolean {
  const { principal, client } = ctx.state;
  if (principal || client.session || client.tokenRefusal) return false;
  return client.notLocalReason === undefined || (!forwardingHeaderIn(ctx.headers) && isAllowedPeer(ctx.req));
}

/** Prometheus names both formats and prefers OpenMetrics; what accepts anything gets the classic one. */
function formatFor(accept: string): 'text' | 'openMetrics' {
  const weightOf = (name: RegExp) => {
    const range = accept.split(',').find((part) => name.test(part));
    return range === undefined ? 0 : Number(/;\s*q=([\d.]+)/.exec(range)?.[1] ?? 1);
  };
  const weight = weightOf(/^\s*application\/openmetrics-text\s*(;|$)/);
  return weight > 0 && weight >= weightOf(/^\s*text\/plain\s*(;|$)/) ? 'openMetrics' : 'text';
}
