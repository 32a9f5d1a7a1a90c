import { Counters } from '../../lib/metrics/counters.ts';
import { gauge, type Metric, type Sample } from '../../lib/metrics/metric.ts';

/** Why a socket of a client was closed. */
export type CloseReason =
  /** By the client, or its connection broke. */
  | 'client'
  /** Without a request for long. */
  | 'idle'
  | 'age'
  /** Its account cannot serve the next request. */
  | 'account'
  /** Its account has another token, region or proxy. */
  | 'credentials'
  /** The provider closed its socket. */
  | 'provider'
  /** The key or the address is refused. */
  | 'refused'
  /** For a newer socket of the key. */
  | 'room'
  | 'memory'
  /** The client or the provider answers no pings. */
  | 'unreachable'
  /** What the client sent is not allowed: binary, too large, too many requests. */
  | 'protocol'
  | 'shutdown'
  | 'fault';

/** An open socket of a client. */
export interface CountedSocket {
  readonly keyId: string | null;
  readonly isBusy: boolean;
  readonly upstream: { readonly accountId: string } | undefined;
}

/** The value of a label for what has no account or key. */
const NONE = 'none';

/** What is counted of websockets. Requests on them are counted as all others are. */
export class SocketMetrics {
  readonly #upgrades = new Counters(
    'svc_websocket_upgrades_total',
    'Upgrades to a websocket, by `accepted` or the code of the error.',
    ['result'],
  );
  readonly #closes = new Counters('svc_websocket_closes_total', 'Websockets of clients that were closed, by reason.', [
    'reason',
  ]);
  readonly #sockets: () => Iterable<CountedSocket>;

  /** @param sockets the open ones */
  constructor(sockets: () => Iterable<CountedSocket>) {
    this.#sockets = sockets;
  }

  get metrics(): readonly Metric[] {
    return [
      gauge('svc_websockets', 'Open websockets of clients, by whether a response is in progress.', ['state'], () =>
        this.#count('state', ({ isBusy }) => (isBusy ? 'busy' : 'idle'), ['busy', 'idle']),
      ),
      gauge(
        'svc_account_websockets',
        'Open websockets of clients by the account of the provider behind them.',
        ['account'],
        () => this.#count('account', ({ upstream }) => upstream?.accountId ?? NONE),
      ),
      gauge('svc_key_websockets', 'Open websockets of clients by API key.', ['key'], () =>
        this.#count('key', ({ keyId }) => keyId ?? NONE),
      ),
      this.#upgrades,
      this.#closes,
    ];
  }

  /** @param result `accepted`, or the code of the error */
  onUpgrade(result: string): void {
    this.#upgrades.add(result);
  }

  onClosed(reason: CloseReason): void {
    this.#closes.add(reason);
  }

  #count(label: string, of: (socket: CountedSocket) => string, values: readonly string[] = []): readonly Sample[] {
    const counts = new Map(values.map((value) => [value, 0]));
    for (const socket of this.#sockets()) counts.set(of(socket), (counts.get(of(socket)) ?? 0) + 1);
    return Array.from(counts, ([value, count]) => ({ labels: { [label]: value }, value: count }));
  }
}
