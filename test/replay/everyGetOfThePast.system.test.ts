import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { instant } from '../../src/domain/core/brands.ts';
import type { KnownEvent } from '../../src/domain/eventTypes.ts';
import { endpointsOf } from '../../src/management/http/describeRoute.ts';
import { anyHistory } from '../support/histories.ts';
import { type Stage, startManagement, temporaryFolder } from '../support/management.ts';

const SYSTEM = { kind: 'system', reason: 'test' } as const;
/** With one of these, management would ask for a sign-in. */
const OF_SIGN_IN = /Password|Totp|Session|SignIn|Sign|Operator|Token|Recovery|Invit|Access|Setup/;

/** The GETs that have a past, with the ids that exist at the end of the history. */
function pathsOf(stage: Stage): string[] {
  const { state } = stage.hot;
  const [account] = state.accounts.keys();
  const subjects = ['settings-main', 'firewall-main', ...(account ? [`account-${account}`] : [])];
  return endpointsOf(stage.management)
    .endpoints.filter(({ at }) => at === 'past')
    .flatMap(({ path }) => {
      if (path === '/api/accounts/{id}/trends') return account ? [path.replace('{id}', account)] : [];
      if (path === '/api/history/{position}') return ['/api/history/1', '/api/history/7'];
      if (path === '/api/blame/{subject}') return subjects.map((subject) => path.replace('{subject}', subject));
      return path.includes('{') ? [] : [path];
    });
}

const SLOW = { timeout: 240_000 };

type Answers = Record<string, readonly [status: number, body: unknown]>;

async function answersOf(stage: Stage, paths: readonly string[], at?: number): Promise<Answers> {
  const answers: Answers = {};
  for (const path of paths) {
    const { status, body } = await stage.call('GET', at === undefined ? path : `${path}?at=${at}`);
    answers[path] = [status, body];
  }
  return answers;
}

test.each([81, 82])(
  'every GET returns what it returned at a position, also after a restart (seed %i)',
  SLOW,
  async (seed) => {
    const [history = []] = fc.sample(anyHistory({ minLength: 150, maxLength: 150 }), { numRuns: 1, seed });
    const folder = temporaryFolder();
    let cleanups: (() => void | Promise<void>)[] = [];
    const start = (startAt?: Stage['clock']['now']) =>
      startManagement(startAt === undefined ? {} : { startAt }, (cleanup) => cleanups.unshift(cleanup), folder);
    const stop = async () => {
      for (const cleanup of cleanups.splice(0)) await cleanup();
    };
    onTestFinished(stop);
    let stage = await start();
    const revisions = new Map<string, number>();
    const then: { at: number; answers: Answers }[] = [];
    let latest = 0;
    for (const [index, { type, data, time, stream }] of history
      .filter((event) => !OF_SIGN_IN.test(event.type))
      .entries()) {
      const event = { type, data } as KnownEvent;
      const append = (revision: number) =>
        stage.log.append(stream, revision, [
          { ...event, id: randomUUID(), time, actor: SYSTEM, correlationId: 'test' },
        ]);
      let outcome = await append(revisions.get(stream) ?? -1);
      // Management itself wrote to this stream.
      if (outcome.kind === 'conflict') outcome = await append(outcome.actualRevision);
      if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
      revisions.set(stream, outcome.revision);
      await stage.hot.whenFolded(outcome.position);
      // The time of the last event, also after a jump of the clock.
      latest = Math.max(0, stage.hot.checkpoints.latest);
      stage.clock.now = instant(latest);
      if (index % 20 === 10) {
        then.push({ at: stage.hot.state.position, answers: await answersOf(stage, pathsOf(stage)) });
      }
    }
    expect(then.length).toBeGreaterThan(3);
    expect(Object.keys(then.at(-1)?.answers ?? {}).length).toBeGreaterThan(18);
    const expectSame = async () => {
      for (const { at, answers } of then.toReversed()) {
        for (const [path, answer] of Object.entries(answers)) {
          const { [path]: again } = await answersOf(stage, [path], at);
          expect(again, `${path} as of ${at}`).toEqual(answer);
        }
      }
    };
    await expectSame();
    expect(stage.reported).toEqual([]);
    await stop();
    cleanups = [];
    stage = await start(instant(latest));
    await expectSame();
  },
);
