import { expect } from 'vitest';
import { type Gateway, type GatewayOptions, validRequest } from './gateway.ts';
import { gateways } from './gateways.ts';
import { eventsIn } from './provider/client.ts';
import { type ResponseScript, textResponse } from './provider/scripts.ts';

export type Pooled = Gateway['pool'][number];

/** The output of a healthy account. */
export const HELLO = 'Hello from the second account.';

/**
 * A service whose provider fails, for tests of what the client receives, what the log records and the account's availability.
 * @param onStart is called with the gateway of each test
 */
export function failures(onStart: (gateway: Gateway) => void) {
  const gatewayFor = gateways();
  let gateway: Gateway;

  async function start(options: GatewayOptions = {}): Promise<void> {
    gateway = await gatewayFor(options);
    onStart(gateway);
  }

  async function askOnce(onHead?: () => void) {
    const response = await gateway.ask(validRequest);
    onHead?.();
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const completed = gateway.events('RequestCompleted').map(({ data }) => data);
    return {
      status: response.status,
      headers: response.headers,
      text,
      error: isJson ? JSON.parse(text).error : undefined,
      events: isJson ? [] : eventsIn(text),
      completed: completed[0],
      outcomes: completed[0]?.attempts.map(({ outcome }) => outcome),
      row: (await gateway.logs())[0],
    };
  }

  return {
    start,
    askOnce,
    /** The first account fails as scripted, the second one is healthy. */
    async withSecondAccount(script: ResponseScript, options: GatewayOptions = {}, onHead?: () => void) {
      await start({ accounts: 2, ...options });
      const [first, second] = gateway.pool as [Pooled, Pooled];
      first.at.always(script);
      second.at.always(textResponse({ text: HELLO }));
      return { first, second, ...(await askOnce(onHead)) };
    },
    /** There is no second account. */
    async withOnlyAccount(script: ResponseScript, options: GatewayOptions = {}) {
      await start(options);
      const [only] = gateway.pool as [Pooled];
      only.at.always(script);
      return { only, ...(await askOnce()) };
    },
  };
}

export type FailureResult = Awaited<ReturnType<ReturnType<typeof failures>['withSecondAccount']>>;

export const textIn = (events: ReturnType<typeof eventsIn>) =>
  events
    .filter(({ event }) => event === 'response.output_text.delta')
    .map(({ data }) => data.delta)
    .join('');

/** After any failure before the first byte that is not the client's fault, the second account responds normally. */
export function expectSecondAccountResponds(result: FailureResult): void {
  expect(result.status).toBe(200);
  expect(textIn(result.events)).toBe(HELLO);
  expect(result.text).not.toContain('response.failed');
  expect(result.completed).toMatchObject({ status: '200', accountId: result.second.id, errorCode: null });
  expect(result.row).toMatchObject({ status: '200', account_id: result.second.id, error_code: null });
  expect(result.row.tokens).toBeGreaterThan(0);
}
