import { Counters, OTHER } from '../../lib/metrics/counters.ts';
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

/** What is known of the websockets of this process. */
export interface SocketsStatus {
  readonly open: number;
  /** With a response in progress. */
  readonly busy: number;
  /** Open ones by API key and by account of the provider; null: none. */
  readonly byKey: ReadonlyMap<string | null, number>;
  readonly byAccount: ReadonlyMap<string | null, number>;
  /** Since the start, by `accepted` or the code of the error. */
  readonly upgrades: ReadonlyMap<string, number>;
  /** Since the start. */
  readonly closes: ReadonlyMap<string, number>;
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

  /** @returns undefined until a client has asked for an upgrade */
  get status(): SocketsStatus | undefined {
    const upgrades = valuesOf(this.#upgrades, 'result');
    if (upgrades.size === 0) return undefined;
    const sockets = [...this.#sockets()];
    return {
      open: sockets.length,
      busy: sockets.filter(({ isBusy }) => isBusy).length,
      byKey: countBy(sockets, ({ keyId }) => keyId),
      byAccount: countBy(sockets, ({ upstream }) => upstream?.accountId ?? null),
      upgrades,
      closes: valuesOf(this.#closes, 'reason'),
    };
  }

  /** @param result `accepted`, or the code of the error */
  onUpgrade(result: string): void {
    this.#upgrades.add(result);
  }

  onClosed(reason: CloseReason): void {
    this.#closes.add(reason);
  }

  #count(label: string, of: (socket: CountedSocket) => string, values: readonly string[] = []): readonly Sample[] {
    const counts = countBy(this.#sockets(), of, new Map(values.map((value) => [value, 0])));
    return Array.from(counts, ([value, count]) => ({ labels: { [label]: value }, value: count }));
  }
}

function countBy<Value>(
  sockets: Iterable<CountedSocket>,
  of: (socket: CountedSocket) => Value,
  counts = new Map<Value, number>(),
): Map<Value, number> {
  for (const socket of sockets) counts.set(of(socket), (counts.get(of(socket)) ?? 0) + 1);
  return counts;
}

const valuesOf = <Label extends string>(counters: Counters<readonly [Label]>, label: Label): Map<string, number> =>
  new Map(Array.from(counters.samples(), ({ labels, value }) => [labels[label] ?? OTHER, value]));
