import { type Gateway, validRequest } from '../../support/gateway.ts';
import { type BadRequest, PATHS, problemsOf } from './badRequest.ts';
import { type Answer, converse } from './wire.ts';

/** A request that was answered, and how. */
export interface Examined {
  readonly request: BadRequest;
  readonly answer: Answer | undefined;
}

const GOOD_EVERY = 25;

/**
 * Sends bad requests one after the other, good ones among them, and looks at every answer and at the provider.
 * @param headers sent with each, e.g. a key
 */
export async function examine(
  gateway: Gateway,
  requests: readonly BadRequest[],
  headers: Readonly<Record<string, string>> = {},
): Promise<{ examined: Examined[]; problems: string[] }> {
  const problems: string[] = [];
  const examined: Examined[] = [];
  for (const [index, request] of requests.entries()) {
    const before = asked(gateway);
    const sent =
      request.headers || !request.steps ? { ...request, headers: { ...headers, ...request.headers } } : request;
    const { answer, problem } = await answerTo(gateway.url, sent);
    examined.push({ request, answer });
    const found = [
      ...(problem ? [problem] : []),
      ...(answer && request.expected ? problemsOf(answer, request.expected) : []),
    ];
    if (answer && !request.expected && (answer.status < 400 || answer.status > 499))
      found.push(`answered ${answer.status}`);
    if (asked(gateway) !== before) found.push('reached the provider');
    problems.push(...found.map((text) => `${request.name}: ${text}`));
    if (index % GOOD_EVERY === GOOD_EVERY - 1 || index === requests.length - 1) {
      problems.push(...(await problemsOfGoodRequest(gateway, request, headers)));
    }
  }
  return { examined, problems };
}

/** How many requests for a model the provider has seen. */
export const asked = ({ provider }: Gateway): number =>
  provider.received.filter(({ path }) => path.includes('/codex/responses')).length;

async function problemsOfGoodRequest(gateway: Gateway, after: BadRequest, headers: Readonly<Record<string, string>>) {
  const before = asked(gateway);
  const response = await gateway.ask(validRequest, { headers });
  const text = await response.text();
  const isGood = response.status === 200 && text.includes('response.completed') && asked(gateway) === before + 1;
  return isGood ? [] : [`after "${after.name}" a good request got ${response.status}: ${text.slice(0, 300)}`];
}

export async function answerTo(url: string, request: BadRequest): Promise<{ answer?: Answer; problem?: string }> {
  if (request.steps) {
    const { answers, wasEnded } = await converse(url, request.steps, request.answers);
    const answer = answers[(request.answers ?? 1) - 1];
    if (answer) return { answer };
    if (!request.expected) return {};
    return { problem: wasEnded ? 'the connection ended without an answer' : 'no answer within 5 s' };
  }
  const { method = 'POST', path = PATHS.v1, headers = {}, body } = request;
  try {
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: body as NonNullable<RequestInit['body']>, duplex: 'half' }),
    } as RequestInit);
    const text = await response.text();
    return { answer: { status: response.status, headers: Object.fromEntries(response.headers), text } };
  } catch (error) {
    const { cause } = error as { cause?: { code?: string; message?: string } };
    return { problem: `fetch failed: ${cause?.code ?? ''} ${cause?.message ?? String(error)}` };
  }
}

/** How many requests there were, and how many got which status. */
export function totalsOf(examined: readonly Examined[]): string {
  const counts = new Map<string, number>();
  for (const { answer } of examined) {
    const status = answer ? String(answer.status) : 'none';
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const parts = [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([status, count]) => `${status}: ${count}`);
  return `${examined.length} requests (${parts.join(', ')})`;
}

/** What the service has said since it started, but for what it says to every new operator. */
export const complaintsOf = ({ said }: Gateway): string[] =>
  said.filter((line) => !line.startsWith('No dashboard password is set'));
