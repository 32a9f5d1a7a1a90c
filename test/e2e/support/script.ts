import type { SimulatedAccount } from '../../support/provider/account.ts';
import { functionCalls, reasoning } from '../../support/provider/parts.ts';
import { responseEvents } from '../../support/provider/responseEvents.ts';
import { type ResponseScript, stream, textResponse } from '../../support/provider/scripts.ts';

/** A model that every price table knows: 1.25, 0.125 (cached) and 10 dollars a million tokens. */
export const model = 'gpt-5.1';

/**
 * What the provider answers unless a test says otherwise, in several pieces and with characters of more than one
 * byte.
 */
export const answerText = 'The answer is zweiundvierzig – 四十二.';

/** What the provider says that it used for it. */
export const usage = { inputTokens: 1_000, cachedTokens: 200, outputTokens: 100, reasoningTokens: 40 };
export const costUsd = (800 * 1.25 + 200 * 0.125 + 100 * 10) / 1_000_000;

/** No answer takes less. */
export const answerTakesMs = 50;

/** Timers may be a little early. */
export const answerScript = (): ResponseScript =>
  textResponse({ text: answerText, usage, firstByteDelayMs: answerTakesMs + 5 });

/** Makes the provider think and ask for a tool once, before it answers as always. */
export const callToolFirst = (account: SimulatedAccount, name: string, args: object): void =>
  account.next(
    stream('thinks and calls a tool', (asked) =>
      responseEvents(asked, { parts: [reasoning(['Let me ', 'look.']), functionCalls([{ name, args }])], usage }),
    ),
  );

/** What the tests read of a body that the provider got. */
export type Prompt = { model: string; stream: boolean; store: boolean; input: InputItem[] };
type InputItem = {
  type?: string;
  role?: string;
  name?: string;
  call_id?: string;
  encrypted_content?: string;
  content?: string | { text?: string }[];
};

/** What a user typed, piece by piece: clients add pieces of their own. */
export const typedIn = ({ input }: Prompt): string[] =>
  input
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '')));
