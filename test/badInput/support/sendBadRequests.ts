import { type Gateway, validRequest } from '../../support/gateway.ts';
import { type BadRequest, PATHS, problemsOf } from './badRequest.ts';
import { exchangeBytes, type RawResponse } from './rawHttp.ts';

/** A request and its response. */
export interface SentRequest {
  readonly request: BadRequest;
  readonly response: RawResponse | undefined;
}

const VALID_EVERY = 25;

/**
 * Sends bad requests in sequence, with valid ones in between. Checks every response, and that none reaches the provider.
 * @param headers sent with each request, such as a key
 */
export async function sendBadRequests(
  gateway: Gateway,
  requests: readonly BadRequest[],
  headers: Readonly<Record<string, string>> = {},
): Promise<{ sentRequests: SentRequest[]; problems: string[] }> {
  const problems: string[] = [];
  const sentRequests: SentRequest[] = [];
  for (const [index, request] of requests.entries()) {
    const before = upstreamRequests(gateway);
    const withHeaders =
      request.headers || !request.steps ? { ...request, headers: { ...headers, ...request.headers } } : request;
    const { response, problem } = await send(gateway.url, withHeaders);
    sentRequests.push({ request, response });
    const requestProblems = [
      ...(problem ? [problem] : []),
      ...(response && request.expected ? problemsOf(response, request.expected) : []),
    ];
    if (response && !request.expected && (response.status < 400 || response.status > 499))
      requestProblems.push(`got ${response.status}`);
    if (upstreamRequests(gateway) !== before) requestProblems.push('reached the provider');
    problems.push(...requestProblems.map((text) => `${request.name}: ${text}`));
    if (index % VALID_EVERY === VALID_EVERY - 1 || index === requests.length - 1) {
      problems.push(...(await validRequestProblems(gateway, request, headers)));
    }
  }
  return { sentRequests, problems };
}

/** How many model requests the provider has received. */
export const upstreamRequests = ({ provider }: Gateway): number =>
  provider.received.filter(({ path }) => path.includes('/codex/responses')).length;

async function validRequestProblems(gateway: Gateway, after: BadRequest, headers: Readonly<Record<string, string>>) {
  const before = upstreamRequests(gateway);
  const response = await gateway.ask(validRequest, { headers });
  const text = await response.text();
  const isOk =
    response.status === 200 && text.includes('response.completed') && upstreamRequests(gateway) === before + 1;
  return isOk ? [] : [`after "${after.name}" a valid request got ${response.status}: ${text.slice(0, 300)}`];
}

export async function send(url: string, request: BadRequest): Promise<{ response?: RawResponse; problem?: string }> {
  if (request.steps) {
    const { responses, wasClosed } = await exchangeBytes(url, request.steps, request.responses);
    const response = responses[(request.responses ?? 1) - 1];
    if (response) return { response };
    if (!request.expected) return {};
    return { problem: wasClosed ? 'the connection was closed without a response' : 'no response within 5 s' };
  }
  const { method = 'POST', path = PATHS.v1, headers = {}, body } = request;
  try {
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: body as NonNullable<RequestInit['body']>, duplex: 'half' }),
    } as RequestInit);
    const text = await response.text();
    return { response: { status: response.status, headers: Object.fromEntries(response.headers), text } };
  } catch (error) {
    const { cause } = error as { cause?: { code?: string; message?: string } };
    return { problem: `fetch failed: ${cause?.code ?? ''} ${cause?.message ?? String(error)}` };
  }
}

/** The number of requests, in total and by status. */
export function summaryOf(sentRequests: readonly SentRequest[]): string {
  const counts = new Map<string, number>();
  for (const { response } of sentRequests) {
    const status = response ? String(response.status) : 'none';
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const parts = [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([status, count]) => `${status}: ${count}`);
  return `${sentRequests.length} requests (${parts.join(', ')})`;
}

/** The lines that the service has printed since its start, except the hint about a missing password. */
export const reportsOf = ({ output }: Gateway): string[] =>
  output.filter((line) => !line.startsWith('No dashboard password is set'));
