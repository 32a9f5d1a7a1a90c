import { agentBody } from './agentBody.ts';
import type { BodyKind, SurfaceName } from './options.ts';
import { prose } from './prose.ts';

export interface RequestBody {
  /** In the session headers of the request; empty for a request without them. */
  readonly session: string;
  readonly json: string;
}

/** Few enough to stay pinned, and enough to use several accounts. */
const CONVERSATIONS = 64;

/**
 * The request bodies of a run, one per conversation. They differ in `prompt_cache_key` and at the end of `input`, like the
 * turns of real sessions: a service with a cache may profit from the equal parts.
 */
export function bodies(kind: BodyKind, surface: SurfaceName = 'responses'): readonly RequestBody[] {
  return Array.from({ length: CONVERSATIONS }, (_, conversation) => {
    const session = `0193b2c4-7d1e-7a00-8c00-${conversation.toString(16).padStart(12, '0')}`;
    if (surface === 'chat') return { session: '', json: JSON.stringify(chatBody(conversation)) };
    const body = kind === '20k' ? twoStringBody(session, conversation) : agentBody(session, conversation);
    return { session, json: JSON.stringify(body) };
  });
}

/** Two long strings and little else: the cheapest 20 kB to parse. */
function twoStringBody(session: string, conversation: number): object {
  return {
    model: 'gpt-5.1',
    instructions: prose(10_000, 1),
    input: `${prose(10_000, 2)} Conversation ${conversation}: go on.`,
    stream: true,
    store: false,
    prompt_cache_key: session,
    reasoning: { effort: 'medium' },
  };
}

/**
 * The same two texts as the OpenAI SDK sends them: no session, so that the beginning of the user's message identifies the
 * conversation.
 */
function chatBody(conversation: number): object {
  return {
    model: 'gpt-5.1',
    messages: [
      { role: 'system', content: prose(10_000, 1) },
      { role: 'user', content: `Conversation ${conversation}: go on. ${prose(10_000, 2)}` },
    ],
    reasoning_effort: 'medium',
    stream: true,
    stream_options: { include_usage: true },
  };
}

/** Counts the keys and text values of a JSON text, which determine the cost of parsing more than its size. */
export function countStrings(json: string): number {
  return json.match(/"(?:[^"\\]|\\.)*"/g)?.length ?? 0;
}
