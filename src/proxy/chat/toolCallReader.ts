import { isObject, type JsonObject } from '../requestBody/parseJson.ts';
import type { ToolCallDelta } from './wire.ts';

type Kind = 'function' | 'custom';

interface Call {
  readonly index: number;
  readonly kind: Kind;
  hasArguments: boolean;
}

const KINDS: Readonly<Record<string, Kind>> = { function_call: 'function', custom_tool_call: 'custom' };

/**
 * Reads the tool calls of one response. The arguments of several calls may be interleaved. The position of its item tells
 * which call a piece belongs to, because call ids may be missing or repeated.
 */
export class ToolCallReader {
  readonly #calls = new Map<unknown, Call>();

  get count(): number {
    return this.#calls.size;
  }

  /** A new item; ignored if it is no tool call. */
  begin(event: JsonObject): ToolCallDelta[] {
    const { item } = event;
    const key = keyOf(event);
    const kind = isObject(item) ? KINDS[String(item.type)] : undefined;
    if (!isObject(item) || !kind || this.#calls.has(key)) return [];
    const { call_id: callId, id, name } = item;
    const call: Call = { index: this.#calls.size, kind, hasArguments: false };
    this.#calls.set(key, call);
    const named = { name: typeof name === 'string' ? name : '' };
    return [{ ...piece(call, '', named), id: String(callId ?? id), type: kind }];
  }

  /** A piece of the arguments. Ignored if its call has not begun: the finished item contains all of them. */
  add(event: JsonObject, text: unknown): ToolCallDelta[] {
    const call = this.#calls.get(keyOf(event));
    if (!call || typeof text !== 'string' || text === '') return [];
    call.hasArguments = true;
    return [piece(call, text)];
  }

  /** The complete arguments; ignored if their pieces were passed on. */
  complete(event: JsonObject, text: unknown): ToolCallDelta[] {
    return this.#calls.get(keyOf(event))?.hasArguments ? [] : this.add(event, text);
  }

  /** A finished item: passes on what was not passed on before. */
  finish(event: JsonObject): ToolCallDelta[] {
    const { item } = event;
    const first = this.begin(event);
    if (!isObject(item)) return first;
    return [...first, ...this.complete(event, item.type === 'custom_tool_call' ? item.input : item.arguments)];
  }
}

/** Events contain the position of their item, or only its id. */
const keyOf = ({ output_index: index, item_id: id, item }: JsonObject): unknown =>
  index ?? id ?? (isObject(item) ? item.id : undefined);

const piece = ({ index, kind }: Call, text: string, named: { name?: string } = {}): ToolCallDelta =>
  kind === 'function'
    ? { index, function: { ...named, arguments: text } }
    : { index, custom: { ...named, input: text } };
