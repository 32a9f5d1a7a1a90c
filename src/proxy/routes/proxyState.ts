import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { RequestTrace } from '../tracing/requestTrace.ts';
import type { ProxyRoute } from './routes.ts';

/** The state of a request in the proxy. The middleware adds it step by step. */
export interface ProxyState {
  requestId: string;
  requestedAt: Instant;
  /** Undefined if no route has the path. */
  route: ProxyRoute | undefined;
  /** Null when keys are not required; undefined until the client is identified. */
  key: ApiKey | null;
  /** What has arrived after an upgrade to a websocket; undefined for any other request. */
  upgradeHead?: Buffer | undefined;
  /** Undefined until it is read. */
  model: string | undefined;
  /** Undefined while traces are off, and until the client of a model request is identified. */
  trace: RequestTrace | undefined;
  /** Called when the head of the response is written. */
  onHead: (status: number) => void;
}

/** The state of a request after routing: its route is found and its client is identified. */
export interface RoutedState<Route extends ProxyRoute = ProxyRoute> extends ProxyState {
  readonly route: Route;
}
