import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startContainer } from '../containers.ts';
import { ferretdbBinary } from '../ferretdb/ferretdbBinary.ts';

export interface RunningServer {
  readonly url: string;
  /** Set when the server is a child of this process. */
  readonly pid?: number | undefined;
  /** Data folder of a server that this process started. */
  readonly folder?: string;
  stop(): Promise<void>;
}

/** The server at `SVC_TEST_MONGODB_URL`, if set. */
export function configuredServer(): RunningServer | undefined {
  const url = process.env.SVC_TEST_MONGODB_URL;
  return url ? { url, stop: async () => undefined } : undefined;
}

/** Starts a server that ends when its standard input closes, so that it never outlives this process. */
export async function startLocalServer(): Promise<RunningServer | undefined> {
  if (isInstalled('mongod')) return startMongod();
  if (isInstalled('ferretdb')) return startInstalledFerretdb();
  if (existsSync(ferretdbBinary())) return startBuiltFerretdb();
  return startMongoContainer();
}

const isInstalled = (command: string) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const newFolder = () => mkdtemp(join(tmpdir(), 'svc-mongo-'));

async function startBuiltFerretdb(): Promise<RunningServer> {
  const folder = await newFolder();
  // Garbage collection would take a quarter of its time; a machine that runs tests has the memory.
  const env = { ...process.env, GOGC: 'off', GOMEMLIMIT: '256MiB' };
  const child = spawn(ferretdbBinary(), [folder], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()));
    child.once('exit', (code) => reject(new Error(`FerretDB ended with ${code}`)));
  });
  return { url, pid: child.pid, folder, stop: () => stopAndWait(child) };
}

async function startInstalledFerretdb(): Promise<RunningServer> {
  const folder = await newFolder();
  const port = await freePort();
  const options = `--handler=sqlite --sqlite-url=file:${folder}/ --listen-addr=127.0.0.1:${port} --telemetry=disable`;
  const child = spawnUntilInputEnds(`ferretdb ${options} --state-dir=${folder} --debug-addr=-`);
  return { url: `mongodb://127.0.0.1:${port}/`, folder, stop: () => stopAndWait(child) };
}

/** A replica set of one, as in docker-compose.yml. */
async function startMongod(): Promise<RunningServer> {
  const folder = await newFolder();
  const port = await freePort();
  const child = spawnUntilInputEnds(
    `mongod --dbpath ${folder} --port ${port} --bind_ip 127.0.0.1 --replSet rs0 --quiet`,
  );
  return initiateReplicaSet(port, `127.0.0.1:${port}`, { folder, stop: () => stopAndWait(child) });
}

async function startMongoContainer(): Promise<RunningServer | undefined> {
  const options = {
    port: 27_017,
    command: ['--replSet', 'rs0', '--bind_ip_all'],
    readyLine: /Waiting for connections/,
  };
  const started = await startContainer('mongodb', options);
  return started && initiateReplicaSet(started.port, '127.0.0.1:27017', { stop: started.stop }, started.host);
}

async function initiateReplicaSet(
  port: number,
  member: string,
  running: Omit<RunningServer, 'url'>,
  host = '127.0.0.1',
): Promise<RunningServer> {
  const url = `mongodb://${host}:${port}/?directConnection=true`;
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 60_000 });
  try {
    await client.db('admin').command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: member }] } });
    while (!(await client.db('admin').command({ hello: 1 })).isWritablePrimary);
  } finally {
    await client.close();
  }
  return { url, ...running };
}

/** Runs a server that ignores its standard input, and kills it when that input closes. */
function spawnUntilInputEnds(command: string): ChildProcess {
  return spawn('sh', ['-c', `${command} >/dev/null 2>&1 </dev/null & cat >/dev/null; kill $!; wait`], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

async function stopAndWait(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  await exit;
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
