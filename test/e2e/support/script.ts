import type { SimulatedAccount } from '../../support/provider/account.ts';
import { functionCalls, reasoning } from '../../support/provider/parts.ts';
import { responseEvents } from '../../support/provider/responseEvents.ts';
import { type ResponseScript, stream, textResponse } from '../../support/provider/scripts.ts';

/** A model in the built-in price table: 1.25, 0.125 (cached) and 10 dollars per million tokens. */
export const model = 'gpt-5.1';

/**
 * The provider's default response text: several deltas, with multi-byte characters.
 */
export const responseText = 'The answer is zweiundvierzig – 四十二.';

/** The provider's usage for it. */
export const usage = { inputTokens: 1_000, cachedTokens: 200, outputTokens: 100, reasoningTokens: 40 };
export const costUsd = (800 * 1.25 + 200 * 0.125 + 100 * 10) / 1_000_000;

/** Minimum duration of a response. */
export const MIN_RESPONSE_MS = 50;
/** Timers may fire a little early. */
const TIMER_TOLERANCE_MS = 5;

export const defaultScript = (): ResponseScript =>
  textResponse({ text: responseText, usage, firstByteDelayMs: MIN_RESPONSE_MS + TIMER_TOLERANCE_MS });

/** Queues a response with reasoning and a tool call. */
export const queueToolCall = (account: SimulatedAccount, name: string, args: object): void =>
  account.next(
    stream('reasoning and tool call', (context) =>
      responseEvents(context, { parts: [reasoning(['Let me ', 'look.']), functionCalls([{ name, args }])], usage }),
    ),
  );

/** The fields of an upstream request body that the tests read. */
export type Prompt = { model: string; stream: boolean; store: boolean; input: InputItem[] };
type InputItem = {
  type?: string;
  role?: string;
  name?: string;
  call_id?: string;
  encrypted_content?: string;
  content?: string | { text?: string }[];
};

/** The texts of user messages. Clients add texts of their own. */
export const userTexts = ({ input }: Prompt): string[] =>
  input
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '')));
