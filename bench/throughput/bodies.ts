import { agentBody } from './agentBody.ts';
import type { BodyKind } from './options.ts';
import { prose } from './prose.ts';

export interface RequestBody {
  readonly session: string;
  readonly json: string;
}

/** Few enough to stay pinned, and enough to use several accounts. */
const CONVERSATIONS = 64;

/**
 * The request bodies of a run, one per conversation. They differ in `prompt_cache_key` and at the end of `input`, like the
 * turns of real sessions: a service with a cache may profit from the equal parts.
 */
export function bodies(kind: BodyKind): readonly RequestBody[] {
  return Array.from({ length: CONVERSATIONS }, (_, conversation) => {
    const session = `0193b2c4-7d1e-7a00-8c00-${conversation.toString(16).padStart(12, '0')}`;
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

/** Counts the keys and text values of a JSON text, which determine the cost of parsing more than its size. */
export function countStrings(json: string): number {
  return json.match(/"(?:[^"\\]|\\.)*"/g)?.length ?? 0;
}
