import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type ServiceProcess, serve } from '../../test/durability/support/serve.ts';
import { type FakeEventStore, startFakeEventStore } from '../../test/support/eventstore/fakeEventStore.ts';
import { type NetworkLink, startNetworkLink } from '../../test/support/eventstore/networkLink.ts';
import { type ScrapedMetrics, scrapeMetrics } from './scrapeMetrics.ts';

const [FAKETIME] = globSync('/usr/lib/*/faketime/libfaketime.so.1');

export interface SoakNodeOptions {
  /** An empty folder for everything that the soak writes. */
  readonly folder: string;
  readonly provider: { readonly baseUrl: string; readonly authUrl: string };
  readonly minutes: number;
}

/** One service over EventStoreDB whose disk, clock and store can be disturbed. */
export class SoakNode {
  /** Why the disk cannot be filled, and the clock not be set; undefined where it can. */
  readonly noDisk: string | undefined;
  readonly noClock = FAKETIME === undefined ? 'libfaketime is not installed' : undefined;
  readonly data: string;
  readonly #options: SoakNodeOptions;
  readonly #ballast: string;
  readonly #clock: string;
  readonly #store: FakeEventStore;
  readonly #link: NetworkLink;
  #service: ServiceProcess | undefined;
  #url = '';
  /** When the process that runs now listened, in milliseconds of the monotonic clock. */
  bornAt = 0;

  static async open(options: SoakNodeOptions): Promise<SoakNode> {
    const store = await startFakeEventStore();
    return new SoakNode(options, store, await startNetworkLink(store));
  }

  private constructor(options: SoakNodeOptions, store: FakeEventStore, link: NetworkLink) {
    this.#options = options;
    this.#store = store;
    this.#link = link;
    this.data = join(options.folder, 'data');
    this.#ballast = join(this.data, 'ballast');
    this.#clock = join(options.folder, 'clock');
    mkdirSync(this.data, { mode: 0o700 });
    this.noDisk = mount(this.data, 160 + Math.ceil(options.minutes * 12));
    this.setClock('+0');
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number {
    return this.#service?.pid ?? 0;
  }

  /** The environment of the service, and of commands about its data folder. */
  get env(): Readonly<Record<string, string>> {
    return {
      SVC_EVENTSTORE_URL: this.#store.url.replace(String(this.#store.port), String(this.#link.port)),
      SVC_ENCRYPTION_KEY: '5a'.repeat(32),
      SVC_NODE_ID: 'soak',
      SVC_DRAIN_SECONDS: '2',
      SVC_SINK_FILE: join(this.#options.folder, 'sink.jsonl'),
      SVC_SINK_FILE_KEEP: '1',
      ...(FAKETIME !== undefined && {
        ...{ LD_PRELOAD: FAKETIME, FAKETIME_TIMESTAMP_FILE: this.#clock },
        ...{ FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_CACHE_DURATION: '1' },
      }),
    };
  }

  async start(): Promise<void> {
    const { provider, minutes } = this.#options;
    const timeoutMs = (minutes + 30) * 60_000;
    this.#service = serve({ folder: this.data, provider, env: this.env, timeoutMs });
    this.#url = await this.#service.listening();
    this.bornAt = performance.now();
  }

  /** Ends it in order. */
  async stop(): Promise<void> {
    const ended = await this.#service?.stop();
    if (ended && ended.exitCode !== 0)
      throw new Error(`The service ended with ${ended.exitCode}: ${ended.stderr.at(-1)}`);
  }

  /** Ends it by kill -9. */
  async kill(): Promise<void> {
    await this.#service?.kill();
  }

  killStore = (): Promise<void> => this.#store.kill();
  startStore = (): Promise<void> => this.#store.start();
  freezeLink = (): void => this.#link.freeze();
  thawLink = (): void => this.#link.thaw();
  cutLink = (): void => this.#link.cut();

  /** @param offset such as `+120` seconds */
  setClock(offset: string): void {
    writeFileSync(this.#clock, `${offset}\n`);
  }

  /** Takes all of the free space of its disk, but for some kilobytes. */
  fillDisk(leftBytes: number): void {
    for (let bytes = this.#free() - leftBytes; bytes > 0; bytes = this.#free() - leftBytes) {
      try {
        appendFileSync(this.#ballast, Buffer.alloc(Math.min(bytes, 16_777_216)));
      } catch (error) {
        // The service took the rest meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  }

  makeRoom(): void {
    rmSync(this.#ballast, { force: true });
  }

  #free(): number {
    const { bavail, bsize } = statfsSync(this.data);
    return bavail * bsize;
  }

  /** Resolves with undefined while the service does not respond. */
  async metrics(): Promise<ScrapedMetrics | undefined> {
    const { pid } = this;
    const seen = await scrapeMetrics(this.#url).catch(() => undefined);
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const anonymous = Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024;
      return seen && { ...seen, anonymousMb: anonymous, descriptors: readdirSync(`/proc/${pid}/fd`).length };
    } catch {
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#link[Symbol.asyncDispose]();
    await this.#store.kill();
    if (this.noDisk === undefined) spawnSync('umount', ['-l', this.data]);
  }
}

/** @returns why there is no file system of its own; undefined when it is mounted */
function mount(folder: string, megabytes: number): string | undefined {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'none', folder]);
  return status === 0 ? undefined : 'only root of a Linux can mount a tmpfs';
}
