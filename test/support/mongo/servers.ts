import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startContainer } from '../containers.ts';
import { ferretdbBinary } from '../ferretdb/ferretdbBinary.ts';

export interface Running {
  readonly url: string;
  /** Of a server that is a child of this process. */
  readonly pid?: number | undefined;
  /** Where a server of our own keeps its data. */
  readonly folder?: string;
  stop(): Promise<void>;
}

/** The server that somebody else runs. */
export function givenServer(): Running | undefined {
  const url = process.env.SVC_TEST_MONGODB_URL;
  return url ? { url, stop: async () => undefined } : undefined;
}

/** A server that this process starts. It ends with its standard input, so that it never outlives us. */
export async function localServer(): Promise<Running | undefined> {
  if (isThere('mongod')) return mongod();
  if (isThere('ferretdb')) return installedFerretdb();
  if (existsSync(ferretdbBinary())) return builtFerretdb();
  return container();
}

const isThere = (command: string) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const newFolder = () => mkdtemp(join(tmpdir(), 'svc-mongo-'));

async function builtFerretdb(): Promise<Running> {
  const folder = await newFolder();
  // A quarter of its time would go into collecting what a machine that runs tests has room for.
  const env = { ...process.env, GOGC: 'off', GOMEMLIMIT: '256MiB' };
  const child = spawn(ferretdbBinary(), [folder], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()));
    child.once('exit', (code) => reject(new Error(`FerretDB ended with ${code}`)));
  });
  return { url, pid: child.pid, folder, stop: () => ended(child) };
}

async function installedFerretdb(): Promise<Running> {
  const folder = await newFolder();
  const port = await freePort();
  const options = `--handler=sqlite --sqlite-url=file:${folder}/ --listen-addr=127.0.0.1:${port} --telemetry=disable`;
  const child = withInput(`ferretdb ${options} --state-dir=${folder} --debug-addr=-`);
  return { url: `mongodb://127.0.0.1:${port}/`, folder, stop: () => ended(child) };
}

/** A replica set of one, as in docker-compose.yml. */
async function mongod(): Promise<Running> {
  const folder = await newFolder();
  const port = await freePort();
  const child = withInput(`mongod --dbpath ${folder} --port ${port} --bind_ip 127.0.0.1 --replSet rs0 --quiet`);
  return initiated(port, `127.0.0.1:${port}`, { folder, stop: () => ended(child) });
}

async function container(): Promise<Running | undefined> {
  const options = {
    port: 27_017,
    command: ['--replSet', 'rs0', '--bind_ip_all'],
    readyLine: /Waiting for connections/,
  };
  const started = await startContainer('mongodb', options);
  return started && initiated(started.port, '127.0.0.1:27017', { stop: started.stop }, started.host);
}

async function initiated(
  port: number,
  member: string,
  running: Omit<Running, 'url'>,
  host = '127.0.0.1',
): Promise<Running> {
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

/** Runs a server that does not look at its standard input, until that ends. */
function withInput(command: string): ChildProcess {
  return spawn('sh', ['-c', `${command} >/dev/null 2>&1 </dev/null & cat >/dev/null; kill $!; wait`], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

async function ended(child: ChildProcess): Promise<void> {
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
