import { test as base, expect } from 'vitest';
import { startProvider } from '../../support/provider/provider.ts';
import { answerScript, answerTakesMs, costUsd, model, type Prompt, usage } from './script.ts';
import { startService } from './service.ts';
import { transcript } from './transcript.ts';
import { tapWire } from './wire.ts';

/** A provider, the service in front of it with one of its accounts, and a tap on the wire where clients connect. */
export type Stage = Awaited<ReturnType<typeof openStage>>;

async function openStage() {
  await using opened = new AsyncDisposableStack();
  const provider = opened.adopt(await startProvider(), (started) => started.close());
  const service = opened.adopt(await startService(provider), async (started) => {
    const exitCode = await started.stop();
    if (exitCode !== 0) throw new Error(`at SIGTERM the service ended with ${exitCode}:\n${started.output()}`);
  });
  const wire = opened.use(await tapWire(service.url));
  const account = provider.addAccount();
  account.always(answerScript());
  const { account_id: accountId } = await service.importAccount(account.authFile());
  const closing = opened.move();

  /** The prompts that the provider got, without what the service asks on its own account. */
  const prompts = () => provider.received.filter(({ path }) => path.endsWith('/codex/responses'));

  return {
    provider,
    service,
    wire,
    /** The provider's account behind the service. */
    account,
    /** The same account as the service calls it. */
    accountId,
    prompts,

    /** Asks every client for a key from here on. */
    requireKeys: async () => {
      const { key } = await service.createApiKey();
      await service.enableKeyAuth();
      return key;
    },

    /** What the service says to a key that it does not know: clients are expected to show it. */
    refusalOf: async (key: string) => {
      const refused = await fetch(`${service.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input: 'Say hi' }),
      });
      const { error } = (await refused.json()) as { error: { message: string; type: string; code: string } };
      expect({ status: refused.status, type: error.type, code: error.code }).toEqual({
        status: 401,
        type: 'authentication_error',
        code: 'invalid_api_key',
      });
      return error.message;
    },

    /** The one prompt that reached the provider, by our account and with none of the client's credentials. */
    onlyPrompt: (): Prompt => {
      const [prompt, ...more] = prompts();
      expect(more).toEqual([]);
      expect(prompt).toMatchObject({ account: account.id, status: 200 });
      expect(prompt?.headers.authorization).toBe(`Bearer ${account.tokens.current().accessToken}`);
      return prompt?.json as Prompt;
    },

    /**
     * Two prompts reached the provider, by the same account; the second brings what the tool said and nothing that
     * only a store could resolve.
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
      // A provider that stores nothing refuses reasoning that does not bring its encrypted content along.
      expect(input.filter((item) => item.type === 'reasoning' && !item.encrypted_content)).toEqual([]);
      expect(await service.loggedRequests(2)).toEqual(Array(2).fill(expect.objectContaining({ model, status: '200' })));
    },

    /** The request stands in the request log, whole and priced, and no other does. */
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
      expect(latency_ms).toBeGreaterThanOrEqual(answerTakesMs);
      expect(latency_ms).toBeLessThan(60_000);
      expect(Math.abs(Date.now() - Date.parse(requested_at ?? ''))).toBeLessThan(120_000);
    },

    /** Nobody asked the provider, and the log holds no request. */
    expectNothingHappened: async () => {
      expect(prompts()).toEqual([]);
      expect(await service.requestLogs()).toEqual({ requests: [], total: 0, has_more: false });
    },

    /** @throws when the service does not end well */
    close: () => closing.disposeAsync(),
  };
}

/** A test with a stage of its own. When it fails, what went over the wire is printed. */
export const test = base.extend('stage', async ({ onTestFailed, task }, { onCleanup }) => {
  const stage = await openStage();
  onTestFailed(() => {
    process.stderr.write(`\n=== "${task.name}" failed ===\n${transcript(stage)}\n`);
  });
  onCleanup(() => stage.close());
  return stage;
});
