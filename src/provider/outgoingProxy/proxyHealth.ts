import type { Faults } from '../../lib/faults.ts';
import type { OutgoingProxy } from './outgoingProxy.ts';
import type { OpenProxiedConnection } from './proxiedConnection.ts';
import { ProxyFailure, remedyOf } from './proxyFailure.ts';

export interface ProxyHealthOptions {
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  /** How often a failing proxy is tried while nothing else uses it. */
  readonly probeMs?: number;
  /** Time without a failure after which a success ends the fault, so that a proxy that fails now and then is said once. */
  readonly calmMs?: number;
}

interface Failing {
  readonly probe: NodeJS.Timeout;
  lastFailureAt: number;
}

/** In `problems` of the status, with host and port as subject. */
const FAULT = 'outgoing_proxy_failing';
/** After a timeout: otherwise each of a request's attempts would wait for the same silent proxy. */
const PAUSE_AFTER_TIMEOUT_MS = 1_000;
const COST = 'Requests through it fail, and never leave directly instead.';

/** Says when a proxy fails and when it works again. */
export class ProxyHealth {
  readonly #failing = new Map<string, Failing>();
  readonly #silent = new WeakMap<OutgoingProxy, { readonly until: number; readonly failure: ProxyFailure }>();
  readonly #options: Required<ProxyHealthOptions>;

  constructor({ faults, probeMs = 15_000, calmMs = 10_000 }: ProxyHealthOptions) {
    this.#options = { faults, probeMs, calmMs };
  }

  /** @returns the same opener, with its outcomes noted */
  watch(proxy: OutgoingProxy, open: OpenProxiedConnection): OpenProxiedConnection {
    const probe = async () => {
      const socket = await watched().catch(() => undefined);
      socket?.destroy();
    };
    const watched: OpenProxiedConnection = async (signal) => {
      const silent = this.#silent.get(proxy);
      if (silent && performance.now() < silent.until) throw silent.failure;
      try {
        const socket = await open(signal);
        this.#opened(proxy);
        return socket;
      } catch (error) {
        if (error instanceof ProxyFailure) this.#failed(proxy, error, probe);
        throw error;
      }
    };
    return watched;
  }

  /** Ends the faults of proxies that are not used any more. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#failing.keys()) {
      if (!names.has(name)) this.#end(name, `The proxy ${name} is not used any more.`);
    }
  }

  stop(): void {
    for (const { probe } of this.#failing.values()) clearInterval(probe);
    this.#failing.clear();
  }

  #opened(proxy: OutgoingProxy): void {
    this.#silent.delete(proxy);
    const failing = this.#failing.get(proxy.name);
    if (!failing || performance.now() - failing.lastFailureAt < this.#options.calmMs) return;
    this.#end(proxy.name, `The proxy ${proxy.name} works again.`);
  }

  #failed(proxy: OutgoingProxy, failure: ProxyFailure, probe: () => Promise<void>): void {
    const now = performance.now();
    if (failure.code === 'proxy_timeout') {
      this.#silent.set(proxy, { until: now + PAUSE_AFTER_TIMEOUT_MS, failure });
    }
    const { faults, probeMs } = this.#options;
    faults.raise({
      code: FAULT,
      subject: proxy.name,
      cause: `The proxy ${proxy.name} ${failure.problem}. ${COST}`,
      remedy: `${remedyOf(failure)} svc tries again and says when it works.`,
    });
    const failing = this.#failing.get(proxy.name);
    if (failing) failing.lastFailureAt = now;
    else {
      const timer = setInterval(() => void probe(), probeMs).unref();
      this.#failing.set(proxy.name, { probe: timer, lastFailureAt: now });
    }
  }

  #end(name: string, line: string): void {
    clearInterval(this.#failing.get(name)?.probe);
    this.#failing.delete(name);
    this.#options.faults.clear(FAULT, name, line);
  }
}
