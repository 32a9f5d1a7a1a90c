import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type ClientResponse, sendRequest } from '../../test/durability/support/sendRequest.ts';
import type { Random } from '../../test/support/random.ts';
import type { SoakNode } from './soakNode.ts';

const CLIENTS = 8;
const CONVERSATIONS = 40;

export interface Key {
  readonly id: string;
  readonly key: string;
}

/** A response whose end reached the client with status 200. */
export type Served = Pick<ClientResponse, 'usage'> & { readonly requestId: string; readonly keyId: string };

/** Clients that send requests at a constant rate until they are stopped. */
export class SoakLoad {
  readonly served: Served[] = [];
  /** Other ends, by status and code, or by the error of the connection. */
  readonly others = new Map<string, number>();
  #isStopped = false;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #clients: Promise<void>[];

  /** @param rate requests a second */
  constructor(node: SoakNode, keys: readonly Key[], rate: number, random: Random) {
    this.#clients = Array.from({ length: CLIENTS }, (_, index) =>
      this.#client(node, keys, (CLIENTS * 1_000) / rate, random.branch(index)),
    );
  }

  async #client(node: SoakNode, keys: readonly Key[], everyMs: number, random: Random): Promise<void> {
    while (!this.#isStopped) {
      const next = wait(everyMs * (0.5 + random.below(1_000) / 1_000));
      const { id, key } = random.pick(keys);
      const response = await sendRequest({
        ...{ url: node.url, path: '/backend-api/svc/responses', key, agent: this.#agent },
        body: {
          ...{ model: 'gpt-5.1', instructions: 'Be brief.', input: 'hi', stream: true, store: false },
          prompt_cache_key: `conversation-${random.between(1, CONVERSATIONS)}`,
        },
      });
      const { ending, requestId, status, code, connectionError, usage } = response;
      if (ending === 'completed' && requestId !== undefined) this.served.push({ requestId, usage, keyId: id });
      else this.#count(`${status ?? 'no response'} ${code ?? connectionError ?? ending}`);
      await next;
    }
  }

  #count(what: string): void {
    this.others.set(what, (this.others.get(what) ?? 0) + 1);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
    this.#agent.destroy();
  }
}
