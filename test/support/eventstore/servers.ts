import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';

export interface RealServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Why there is none, for the name of what is skipped. */
export const NO_REAL_SERVER = 'neither SVC_TEST_EVENTSTORE_URL nor a container engine';

const IMAGE = 'docker.io/eventstore/eventstore:24.10.6-bookworm-slim';
const ENGINES = ['docker', 'podman'];

/** The server that somebody else runs, or one in a container that ends with this process. */
export async function realServer(): Promise<RealServer | undefined> {
  const given = process.env.SVC_TEST_EVENTSTORE_URL;
  if (given) return { url: given, stop: async () => undefined };
  const engine = ENGINES.find((name) => spawnSync(name, ['info'], { timeout: 5_000 }).status === 0);
  return engine === undefined ? undefined : container(engine);
}

/** Its standard input is a pipe of ours, so it ends with us, however we end. */
async function container(engine: string): Promise<RealServer> {
  const port = await freePort();
  const name = `svc-test-${randomUUID()}`;
  const settings = ['CLUSTER_SIZE=1', 'INSECURE=true', 'RUN_PROJECTIONS=None', 'MEM_DB=true', 'NODE_PORT=2113'];
  const environment = settings.flatMap((setting) => ['-e', `EVENTSTORE_${setting}`]);
  const run = ['run', '--rm', '-i', '--name', name, '-p', `127.0.0.1:${port}:2113`, ...environment, IMAGE];
  const child = spawn(engine, run, { stdio: ['pipe', 'ignore', 'ignore'] });
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      spawnSync(engine, ['kill', name]);
      if (child.exitCode === null && child.signalCode === null) await exited;
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
