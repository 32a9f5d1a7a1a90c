import type { IncomingMessage, ServerResponse } from 'node:http';
import { WebSocketServer } from 'ws';
import type { AccountId } from '../../domain/core/brands.ts';
import type { AttemptOutcome } from '../../domain/request/attemptOutcomes.ts';
import type { AccountHeaders } from '../../provider/client/outboundHeaders.ts';
import { outOfDescriptors, ProxyError } from '../errors/proxyError.ts';
import { availableAgainAt } from '../exchange/availableAgain.ts';
import { choose } from '../exchange/choose.ts';
import { type Classification, classify } from '../exchange/classify.ts';
import { finalError, noAccountError } from '../exchange/errorsForClient.ts';
import type { Failure } from '../providerResponse/failure.ts';
import { isObject } from '../requestBody/parseJson.ts';
import { clientOf, pinOf } from '../requests/admitRequest.ts';
import { readSessionHeader } from '../responses/conversationKey.ts';
import type { RoutedState } from '../routes/proxyState.ts';
import type { ConversationRoute } from '../routes/routes.ts';
import { DEFLATE } from '../upstream/websocket/deflate.ts';
import { ClientSocket, type OpenedUpstream } from './clientSocket.ts';
import { parseFrame } from './frames.ts';
import type { OpenSockets } from './openSockets.ts';
import { failureOfUpgrade, UPGRADE_TIMEOUT_MS } from './openUpstreamSocket.ts';
import type { SocketServices } from './socketServices.ts';

export interface UpgradeHandlerOptions {
  readonly services: SocketServices;
  readonly sockets: OpenSockets;
  /** Accepts permessage-deflate. */
  readonly deflate: boolean;
  /** Whether an upgrade at the provider has worked within the last minute. */
  readonly hasWorkedLately: () => boolean;
}

/** An upgrade for which there is room. */
interface Upgrade {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly state: RoutedState<ConversationRoute>;
  readonly head: Buffer;
  /** Of its conversation, and unique to its key. */
  readonly name: string | undefined;
}

/**
 * The provider closes a socket with 1009 on a message of 16 MiB. Such a request is sent by POST instead
 * (docs/provider.md#websockets).
 */
const MAX_MESSAGE_BYTES = 15.5 * 1_048_576;
/** `closeTimeout`: for the client to answer a close frame; the types of `ws` do not have it. */
const LIMITS = { maxPayload: MAX_MESSAGE_BYTES, maxFragments: 16_384, closeTimeout: 5_000 };
/** Accounts that are tried before the client gets its answer: Codex gives an upgrade up after 15 s. */
const MAX_ACCOUNTS = 3;
const MAX_OPENING_MS = 2 * UPGRADE_TIMEOUT_MS;
const MAX_TOO_LARGE = 1_000;
const RETRY_AFTER = { 'retry-after': '5' };
const KEY = /^[+/0-9A-Za-z]{22}==$/;
/** What the provider says with its acceptance, and Codex reads. The list of models comes from svc, so its tag does not. */
const RELAYED = 'x-reasoning-included';

/**
 * Creates the handler of upgrades of identified clients. On the paths of Codex the provider's socket is opened first, because
 * Codex falls back to POST at once only when its upgrade is refused. Other clients have no other way: they get the error of
 * their first request.
 * @throws ProxyError for an upgrade that is refused
 */
