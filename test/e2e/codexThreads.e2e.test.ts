import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RunningService } from '../durability/support/serve.ts';
import { openStage, openStageInProcess, type Stage, type StageOf } from '../durability/support/stage.ts';
import { forwardPort } from '../support/forwardedPort.ts';
import { type ResponseScript, stepsOf } from '../support/provider/responseScript.ts';
import { defaultResponse, errorJson, textResponse } from '../support/provider/scripts.ts';
import { recordedEvents } from '../support/recordedEvents.ts';
import type { CodexSignIn } from './support/codexHome.ts';
import { startCodexServer } from './support/codexServer.ts';
import { model, type Prompt, queueToolCall, userTexts } from './support/script.ts';

// One Codex with threads of many turns, each on a websocket, and what happens to its sockets between and within them.

vi.setConfig({ testTimeout: 150_000 });
const SOON = { timeout: 30_000, interval: 20 };

type SignInOf = (stage: StageOf<RunningService>) => CodexSignIn;

const configurations: Readonly<Record<string, SignInOf>> = {
  'a provider entry': () => ({ as: 'anonymous' }),
  'the built-in provider': ({ provider }) => ({
    as: 'chatgpt',
    authFile: provider.addAccount().authFile(),
    provider: 'built-in',
  }),
};

type Create = Prompt & { generate?: boolean; previous_response_id?: string };

/** Requests for text that reached the provider, oldest first, by whatever way; prewarms are none. */
const prompts = ({ provider }: Pick<Stage, 'provider'>) =>
  provider.received
    .filter(({ path, method }) => path.endsWith('/codex/responses') && method !== 'GET')
    .map(({ json, ...rest }) => ({ ...rest, json: json as Create }))
    .filter(({ json }) => json.generate !== false);

/** What the last user message of each request says: nothing is asked twice. */
const askedFor = (stage: Pick<Stage, 'provider'>) => prompts(stage).map(({ json }) => userTexts(json).at(-1));

/** A response that goes on until its client has gone. */
const endless: ResponseScript = {
  name: 'endless',
  *steps(context) {
    yield* [...stepsOf(textResponse({ deltas: 4 }), context)].slice(0, 5);
    yield { hold: true };
  },
};

async function open(signInOf: SignInOf, accounts = 1) {
  const stage = await openStage({ accounts, env: { SVC_DRAIN_SECONDS: '1' } });
  const port = await forwardPort();
  onTestFinished(() => port.close());
  port.to(Number(new URL(stage.url).port));
  return {
    stage,
    codex: await startCodex(stage, `http://127.0.0.1:${port.port}`, signInOf),
    /** Starts the service again, at the same address. */
    async restart() {
      await stage.start();
      port.to(Number(new URL(stage.url).port));
    },
  };
}

async function startCodex(stage: StageOf<RunningService>, url: string, signInOf: SignInOf) {
  for (const { at } of stage.pool) at.always(defaultResponse());
  const baseUrl = `${url}/backend-api/svc`;
  const codex = await startCodexServer({ baseUrl, model, signIn: signInOf(stage), sockets: true });
  onTestFinished(() => codex[Symbol.asyncDispose]());
  return codex;
}

const idleSockets = ({ pool }: Pick<Stage, 'pool'>) => pool.flatMap(({ at }) => at.sockets);
const answered = { status: 'completed', errors: [] };

