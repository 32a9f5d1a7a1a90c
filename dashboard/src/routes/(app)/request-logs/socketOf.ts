/** What a request on a websocket was, as people read it. */
export interface SocketFacts {
  readonly id: string;
  readonly kind: string;
  readonly number: number;
  /** Whether it sent the whole conversation, or what is new since a response. */
  readonly input: string;
}

const KINDS: Readonly<Record<string, string>> = {
  turn: 'Turn',
  prewarm: 'Prewarm: prepares a conversation, without output',
  compaction: 'Compaction of the conversation',
};

/** Reads the websocket of a request from its event; undefined for a request over HTTP. */
export function socketOf(data: unknown): SocketFacts | undefined {
  const { socket } = (data ?? {}) as { socket?: { id: string; number: number; kind: string; isContinued: boolean } };
  if (!socket) return undefined;
  const { id, number, kind, isContinued } = socket;
  return {
    id,
    number,
    kind: KINDS[kind] ?? kind,
    input: isContinued ? 'Continues a response: only what is new was sent' : 'The whole conversation was sent',
  };
}
