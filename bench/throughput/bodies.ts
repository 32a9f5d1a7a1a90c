import { agentBody } from './agentBody.ts';
import type { BodyKind } from './options.ts';
import { prose } from './prose.ts';

export interface RequestBody {
  readonly session: string;
  readonly json: string;
}

/** Conversations that take turns: few enough to stay pinned, enough that several accounts are in use. */
const conversations = 64;

/**
 * The request bodies of a run, one a conversation. They differ in `prompt_cache_key` and at the end of `input`,
 * as the turns of real sessions do: a service that remembers what it saw before may profit from what is equal.
 */
export function bodies(kind: BodyKind): readonly RequestBody[] {
  return Array.from({ length: conversations }, (_, conversation) => {
    const session = `0193b2c4-7d1e-7a00-8c00-${conversation.toString(16).padStart(12, '0')}`;
    const body = kind === '20k' ? twoStrings(session, conversation) : agentBody(session, conversation);
    return { session, json: JSON.stringify(body) };
  });
}

/** Two long strings and next to nothing else: the cheapest 20 kB there are to parse. */
function twoStrings(session: string, conversation: number): object {
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

/** Every key and every text value of a JSON text: what makes a body dear to parse, more than its size. */
export function countStrings(json: string): number {
  return json.match(/"(?:[^"\\]|\\.)*"/g)?.length ?? 0;
}
