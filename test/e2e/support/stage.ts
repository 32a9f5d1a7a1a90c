import { test as base, expect } from 'vitest';
import { startProvider } from '../../support/provider/provider.ts';
import { textAnswer } from '../../support/provider/scripts.ts';
import { startService } from './service.ts';
import { tapWire } from './wire.ts';

/** What the provider answers unless a test says otherwise, in several pieces and with characters of more than one byte. */
export const answerText = 'The answer is zweiundvierzig – 四十二.';

/** What the provider says that answer has used. */
export const usage = { inputTokens: 1_000, cachedTokens: 200, outputTokens: 100, reasoningTokens: 40 };

/** A model that every price table knows: 1.25, 0.125 (cached) and 10 dollars a million tokens. */
export const model = 'gpt-5.1';
const costUsd = (800 * 1.25 + 200 * 0.125 + 100 * 10) / 1_000_000;

/** Between the provider's first and last event; no request can take less. */
const answerTakesMs = 50;

export const answerScript = (): ReturnType<typeof textAnswer> =>
  textAnswer({ text: answerText, usage, firstByteDelayMs: answerTakesMs });

/** A provider, the service in front of it with one of its accounts, and a tap on the wire where clients connect. */
export type Stage = Awaited<ReturnType<typeof openStage>>;

/** What the tests read of a body that the provider got. */
export type Prompt = { model: string; stream: boolean; store: boolean; input: InputItem[] };
type InputItem = { type?: string; role?: string; content?: string | { text?: string }[] };

/** What a user typed, piece by piece: clients add pieces of their own. */
export const typedIn = ({ input }: Prompt): string[] =>
  input
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '')));

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

    /** Asks every caller for a key from here on. */
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
      expect(prompt).toMatchObject({ account: account.id, status: 200, finished: true });
      expect(prompt?.headers.authorization).toBe(`Bearer ${account.tokens.current().accessToken}`);
      return prompt?.json as Prompt;
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

    /** What everybody said, for a test that failed. */
    transcript: () =>
      [
        '--- the client sent',
        ...wire.sent.map(({ method, path, headers, body }) => {
          const text =
            headers['content-encoding'] === undefined ? body.toString().slice(0, 2_000) : `${body.length} bytes`;
          return `${method} ${path}\n${JSON.stringify(headers, null, 2)}\n${text}\n`;
        }),
        '--- the service answered',
        wire.answers().slice(-8_000),
        '--- the provider got',
        ...provider.received.map(({ method, path, status, answeredBy, aborted, json }) =>
          JSON.stringify({ method, path, status, answeredBy, aborted, json }).slice(0, 2_000),
        ),
        '--- the service said',
        service.output(),
      ].join('\n'),

    /** @throws when the service does not end well */
    close: () => closing.disposeAsync(),
  };
}

/** A test with a stage of its own. When it fails, what went over the wire is printed. */
export const test = base.extend('stage', async ({ onTestFailed, task }, { onCleanup }) => {
  const stage = await openStage();
  onTestFailed(() => {
    process.stderr.write(`\n=== "${task.name}" failed ===\n${stage.transcript()}\n`);
  });
  onCleanup(() => stage.close());
  return stage;
});
