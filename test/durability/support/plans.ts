import { stepsOf } from '../../support/provider/responseScript.ts';
import {
  completedWithoutOutput,
  errorEvent,
  type Fragmentation,
  failureAfterText,
  failureAsFirstEvent,
  incompleteResponse,
  type ResponseScript,
  reasoningResponse,
  requestRefused,
  serverError,
  streamCut,
  streamSilent,
  terminalEventMissing,
  textResponse,
} from '../../support/provider/scripts.ts';
import type { Random } from './random.ts';

/** What shall become of a request. It travels to the provider as the text of the request itself. */
export interface Plan {
  /** No two plans of a test have the same. */
  readonly number: string;
  readonly kind: Kind;
  readonly deltas: number;
  readonly betweenMs: number;
  readonly delayMs: number;
  readonly usage: {
    readonly inputTokens: number;
    readonly cachedTokens: number;
    readonly outputTokens: number;
    readonly reasoningTokens: number;
  };
}

/** Kinds of answers and how often they come. What makes an account cool down for a second is rare. */
const KINDS = {
  text: 60,
  reasoning: 6,
  incomplete: 6,
  emptyOutput: 4,
  withoutUsage: 4,
  failedAfter: 6,
  errorEvent: 3,
  badRequest: 3,
  failedFirst: 0.7,
  serverError: 0.7,
  cut: 0.7,
  withoutTerminal: 0.7,
  silence: 1,
};
export type Kind = keyof typeof KINDS;

/** What another account can mend: these fail once and are answered when they come again. */
const ONCE: ReadonlySet<Kind> = new Set(['failedFirst', 'serverError']);

export function randomPlan(random: Random, number: string): Plan {
  const inputTokens = random.between(1, 4_000);
  const outputTokens = random.between(1, 900);
  const isQuick = random.chance(0.5);
  return {
    number,
    kind: random.weighted(KINDS),
    deltas: random.between(1, 40),
    betweenMs: isQuick ? 0 : random.between(1, 12),
    delayMs: random.chance(0.2) ? random.between(5, 150) : 0,
    usage: {
      inputTokens,
      cachedTokens: random.between(0, inputTokens),
      outputTokens,
      reasoningTokens: random.between(0, outputTokens),
    },
  };
}

/** The input that carries a plan through the service. */
export const inputOf = (plan: Plan) => [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: JSON.stringify(plan) }] },
];

/** A script for an account that does to each request what its plan says. */
export function asPlanned(failedOnce: Set<string>, wire?: Fragmentation): ResponseScript {
  return {
    name: 'as planned',
    steps: (asked) => {
      const [message] = asked.json.input as ReturnType<typeof inputOf>;
      const plan = JSON.parse(message?.content[0]?.text ?? '') as Plan;
      const isSecondTime = failedOnce.has(plan.number);
      if (ONCE.has(plan.kind)) failedOnce.add(plan.number);
      return stepsOf(scriptOf(isSecondTime ? { ...plan, kind: 'text' } : plan), asked);
    },
    ...(wire && { fragmentation: wire }),
  };
}

function scriptOf({ kind, deltas, betweenMs, delayMs, usage }: Plan): ResponseScript {
  const options = { deltas, betweenMs, delayMs, usage };
  switch (kind) {
    case 'text':
      return textResponse(options);
    case 'reasoning':
      return reasoningResponse(options);
    case 'incomplete':
      return incompleteResponse(options);
    case 'emptyOutput':
      return completedWithoutOutput(options);
    case 'withoutUsage':
      return textResponse({ ...options, usage: null });
    case 'failedAfter':
      return failureAfterText({ deltas });
    case 'errorEvent':
      return errorEvent({ deltas });
    case 'badRequest':
      return requestRefused();
    case 'failedFirst':
      return failureAsFirstEvent();
    case 'serverError':
      return serverError();
    case 'cut':
      return streamCut({ deltas });
    case 'withoutTerminal':
      return terminalEventMissing({ deltas });
    case 'silence':
      return streamSilent({ events: Math.min(deltas, 5) });
  }
}
