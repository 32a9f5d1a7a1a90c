import { setTimeout as wait } from 'node:timers/promises';
import type { SimulatedAccount } from '../../test/support/provider/account.ts';
import {
  connectionReset,
  type ResponseScript,
  serverError,
  streamCut,
  textResponse,
  throttled,
} from '../../test/support/provider/scripts.ts';
import type { Random } from '../../test/support/random.ts';
import type { SoakNode } from './soakNode.ts';

/** A response as a healthy account gives it. */
export const healthy = (): ResponseScript => textResponse({ betweenMs: 20 });

export interface Fault {
  readonly name: string;
  /** Why it cannot be had here. */
  readonly reason?: string | undefined;
  /** Whether it ends the process. */
  readonly isRestart?: true;
  /** Resolves when it is over. */
  readonly run: () => Promise<void>;
}

/** Each fault lasts some seconds. @param lasts milliseconds of the next one */
export function faultsOf(node: SoakNode, accounts: readonly SimulatedAccount[], random: Random): readonly Fault[] {
  const lasts = () => wait(random.between(3_000, 9_000));
  return [
    {
      name: 'accounts failing',
      async run() {
        const scripts = [serverError(), connectionReset(), throttled(), streamCut()];
        for (const account of accounts.slice(1)) account.always(random.pick(scripts));
        await lasts();
        for (const account of accounts) account.always(healthy());
      },
    },
    {
      name: 'store killed',
      async run() {
        await node.killStore();
        await lasts();
        await node.startStore();
      },
    },
    {
      name: 'store frozen',
      async run() {
        node.freezeLink();
        await lasts();
        node.thawLink();
      },
    },
    {
      name: 'connections cut',
      async run() {
        for (let cuts = random.between(2, 6); cuts > 0; cuts -= 1) {
          node.cutLink();
          await wait(random.between(200, 1_500));
        }
      },
    },
    {
      name: 'disk nearly full',
      reason: node.noDisk,
      async run() {
        node.fillDisk(random.pick([0, 4_096, 65_536]));
        await lasts();
        node.makeRoom();
      },
    },
    {
      name: 'clock stepped',
      reason: node.noClock,
      async run() {
        // It never shows a time before its start: a window that begins with its limit would count requests from before that.
        node.setClock(random.pick(['+300', '+3600', '+7200']));
        await lasts();
        node.setClock('+0');
      },
    },
    {
      name: 'restart',
      isRestart: true,
      async run() {
        await node.stop();
        await node.start();
      },
    },
    {
      name: 'kill -9',
      isRestart: true,
      async run() {
        await node.kill();
        await node.start();
      },
    },
  ];
}
