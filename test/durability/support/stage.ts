import { onTestFinished, vi } from 'vitest';
import { tempDir } from '../../e2e/support/tempDir.ts';
import type { SimulatedAccount } from '../../support/provider/account.ts';
import { type Provider, startProvider } from '../../support/provider/provider.ts';
import { type Api, managementApi } from './managementApi.ts';
import { type RunningService, type ServeOptions, type ServiceExit, type ServiceProcess, serve } from './serve.ts';
import { serveInProcess } from './serveInProcess.ts';

export interface StageOptions {
  readonly accounts?: number;
  /** Called with the empty data folder before the first start. */
  readonly prepare?: (folder: string) => void;
  readonly env?: Readonly<Record<string, string>>;
  /** Program and arguments, where the service is a process; see `ServeOptions`. */
  readonly command?: readonly string[];
  /** Shorter times of websockets; with `openStageInProcess` only. */
  readonly socketTimes?: ServeOptions['socketTimes'];
}

/** The service in a process of its own, with an empty folder and accounts of the simulated provider. Ends with the test. */
export const openStage = (options?: StageOptions): Promise<Stage> => openStageOf(serve, options);

/** Like `openStage`, with the service in this process: see `serveInProcess`. */
export const openStageInProcess = (options?: StageOptions): Promise<StageOf<RunningService>> =>
  openStageOf(serveInProcess, options);

async function openStageOf<Service extends RunningService>(
  serve: (options: ServeOptions) => Service,
  { accounts = 1, prepare, env = {}, command, socketTimes }: StageOptions = {},
): Promise<StageOf<Service>> {
  const folder = await tempDir('durability');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  prepare?.(folder.path);
  const provider = await startProvider();
  onTestFinished(() => provider.close());

  async function start() {
    const service = serve({
      folder: folder.path,
      provider,
      env,
      ...(command && { command }),
      ...(socketTimes && { socketTimes }),
    });
    onTestFinished(() => service[Symbol.asyncDispose]());
    const url = await service.listening();
    return { service, url, api: managementApi(url) };
  }

  let running = await start();
  const pool: { at: SimulatedAccount; id: string }[] = [];
  for (let index = 0; index < accounts; index += 1) {
    const at = provider.addAccount();
    pool.push({ at, id: await running.api.importAccount(at) });
  }
  const hasUsageOfAll = async () => {
    const { accounts: shown } = await running.api.call('GET', '/api/accounts');
    return shown.every((account: { reset_at_primary: string | null }) => account.reset_at_primary !== null);
  };
  await vi.waitUntil(hasUsageOfAll, { timeout: 10_000, interval: 20 });

  return {
    provider,
    folder: folder.path,
    pool,
    get service() {
      return running.service;
    },
    get url() {
      return running.url;
    },
    get api() {
      return running.api;
    },

    stop: () => running.service.stop(),

    async start() {
      running = await start();
    },
  };
}

export interface StageOf<Service extends RunningService> {
  readonly provider: Provider;
  readonly folder: string;
  readonly pool: readonly { readonly at: SimulatedAccount; readonly id: string }[];
  readonly service: Service;
  readonly url: string;
  readonly api: Api;
  /** Stops the service in order, by SIGTERM where it is a process. @returns exit code and output */
  stop(): Promise<ServiceExit>;
  /** Starts the service again over the same folder. */
  start(): Promise<void>;
}

export type Stage = StageOf<ServiceProcess>;

/** A minimal request body. */
export const requestBody = (text = 'Say hi', more: object = {}) => ({
  model: 'gpt-5.1',
  instructions: 'Be brief.',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
  stream: true,
  store: false,
  ...more,
});
