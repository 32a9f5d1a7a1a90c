import { createInterface } from 'node:readline';
import { killGroup, startChild } from './child.ts';
import { codexBinary } from './clients.ts';
import { type CodexOptions, createCodexHome } from './codexHome.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field
type Fields = Record<string, any>;

/** A notification of the app server. */
export interface Notification {
  readonly method: string;
  readonly params: Fields;
}

/** How a turn ended, and what a user has seen of it. */
export interface EndedTurn {
  readonly status: 'completed' | 'interrupted' | 'failed';
  readonly text: string;
  /** "Reconnecting... 1/5" and what failed for good. */
  readonly errors: readonly string[];
}

const TURN_TIMEOUT_MS = 60_000;

/**
 * `codex app-server`, which keeps its threads and their sockets over many turns, as the terminal interface and editors do. A
 * request from it, which would ask a user for something, fails the test.
 */
export async function startCodexServer(options: CodexOptions) {
  const home = await createCodexHome(options);
  const server = startChild(codexBinary(), ['app-server'], { cwd: home.workspace, env: home.env, input: true });
  const notifications: Notification[] = [];
  const pending = new Map<number, PromiseWithResolvers<Fields>>();
  const waiting = new Set<() => void>();
  let ended: Error | undefined;
  let stderr = '';
  let lastId = 0;
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const notifyAll = () => {
    for (const check of [...waiting]) check();
  };
  const onMessage = (message: Fields): void => {
    const { id, method, params, result, error } = message;
    if (method !== undefined && id === undefined) notifications.push({ method, params });
    else if (method !== undefined) ended = new Error(`Codex asked its user for ${method}`);
    else if (error) pending.get(id)?.reject(new Error(JSON.stringify(error)));
    else pending.get(id)?.resolve(result);
    notifyAll();
  };
  createInterface({ input: server.stdout }).on('line', (line) => onMessage(JSON.parse(line)));
  server.once('close', () => {
    ended ??= new Error(`codex app-server ended: ${stderr}`);
    for (const { reject } of pending.values()) reject(ended);
    notifyAll();
  });

  const send = (message: object) => server.stdin?.write(`${JSON.stringify(message)}\n`);
  function call(method: string, params: object): Promise<Fields> {
    const id = lastId++;
    const response = Promise.withResolvers<Fields>();
    pending.set(id, response);
    send({ id, method, params });
    return response.promise;
  }

  /** Resolves with the first notification from this place on that fits. */
  function until(wanted: (notification: Notification) => boolean, from = 0): Promise<Notification> {
    const { promise, resolve, reject } = Promise.withResolvers<Notification>();
    const timer = setTimeout(() => {
      const seen = notifications.slice(from).map(({ method, params }) => `${method} ${JSON.stringify(params)}`);
      reject(new Error(`not within ${TURN_TIMEOUT_MS} ms; seen:\n${seen.join('\n').slice(-4_000)}\n${stderr}`));
    }, TURN_TIMEOUT_MS);
    const check = () => {
      const found = notifications.slice(from).find(wanted);
      if (found) resolve(found);
      else if (ended) reject(ended);
    };
    waiting.add(check);
    check();
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(check);
    });
  }

  const clientInfo = { name: 'svc-e2e', title: null, version: '1' };
  await call('initialize', { clientInfo, capabilities: { experimentalApi: true } });
  send({ method: 'initialized' });

  async function endOfTurn(threadId: string, from: number): Promise<EndedTurn> {
    const { params } = await until(
      ({ method, params }) => method === 'turn/completed' && params.threadId === threadId,
      from,
    );
    const ofThread = notifications.slice(from).filter((each) => each.params?.threadId === threadId);
    const errors = ofThread.filter(({ method }) => method === 'error').map((each) => each.params.error.message);
    const items = ofThread.filter(({ method }) => method === 'item/completed').map((each) => each.params.item);
    const text = items.filter(({ type }) => type === 'agentMessage').map((item) => item.text);
    return { status: params.turn.status, text: text.join('\n'), errors };
  }

  return {
    notifications,
    until,
    async startThread() {
      const { thread } = await call('thread/start', { approvalPolicy: 'never', sandbox: 'danger-full-access' });
      const threadId: string = thread.id;
      /** Begins a turn. @returns its id, and its end */
      const begin = async (text: string) => {
        const from = notifications.length;
        const { turn } = await call('turn/start', { threadId, input: [{ type: 'text', text, text_elements: [] }] });
        return { id: turn.id as string, ended: endOfTurn(threadId, from) };
      };
      return {
        id: threadId,
        begin,
        /** A whole turn. */
        turn: async (text: string) => (await begin(text)).ended,
        interrupt: (turnId: string) => call('turn/interrupt', { threadId, turnId }),
        /** Replaces the history by a summary. */
        async compact() {
          const from = notifications.length;
          await call('thread/compact/start', { threadId });
          return endOfTurn(threadId, from);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      killGroup(server);
      await home[Symbol.asyncDispose]();
    },
  };
}

export type CodexServer = Awaited<ReturnType<typeof startCodexServer>>;
