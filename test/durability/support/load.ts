import { Agent } from 'node:http';
import { type Answer, ask } from './ask.ts';
import { inputOf, type Plan, randomPlan } from './plans.ts';
import type { Random } from './random.ts';

/** An answer whose end reached a client, or that broke. */
export interface Heard extends Answer {
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
  /** Begins the number of every plan. */
  readonly name: string;
  readonly keys: readonly Key[];
  /** Called in the very read that brought the end of an answer. */
  readonly onEnding: () => void;
}

export interface Load {
  /** How many requests were sent. */
  readonly sent: number;
  /** How many clients hung up before the end of their answer. */
  readonly hungUp: number;
  /** Sends requests whose answers begin and never end. @returns their ids, once each has begun */
  holdOpen(count: number): Promise<string[]>;
  /** Nobody asks again, and whatever breaks from now on is no surprise. */
  over(): void;
  /** Resolves when every client has seen how its connection ended. */
  gone(): Promise<Heard[]>;
}

const MODELS = ['gpt-5.1', 'gpt-5.5', 'a-model-without-a-price'];
const CONVERSATIONS = 20;

/** Clients that ask one thing after the other until it is over. */
export function startLoad({ url, random, clients, name, keys, onEnding }: LoadOptions): Load {
  const agent = new Agent({ keepAlive: true });
  const heard: Heard[] = [];
  const counts = { sent: 0, hungUp: 0 };
  const under = new Set<Promise<unknown>>();
  let isOver = false;

  async function send(plan: Plan, random: Random, onHead?: (answer: Answer) => void): Promise<void> {
    // What is to stay open must not meet a limit: the last key is the one that is used up.
    const key = random.pick(onHead ? keys.slice(0, -1) : keys);
    const surface = random.weighted({ svc: 50, json: 35, v1: 15 });
    const wantsJson = surface === 'json' && !onHead;
    const isPatient = onHead !== undefined || random.chance(0.9);
    const hangUp = new AbortController();
    const timer = isPatient ? undefined : setTimeout(() => hangUp.abort(), random.between(0, 120));
    counts.sent += 1;
    const answer = await ask({
      url,
      path: surface === 'svc' ? '/backend-api/svc/responses' : '/v1/responses',
      key: key.key,
      agent,
      signal: hangUp.signal,
      body: {
        model: random.pick(MODELS),
        instructions: 'Do as planned.',
        input: inputOf(plan),
        stream: !wantsJson,
        store: false,
        ...(random.chance(0.5) && { prompt_cache_key: `conversation-${random.between(1, CONVERSATIONS)}` }),
      },
      onEnding,
      ...(onHead && { onHead }),
    });
    clearTimeout(timer);
    if (hangUp.signal.aborted && !answer.ending) counts.hungUp += 1;
    const isOurs = hangUp.signal.aborted || isOver;
    if (answer.ending || !isOurs) heard.push({ ...answer, text: '', plan, keyId: key.id });
  }

  async function client(index: number): Promise<void> {
    const own = random.branch(index);
    for (let turn = 0; !isOver; turn += 1) await send(randomPlan(own, `${name}.${index}.${turn}`), own);
  }

  const remember = (work: Promise<unknown>) => {
    under.add(work);
    void work.finally(() => under.delete(work));
  };
  for (let index = 0; index < clients; index += 1) remember(client(index));

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
            remember(done);
            void done.then(() => reject(new Error(`the request ${plan.number} was to stay open and has ended`)));
          });
        }),
      ),
    over: () => {
      isOver = true;
    },
    async gone() {
      await Promise.all(under);
      agent.destroy();
      return heard;
    },
  };
}
