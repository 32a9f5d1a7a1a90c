import { test as base, expect } from 'vitest';
import { startProvider } from '../../support/provider/provider.ts';
import { startRecordingProxy } from './recordingProxy.ts';
import { costUsd, defaultScript, MIN_RESPONSE_MS, model, type Prompt, usage } from './script.ts';
import { startService } from './service.ts';
import { transcript } from './transcript.ts';

/** A provider, the service with one account of it, and a recording proxy that clients connect to. */
export type Fixture = Awaited<ReturnType<typeof createFixture>>;

async function createFixture(env: Readonly<Record<string, string>> = {}) {
  await using stack = new AsyncDisposableStack();
  const provider = stack.adopt(await startProvider(), (started) => started.close());
  const service = stack.adopt(await startService(provider, env), async (started) => {
    const exitCode = await started.stop();
    if (exitCode !== 0) throw new Error(`after SIGTERM the service exited with ${exitCode}:\n${started.output()}`);
  });
  const proxy = stack.use(await startRecordingProxy(service.url));
  const account = provider.addAccount();
  account.always(defaultScript());
  const { account_id: accountId } = await service.importAccount(account.authFile());
  const resources = stack.move();

  /** The prompts that the provider received, without the service's own requests. */
  const prompts = () => provider.received.filter(({ path }) => path.endsWith('/codex/responses'));

  return {
    provider,
    service,
    proxy,
    /** The provider's account behind the service. */
    account,
    /** The service's id of the same account. */
    accountId,
    prompts,

    /** Requires a key from every client. @returns a valid key */
    requireKeys: async () => {
      const { key } = await service.createApiKey();
      await service.enableKeyAuth();
      return key;
    },

    /** The error message for an invalid key, which clients are expected to show. */
    errorMessageFor: async (key: string) => {
      const response = await fetch(`${service.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input: 'Say hi' }),
      });
      const { error } = (await response.json()) as { error: { message: string; type: string; code: string } };
      expect({ status: response.status, type: error.type, code: error.code }).toEqual({
        status: 401,
        type: 'authentication_error',
        code: 'invalid_api_key',
      });
      return error.message;
    },

    /** The only prompt that reached the provider, with the account's credentials instead of the client's. */
    onlyPrompt: (): Prompt => {
      const [prompt, ...more] = prompts();
      expect(more).toEqual([]);
      expect(prompt).toMatchObject({ account: account.id, status: 200 });
      expect(prompt?.headers.authorization).toBe(`Bearer ${account.tokens.current().accessToken}`);
      return prompt?.json as Prompt;
    },

    /**
     * Expects two prompts at the provider, for the same account. The second contains the result of the tool, and no reference
     * to a stored item.
     */
    expectToolLoop: async (tool: string) => {
      expect(prompts()).toMatchObject([
        { account: account.id, status: 200 },
        { account: account.id, status: 200 },
      ]);
      const [, second] = prompts().map(({ json }) => json as Prompt);
      const input = second?.input ?? [];
      const call = input.find(({ type }) => type === 'function_call');
      expect(call).toMatchObject({ name: tool, call_id: expect.any(String) });
      expect(input).toContainEqual(
        expect.objectContaining({ type: 'function_call_output', call_id: call?.call_id, output: expect.anything() }),
      );
      expect(input.filter(({ type }) => type === 'item_reference')).toEqual([]);
      // The provider stores nothing, so it refuses reasoning without encrypted content.
      expect(input.filter((item) => item.type === 'reasoning' && !item.encrypted_content)).toEqual([]);
      expect(await service.loggedRequests(2)).toEqual(Array(2).fill(expect.objectContaining({ model, status: '200' })));
    },

    /** Expects exactly this request in the request log, complete and with its cost. */
    expectLogged: async (row: { model?: string; cost_usd?: number | null } = {}) => {
      const logged = await service.loggedRequests(1);
      expect(logged).toEqual([
        expect.objectContaining({
          account_id: accountId,
          model,
          status: '200',
          error_code: null,
          error_message: null,
          tokens: usage.inputTokens + usage.outputTokens,
          cached_input_tokens: usage.cachedTokens,
          cost_usd: expect.closeTo(costUsd, 6),
          request_id: expect.stringMatching(/./),
          ...row,
        }),
      ]);
      const [{ latency_ms, requested_at } = {}] = logged;
      expect(latency_ms).toSatisfy(Number.isInteger);
      expect(latency_ms).toBeGreaterThanOrEqual(MIN_RESPONSE_MS);
      expect(latency_ms).toBeLessThan(60_000);
      expect(Math.abs(Date.now() - Date.parse(requested_at ?? ''))).toBeLessThan(120_000);
    },

    /** Expects no request at the provider and none in the log. */
    expectNoRequests: async () => {
      expect(prompts()).toEqual([]);
      expect(await service.requestLogs()).toEqual({ requests: [], total: 0, has_more: false });
    },

    /** @throws when the service does not exit with 0 */
    close: () => resources.disposeAsync(),
  };
}

const testWith = (env: Readonly<Record<string, string>>) =>
  base.extend('fixture', async ({ onTestFailed, task }, { onCleanup }) => {
    const fixture = await createFixture(env);
    onTestFailed(() => {
      process.stderr.write(`\n=== "${task.name}" failed ===\n${transcript(fixture)}\n`);
    });
    onCleanup(() => fixture.close());
    return fixture;
  });

/** A test with a new fixture, over HTTP only. When it fails, the recorded requests and responses are printed. */
export const test = testWith({ SVC_WEBSOCKET: 'off' });

/** The same with websockets. */
export const testWithSockets = testWith({});