export function createUpgradeHandler({ services, sockets, deflate, hasWorkedLately }: UpgradeHandlerOptions) {
  const { hot, accounts, provider, pins, upstreamSockets, now } = services;
  const tooLarge = new Set<string>();
  const acceptance = new WeakMap<IncomingMessage, readonly string[]>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    ...LIMITS,
    handleProtocols: () => false,
    perMessageDeflate: deflate && DEFLATE,
  });
  server.on('headers', (lines, request) => lines.push(...(acceptance.get(request) ?? [])));

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    state: RoutedState<ConversationRoute>,
    head: Buffer,
  ): Promise<void> => {
    const { key } = state;
    const conversation = conversationOf(request);
    const name = conversation && `${clientOf(key)}\n${conversation.value}`;
    const isPossible = isWellFormed(request) && !(name !== undefined && tooLarge.delete(name));
    const release = isPossible ? sockets.makeRoom(key?.id ?? null) : undefined;
    if (!release) throw new ProxyError('upgrade_required');
    try {
      await accept({ request, response, state, head, name });
    } finally {
      release();
    }
  };

  async function accept({ request, response, state, head, name }: Upgrade): Promise<void> {
    const { requestId, key, route, onHead } = state;
    const connection = request.socket;
    const upstream = route.dialect === 'v1' ? undefined : await openFirst(request, state);
    if (connection.destroyed) {
      upstream?.opened.socket.terminate();
      return;
    }
    const reasoning = upstream?.opened.headers.get(RELAYED);
    acceptance.set(request, [
      `x-request-id: ${requestId}`,
      ...(reasoning === undefined ? [] : [`${RELAYED}: ${reasoning}`]),
    ]);
    response.detachSocket(connection);
    server.handleUpgrade(request, connection, head, (socket) => {
      const onClosed = (closed: ClientSocket) => sockets.delete(closed);
      const onTooLarge = () => {
        if (name === undefined) return;
        if (tooLarge.size >= MAX_TOO_LARGE) tooLarge.clear();
        tooLarge.add(name);
      };
      const options = { socket, connection, request, requestId, key, route, onTooLarge, onClosed };
      const client = new ClientSocket(services, options);
      if (upstream) client.useUpstream(upstream);
      sockets.add(client);
    });
    services.socketMetrics.onUpgrade('accepted');
    onHead(101);
  }

  /** Opens a socket at the provider for the conversation. @throws ProxyError */
  async function openFirst(
    request: IncomingMessage,
    { requestId, key, route }: RoutedState<ConversationRoute>,
  ): Promise<OpenedUpstream> {
    const opening = new AbortController();
    const timer = setTimeout(() => opening.abort(), MAX_OPENING_MS);
    const onClose = () => opening.abort();
    request.socket.once('close', onClose);
    try {
      return await openOnAny(request, { requestId, key, route }, opening.signal);
    } finally {
      clearTimeout(timer);
      request.socket.off('close', onClose);
    }
  }

  async function openOnAny(
    request: IncomingMessage,
    { requestId, key, route }: Pick<RoutedState<ConversationRoute>, 'requestId' | 'key' | 'route'>,
    signal: AbortSignal,
  ): Promise<OpenedUpstream> {
    const conversation = conversationOf(request);
    const isSticky = hot.settings.stickyThreadsEnabled && conversation !== undefined;
    const pin = isSticky ? pinOf(pins, clientOf(key), conversation) : undefined;
    const model = modelOf(request) ?? '';
    const tried: { accountId: AccountId; outcome: AttemptOutcome }[] = [];
    let last: { failure: Failure; classification: Classification } | undefined;
    while (tried.length < MAX_ACCOUNTS && !signal.aborted) {
      const at = now();
      const { selection } = choose(accounts, { pin, requestId, key, model }, tried, at);
      if (selection.kind === 'none') {
        if (last && selection.reason === 'tried') break;
        const { reason, until } = selection;
        const againAt = availableAgainAt(accounts, { key, model }, [], at);
        throw noAccountError(accounts, { key }, { reason, until, againAt }, at);
      }
      const { accountId } = selection;
      const upstreamRoute = provider.routeOf(accountId);
      const wanted = { accountId, route: upstreamRoute, requestId, clientHeaders: request.rawHeaders };
      let failure: Failure = { kind: 'refreshFailed', isPermanent: false };
      try {
        let account = await headersFor(accountId, 'expired');
        for (let isRefreshed = false; account; isRefreshed = true) {
          if (!provider.descriptors.mayConnect()) throw outOfDescriptors();
          try {
            const to = { ...wanted, account, upstreamPath: route.upstreamPath };
            return { opened: await upstreamSockets.open(to, signal), accountId, account, route: upstreamRoute };
          } catch (error) {
            failure = failureOfUpgrade(error, upstreamRoute, provider);
            if (isRefreshed || classify(failure, at).effect !== 'refresh') break;
            account = await headersFor(accountId, 'unauthorized', account.authorization);
          }
        }
      } catch (error) {
        if (error instanceof ProxyError) throw error;
        failure = { kind: 'refreshFailed', isPermanent: false };
      }
      // Nothing happens to the account: its next request, here or by POST, finds out for itself.
      last = { failure, classification: classify(failure, now()) };
      tried.push({ accountId, outcome: last.classification.outcome });
    }
    throw refusal(last, { key, model });
  }

  async function headersFor(
    accountId: AccountId,
    reason: 'expired' | 'unauthorized',
    used?: string,
  ): Promise<AccountHeaders | undefined> {
    const { accessTokens } = provider;
    const known = reason === 'expired' ? accessTokens.headersFor(accountId) : undefined;
    if (known) return known;
    const result = await accessTokens.refresh(accountId, reason, used);
    return result === 'refreshed' || result === 'already' ? accessTokens.headersFor(accountId) : undefined;
  }

  function refusal(
    last: { failure: Failure; classification: Classification } | undefined,
    asked: Parameters<typeof availableAgainAt>[1],
  ): ProxyError {
    const at = now();
    if (last && (last.classification.outcome === 'usage_limit' || last.classification.outcome === 'throttled'))
      return finalError(last.failure, last.classification, availableAgainAt(accounts, asked, [], at), at);
    // 426 makes Codex use POST for the rest of the conversation, so it is for a provider that serves no sockets.
    if (!hasWorkedLately()) return new ProxyError('upgrade_required');
    const problem = 'the provider accepts no websocket at the moment; retry in 5 s';
    return new ProxyError('upstream_error', { problem }, { status: 503, headers: RETRY_AFTER });
  }
}

/**
 * Whether the upgrade can be accepted. A page of another site could open a socket to a svc on the same machine, which no browser
 * prevents as it does for POST: so an upgrade from a browser, which names its page, is not.
 */
function isWellFormed({ headers, httpVersion }: IncomingMessage): boolean {
  return (
    httpVersion === '1.1' &&
    // What follows the head are messages: a body would be taken for them.
    (headers['content-length'] ?? '0') === '0' &&
    headers['transfer-encoding'] === undefined &&
    KEY.test(headers['sec-websocket-key'] ?? '') &&
    headers['sec-websocket-version'] === '13' &&
    headers.origin === undefined
  );
}

/** The name of the conversation in the headers of an upgrade: a main thread has the same id as its `prompt_cache_key`. */
function conversationOf({ headers }: IncomingMessage) {
  const thread = headers['thread-id'];
  if (typeof thread === 'string' && thread !== '') return { value: thread, source: 'thread-id' };
  return readSessionHeader(headers);
}

/** The model that Codex will ask for. */
function modelOf({ headers }: IncomingMessage): string | undefined {
  const metadata = headers['x-codex-turn-metadata'];
  const value = typeof metadata === 'string' ? parseFrame(metadata) : undefined;
  return isObject(value) && typeof value.model === 'string' ? value.model : undefined;
}
