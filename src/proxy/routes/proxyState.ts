import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { ProxyRoute } from './routes.ts';

/** What the middleware of the proxy knows about a request; each adds its part. */
export interface ProxyState {
  requestId: string;
  requestedAt: Instant;
  /** Undefined until the path turns out to be one of ours. */
  route: ProxyRoute | undefined;
  /** Null when keys are not required. */
  key: ApiKey | null;
}

/** A request whose route and client are known. */
export interface RoutedState<Route extends ProxyRoute = ProxyRoute> extends ProxyState {
  readonly route: Route;
}
