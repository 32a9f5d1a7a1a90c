import { eventsOf } from '../relay/sse.ts';
import { AnswerReader, type Said } from './answerReader.ts';
import type { ChunkHead } from './chunks.ts';
import type { ChatCompletion, Delta, ToolCall } from './wire.ts';

type Choice = ChatCompletion['choices'][number];

/** The one object that a client gets without `stream`. @param stream the provider's whole answer, its ending included */
export function completionOf(stream: Buffer, head: ChunkHead): ChatCompletion {
  const reader = new AnswerReader();
  const said = [...eventsOf(stream)].flatMap((event) => [...reader.read(event)]);
  const end = reader.finish?.kind === 'finished' ? reader.finish : undefined;
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    ...(end?.serviceTier !== undefined && { service_tier: end.serviceTier }),
    choices: [{ index: 0, message: messageOf(said), logprobs: logprobsOf(said), finish_reason: end?.reason ?? 'stop' }],
    ...(end?.usage && { usage: end.usage }),
  };
}

function messageOf(said: readonly Said[]): Choice['message'] {
  const text = joined(said, 'content');
  const refusal = joined(said, 'refusal');
  const reasoning = joined(said, 'reasoning_content');
  const toolCalls = toolCallsOf(said);
  const isElsewhere = refusal !== null || toolCalls.length > 0;
  return {
    role: 'assistant',
    content: text ?? (isElsewhere ? null : ''),
    refusal,
    ...(reasoning !== null && { reasoning_content: reasoning }),
    annotations: said.flatMap(({ delta }) => delta.annotations ?? []),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
}

function joined(said: readonly Said[], field: 'content' | 'refusal' | 'reasoning_content'): string | null {
  const pieces = said.flatMap(({ delta }) => delta[field] ?? []);
  return pieces.length === 0 ? null : pieces.join('');
}

function toolCallsOf(said: readonly Said[]): ToolCall[] {
  const calls: ToolCall[] = [];
  for (const delta of said.flatMap((piece: { delta: Delta }) => piece.delta.tool_calls ?? [])) {
    const { index, id = '', type } = delta;
    if (type === 'function') calls[index] = { id, type, function: { name: delta.function?.name ?? '', arguments: '' } };
    else if (type === 'custom') calls[index] = { id, type, custom: { name: delta.custom?.name ?? '', input: '' } };
    const call = calls[index];
    if (call?.type === 'function') call.function.arguments += delta.function?.arguments ?? '';
    else if (call) call.custom.input += delta.custom?.input ?? '';
  }
  return calls;
}

function logprobsOf(said: readonly Said[]): Choice['logprobs'] {
  const content = said.flatMap(({ logprobs }) => logprobs?.content ?? []);
  return content.length === 0 ? null : { content, refusal: null };
}