describe.for(Object.entries(configurations))('Codex with %s', ([, signInOf]) => {
  test('keeps the socket of each thread over turns and a compaction, and interrupts a response', async () => {
    const { stage, codex } = await open(signInOf);
    const [one, two] = [await codex.startThread(), await codex.startThread()];

    expect(await one.turn('first of one')).toMatchObject(answered);
    expect(await two.turn('first of two')).toMatchObject(answered);
    expect(await one.turn('second of one')).toMatchObject(answered);
    expect(await one.compact()).toMatchObject(answered);
    expect(await one.turn('third of one')).toMatchObject(answered);
    expect(await two.turn('second of two')).toMatchObject(answered);
    const before = prompts(stage);
    expect(before).toHaveLength(6);
    expect(before.map(({ method }) => method)).toEqual(Array(6).fill('WEBSOCKET'));
    const [first, ofTwo, ...others] = before.map(({ socket }) => socket);
    expect(ofTwo).not.toBe(first);
    expect(others).toEqual([first, first, first, ofTwo]);

    stage.pool[0]?.at.next(endless);
    const { id, ended } = await one.begin('fourth of one');
    await vi.waitUntil(() => stage.pool[0]?.at.inFlight === 1, SOON);
    await one.interrupt(id);
    expect(await ended).toMatchObject({ status: 'interrupted', errors: [] });
    await vi.waitUntil(() => stage.pool[0]?.at.inFlight === 0, SOON);
    expect(await one.turn('fifth of one')).toMatchObject(answered);
    const texts = askedFor(stage);
    expect(texts.slice(6)).toEqual(['fourth of one', 'fifth of one']);
    expect(prompts(stage).at(-1)).toMatchObject({ method: 'WEBSOCKET' });
  });

  test('notices nothing when its socket is closed between two turns, its account paused or svc restarted', async () => {
    const { stage, codex, restart } = await open(signInOf, 2);
    const thread = await codex.startThread();
    expect(await thread.turn('at first')).toMatchObject(answered);

    for (const socket of idleSockets(stage)) socket.close(1000);
    await vi.waitUntil(() => idleSockets(stage).length === 0, SOON);
    expect(await thread.turn('after the provider has closed')).toMatchObject(answered);

    const serving = stage.pool.find(({ at }) => at.sockets.length > 0);
    await stage.api.call('POST', `/api/accounts/${serving?.id}/pause`);
    await vi.waitUntil(() => idleSockets(stage).length === 0, SOON);
    expect(await thread.turn('after the pause')).toMatchObject(answered);

    await stage.stop();
    await restart();
    expect(await thread.turn('after the restart')).toMatchObject(answered);

    const texts = ['at first', 'after the provider has closed', 'after the pause', 'after the restart'];
    expect(askedFor(stage)).toEqual(texts);
    expect(prompts(stage).map(({ method }) => method)).toEqual(texts.map(() => 'WEBSOCKET'));

    await stage.stop();
    const awaySince = performance.now();
    const { ended } = await thread.begin('while svc is away');
    await restart();
    const awayMs = performance.now() - awaySince;
    const turn = await ended;
    expect(turn.status).toBe('completed');
    // It says so from its second try on, because it waits for an answer.
    for (const error of turn.errors) expect(error).toContain('Reconnecting');
    expect(askedFor(stage)).toEqual([...texts, 'while svc is away']);
    // It tries a socket for 6 s, then POST.
    if (awayMs < 5_000) expect(prompts(stage).at(-1)?.method).toBe('WEBSOCKET');
    const accounts = prompts(stage).map(({ account }) => account);
    expect(accounts[1]).toBe(serving?.at.id);
    expect(accounts[2]).not.toBe(serving?.at.id);
  });

  test('notices nothing when its socket gets old, between turns and steps, and waits when an upgrade is refused', async () => {
    const stage = await openStageInProcess({ socketTimes: { maxAgeMs: 1_000 } });
    const codex = await startCodex(stage, stage.url, signInOf);
    const account = stage.pool[0]?.at;
    if (!account) throw new Error('no account');
    const untilClosed = () => vi.waitUntil(() => idleSockets(stage).length === 0, SOON);
    const thread = await codex.startThread();
    expect(await thread.turn('at first')).toMatchObject(answered);
    await untilClosed();

    queueToolCall(account, 'exec_command', { cmd: 'sleep 3 && echo $((6 * 7))-from-the-shell' });
    expect(await thread.turn('with a tool')).toMatchObject(answered);
    const steps = prompts(stage).slice(1);
    expect(steps).toHaveLength(2);
    expect(steps[0]?.socket).not.toBe(steps[1]?.socket);
    // What was on the old socket is sent again, and only what a client has of it.
    expect(steps[1]?.json).not.toHaveProperty('previous_response_id');
    expect(JSON.stringify(steps[1]?.json.input)).toContain('42-from-the-shell');
    await untilClosed();

    account.upgrades.next(errorJson(503, { message: 'no websocket now' }));
    expect(await thread.turn('after a refusal')).toMatchObject(answered);
    expect(prompts(stage).map(({ method }) => method)).toEqual(Array(4).fill('WEBSOCKET'));
    expect(askedFor(stage).filter((text) => text === 'after a refusal')).toHaveLength(1);
  });

  test('gets its answer although svc is killed in the middle of one, which was asked for once more', async () => {
    const { stage, codex, restart } = await open(signInOf);
    const thread = await codex.startThread();
    expect(await thread.turn('before')).toMatchObject(answered);
    stage.pool[0]?.at.next(endless);
    const { ended } = await thread.begin('in the middle');
    await vi.waitUntil(() => stage.pool[0]?.at.inFlight === 1, SOON);
    const isAnnounced = async () => {
      const events = await recordedEvents(stage.folder);
      const ended = new Set(
        events.flatMap((event) => (event.type === 'RequestCompleted' ? [event.data.requestId] : [])),
      );
      return events.some((event) => event.type === 'RequestAdmitted' && !ended.has(event.data.requestId));
    };
    await vi.waitUntil(isAnnounced, SOON);

    await stage.service.kill();
    await restart();
    // It tries 6 times within 6 s, then by POST; how long a start takes depends on the machine.
    expect(await ended).toMatchObject({ status: 'completed' });
    expect(await thread.turn('after')).toMatchObject(answered);
    expect(askedFor(stage)).toEqual(['before', 'in the middle', 'in the middle', 'after']);
    const statuses = (await recordedEvents(stage.folder)).flatMap((event) =>
      event.type === 'RequestCompleted' ? [event.data.errorCode ?? event.data.status] : [],
    );
    expect(statuses.filter((status) => status === 'abandoned')).toHaveLength(1);
    expect(statuses.filter((status) => status !== 'abandoned' && status !== '200')).toEqual([]);
  });
});
