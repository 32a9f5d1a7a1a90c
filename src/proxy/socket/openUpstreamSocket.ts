import type { AccountId } from '../../domain/core/brands.ts';
import type { AccountHeaders } from '../../provider/client/outboundHeaders.ts';
import { connectionFailure } from '../exchange/connectionFailure.ts';
import type { Provider } from '../exchange/ports.ts';
import { type Failure, parseRetryAfter, readProviderError } from '../providerResponse/failure.ts';
import type { UpstreamRoute } from '../upstream/upstreamRoutes.ts';
import { type OpenedWebSocket, openWebSocket, UpgradeRefused } from '../upstream/websocket/openWebSocket.ts';

/** Codex gives an upgrade up after 15 s (docs/clients.md#codex-on-a-websocket). */
export const UPGRADE_TIMEOUT_MS = 5_000;

/** Without this the provider serves no websocket; clients other than Codex do not send it. */
const BETA = 'responses_websockets=2026-02-06';

/** Of requests with a body. */
const WITHOUT: ReadonlySet<string> = new Set(['accept', 'content-type']);

export interface UpstreamSocketRequest {
  readonly accountId: AccountId;
  readonly account: AccountHeaders;
  readonly route: UpstreamRoute;
  readonly requestId: string;
  /** Alternating names and values, as the client sent them with its upgrade. */
  readonly clientHeaders: readonly string[];
  /** For a conversation without a session header (docs/decisions/0109-session-id-of-unnamed-sessions.md). */
  readonly sessionId?: string | undefined;
  /** Below the provider's base path. */
  readonly upstreamPath: string;
}

export interface UpstreamSocketOpener {
  /** @throws what `failureOfUpgrade` understands */
  open(request: UpstreamSocketRequest, signal: AbortSignal): Promise<OpenedWebSocket>;
}

export interface UpstreamSocketOpenerOptions {
  readonly provider: Pick<Provider, 'basePath' | 'outboundHeaders'>;
  /** `http:` or `https:` with host and port. */
  readonly origin: URL;
  readonly deflate: boolean;
  /** Called when an upgrade has worked. */
  readonly onOpened: () => void;
}

/** Opens websockets to the provider with the headers of a model request. */
export const createUpstreamSocketOpener = ({
  provider: { basePath, outboundHeaders },
  origin,
  deflate,
  onOpened,
}: UpstreamSocketOpenerOptions): UpstreamSocketOpener => ({
  async open({ account, route, requestId, clientHeaders, sessionId, upstreamPath }, signal) {
    const { shared, own } = outboundHeaders(clientHeaders, account, requestId, { accept: '*/*', sessionId });
    const opened = await openWebSocket({
      openConnection: route.openConnection,
      url: new URL(basePath + upstreamPath, origin),
      headers: headersOf([...shared.flatMap(({ fields }) => fields), ...own]),
      deflate,
      timeoutMs: UPGRADE_TIMEOUT_MS,
      signal,
    });
    onOpened();
    return opened;
  },
});

function headersOf(fields: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'openai-beta': BETA };
  const given = new Set<string>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [name, value] = [fields[index] as string, fields[index + 1] as string];
    if (WITHOUT.has(name)) continue;
    headers[name] = given.has(name) ? [headers[name] as string, value].flat() : value;
    given.add(name);
  }
  return headers;
}

/**
 * @returns what a failed upgrade means. A refusal is the account's only if it says so: Cloudflare, proxies and a provider that
 * serves no websockets refuse with the same statuses, and the account then serves requests over HTTP
 */
export function failureOfUpgrade(
  error: unknown,
  { proxy }: Pick<UpstreamRoute, 'proxy'>,
  { descriptors }: Pick<Provider, 'descriptors'>,
): Failure {
  if (!(error instanceof UpgradeRefused)) {
    return connectionFailure(error as Error, { isProxied: proxy !== undefined, hasBegun: false, descriptors });
  }
  const { status, headers, body } = error;
  const said = readProviderError(body);
  const isOfAccount = status === 401 || status === 429 || (status === 403 && said.code !== undefined);
  if (!isOfAccount) return { kind: 'socketRefused', status };
  return { kind: 'status', status, error: said, retryAfterSeconds: parseRetryAfter(headers.get('retry-after')) };
}
