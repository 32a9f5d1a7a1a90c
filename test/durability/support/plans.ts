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
import type { Random } from '../../support/random.ts';

/** How the provider responds to a request. It travels to the provider in the text of the request itself. */
export interface Plan {
  /** Unique in a test. */
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

/** Kinds of responses and their weights. Those that make an account cool down for a second are rare. */
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

/** Failures that a second attempt repairs: these fail once and succeed when the service retries. */
const FAIL_ONCE: ReadonlySet<Kind> = new Set(['failedFirst', 'serverError']);

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

/** A request's `input` that carries a plan to the provider. */
export const planInput = (plan: Plan) => [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: JSON.stringify(plan) }] },
];

/** A script for an account that responds to each request by its plan. */
export function plannedResponses(failedOnce: Set<string>, wire?: Fragmentation): ResponseScript {
  return {
    name: 'as planned',
    steps: (request) => {
      const [message] = request.json.input as ReturnType<typeof planInput>;
      const plan = JSON.parse(message?.content[0]?.text ?? '') as Plan;
      const isRetry = failedOnce.has(plan.number);
      if (FAIL_ONCE.has(plan.kind)) failedOnce.add(plan.number);
      return stepsOf(scriptOf(isRetry ? { ...plan, kind: 'text' } : plan), request);
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
