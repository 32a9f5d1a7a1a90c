import { Agent } from 'node:http';
import type { Random } from '../../support/random.ts';
import { type Plan, planInput, randomPlan } from './plans.ts';
import { type ClientResponse, sendRequest } from './sendRequest.ts';

/** A response whose end reached a client, or whose connection broke unexpectedly. */
export interface ObservedResponse extends ClientResponse {
  readonly plan: Plan;
  readonly keyId: string;
}

export interface Key {
  readonly id: string;
  readonly key: string;
}

export interface LoadOptions {
  readonly url: string;
  readonly random: Random;
  readonly clients: number;
  /** Prefix of the number of every plan. */
  readonly name: string;
  readonly keys: readonly Key[];
  /** Called synchronously in the read that brought the end of a response. */
  readonly onEnding: () => void;
}

export interface Load {
  /** How many requests were sent. */
  readonly sent: number;
  /** How many responses clients cancelled before their end. */
  readonly hungUp: number;
  /** Sends requests whose responses begin and never end. @returns their ids, once each response has begun */
  holdOpen(count: number): Promise<string[]>;
  /** Clients send no further request, and connections that break from now on are expected. */
  stop(): void;
  /** Resolves when the requests of all clients have ended. */
  finished(): Promise<ObservedResponse[]>;
}

const MODELS = ['gpt-5.1', 'gpt-5.5', 'a-model-without-a-price'];
const CONVERSATIONS = 20;

/** Starts clients that send one request after the other until `stop()`. */
export function startLoad({ url, random, clients, name, keys, onEnding }: LoadOptions): Load {
  const agent = new Agent({ keepAlive: true });
  const observed: ObservedResponse[] = [];
  const counts = { sent: 0, hungUp: 0 };
  const pending = new Set<Promise<unknown>>();
  let isStopped = false;

  async function send(plan: Plan, random: Random, onHead?: (response: ClientResponse) => void): Promise<void> {
    // A request that stays open must not meet a limit: the last key is the one that is used up.
    const key = random.pick(onHead ? keys.slice(0, -1) : keys);
    const endpoint = random.weighted({ svc: 50, json: 35, v1: 15 });
    const wantsJson = endpoint === 'json' && !onHead;
    const waitsForEnd = onHead !== undefined || random.chance(0.9);
    const cancel = new AbortController();
    const timer = waitsForEnd ? undefined : setTimeout(() => cancel.abort(), random.between(0, 120));
    counts.sent += 1;
    const response = await sendRequest({
      url,
      path: endpoint === 'svc' ? '/backend-api/svc/responses' : '/v1/responses',
      key: key.key,
      agent,
      signal: cancel.signal,
      body: {
        model: random.pick(MODELS),
        instructions: 'Do as planned.',
        input: planInput(plan),
        stream: !wantsJson,
        store: false,
        ...(random.chance(0.5) && { prompt_cache_key: `conversation-${random.between(1, CONVERSATIONS)}` }),
      },
      onEnding,
      ...(onHead && { onHead }),
    });
    clearTimeout(timer);
    if (cancel.signal.aborted && !response.ending) counts.hungUp += 1;
    const isExpected = cancel.signal.aborted || isStopped;
    if (response.ending || !isExpected) observed.push({ ...response, text: '', plan, keyId: key.id });
  }

  async function client(index: number): Promise<void> {
    const own = random.branch(index);
    for (let turn = 0; !isStopped; turn += 1) await send(randomPlan(own, `${name}.${index}.${turn}`), own);
  }

  const track = (work: Promise<unknown>) => {
    pending.add(work);
    void work.finally(() => pending.delete(work));
  };
  for (let index = 0; index < clients; index += 1) track(client(index));

  return {
    get sent() {
      return counts.sent;
    },
    get hungUp() {
      return counts.hungUp;
    },
    holdOpen: (count) =>
      Promise.all(
        Array.from({ length: count }, (_, index) => {
          const own = random.branch(1_000 + index);
          const plan: Plan = { ...randomPlan(own, `${name}.held.${index}`), kind: 'silence' };
          return new Promise<string>((resolve, reject) => {
            const done = send(plan, own, ({ status, requestId = '' }) => {
              if (status === 200) resolve(requestId);
            });
            track(done);
            void done.then(() => reject(new Error(`the request ${plan.number} should have stayed open but ended`)));
          });
        }),
      ),
    stop: () => {
      isStopped = true;
    },
    async finished() {
      await Promise.all(pending);
      agent.destroy();
      return observed;
    },
  };
}
