import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { type AppendFault, append, batchAppend, softDelete, tombstone } from './appendCalls.ts';
import { FakeDatabase } from './fakeDatabase.ts';
import { type Call, type GrpcServer, type Status, startGrpcServer, type TlsOptions } from './grpcServer.ts';
import { read } from './readCalls.ts';
import { statuses } from './statuses.ts';

export interface FakeEventStoreOptions {
  readonly database?: FakeDatabase;
  readonly version?: string;
  readonly port?: number;
  readonly maxAppendBytes?: number;
  readonly maxEventBytes?: number;
  readonly tls?: TlsOptions;
  /** Passwords by user name. Without users every call is allowed, as on an insecure server. */
  readonly users?: Readonly<Record<string, string>>;
  /** The members of the cluster that gossip returns. Default: this node alone, as the leader. */
  readonly members?: () => readonly { readonly port: number; readonly isLeader: boolean }[];
  /** Called with the name of each RPC before it is handled. */
  readonly onCall?: (name: string) => void;
}

/** A server. It can be ended and started again, at the same address. */
export interface FakeEventStore extends AsyncDisposable {
  readonly port: number;
  /** For clients without TLS. */
  readonly url: string;
  /** What is on the server's disk. */
  readonly database: FakeDatabase;
  /** How often each RPC was called, by its short name. */
  readonly calls: ReadonlyMap<string, number>;
  /** Faults for the next appends, in order; undefined lets an append succeed. */
  nextAppends(...faults: (AppendFault | undefined)[]): void;
  /** Sets a fault for all appends, or clears it. */
  allAppends(fault?: AppendFault): void;
  /** Ends all open reads and subscriptions. */
  endReads(how: Status | 'reset'): void;
  /** Sets the status that all reads end with, or clears it. */
  refuseReads(how?: Status | 'never'): void;
  /** Keeps the current subscriptions open but sends them nothing. */
  muteSubscriptions(): void;
  readonly openReads: number;
  /** Closes all connections as they were found closed by a client that had been frozen for 20 s. */
  resetConnections(): void;
  /** Whether the server accepts connections: a server whose disk is full ends itself. */
  readonly isRunning: boolean;
  /** Ends the server as SIGKILL does. */
  kill(): Promise<void>;
  /** Ends the server as version 24.2 ends on SIGTERM: appends are written but time out, and subscriptions are reset. */
  terminate(): Promise<void>;
  /** Starts the server again after its end. */
  start(): Promise<void>;
  /** Ends the server and starts it over other data: another installation's, or a backup. */
  swapData(database: FakeDatabase): Promise<void>;
}

const ANY_FREE_PORT = 0;
const CURRENT_VERSION = '24.10.6';
const DEFAULT_MAX_APPEND_BYTES = 1_048_576;
const TERMINATION_MS = 20;
/** How long a server with a full disk goes on before it ends itself. */
const DISK_FULL_MS = 50;

/**
 * Starts a fake of the parts of EventStoreDB that svc uses. It serves the real client over real sockets, with the service
 * definitions that the client ships and the behaviour that was measured of real servers (docs/stores.md).
 */
export async function startFakeEventStore(options: FakeEventStoreOptions = {}): Promise<FakeEventStore> {
  const { version = CURRENT_VERSION, tls, users } = options;
  let { database = new FakeDatabase() } = options;
  const calls = new Map<string, number>();
  const reads = new Set<Call>();
  const faults: (AppendFault | undefined)[] = [];
  let defaultFault: AppendFault | undefined;
  let readRefusal: Status | 'never' | undefined;
  let isTerminating = false;
  let diskFullTimer: NodeJS.Timeout | undefined;

  function nextFault(): AppendFault | undefined {
    if (isTerminating) return { isWritten: true, end: statuses.timeout };
    if (database.isDiskFull) {
      diskFullTimer ??= setTimeout(() => void kill(), DISK_FULL_MS);
      return { isWritten: false, end: statuses.timeout };
    }
    return faults.length > 0 ? faults.shift() : defaultFault;
  }
  const appendRules = () => ({
    database,
    nextFault,
    maxAppendBytes: options.maxAppendBytes ?? DEFAULT_MAX_APPEND_BYTES,
    maxEventBytes: options.maxEventBytes ?? Number.POSITIVE_INFINITY,
    countsMetadata: countsMetadata(version),
  });
  const muted = new Set<Call>();
  const readRules = () => ({ database, dropsSlowConsumers: version.startsWith('23.'), muted });

  const handlers: Record<string, (call: Call) => Promise<void>> = {
    [StreamsService.append.path]: (call) => append(call, appendRules()),
    [StreamsService.batchAppend.path]: (call) => batchAppend(call, appendRules()),
    [StreamsService.tombstone.path]: (call) => tombstone(call, appendRules()),
    [StreamsService.delete.path]: (call) => softDelete(call, appendRules()),
    [StreamsService.read.path]: async (call) => {
      if (readRefusal === 'never') return;
      if (isTerminating) return call.end(statuses.notReady);
      if (readRefusal) return call.end(readRefusal);
      reads.add(call);
      await read(call, readRules()).finally(() => reads.delete(call));
    },
    [ServerFeaturesService.getSupportedMethods.path]: (call) => supportedMethods(call, version),
    [GossipService.read.path]: (call) => members(call, options.members?.() ?? [{ port, isLeader: true }]),
  };
  const handle = async (call: Call): Promise<void> => {
    const name = call.path.split('/').at(-1) ?? '';
    calls.set(name, (calls.get(name) ?? 0) + 1);
    options.onCall?.(name);
    const refusal = users && call.path !== GossipService.read.path && refusalOf(call, users);
    if (refusal) return call.end(refusal);
    const handler = handlers[call.path];
    return handler ? handler(call) : call.end(statuses.unimplemented);
  };
  let server: GrpcServer | undefined = await startGrpcServer({ handle, port: options.port ?? ANY_FREE_PORT, tls });
  const { port } = server;
  let ending: Promise<void> = Promise.resolve();

  function kill(): Promise<void> {
    clearTimeout(diskFullTimer);
    diskFullTimer = undefined;
    database.forgetRecentIds();
    if (server) ending = server.kill();
    server = undefined;
    return ending;
  }
  async function start(): Promise<void> {
    if (server) return;
    await ending;
    isTerminating = false;
    server = await startGrpcServer({ handle, port, tls });
  }
  const endReads = (how: Status | 'reset'): void => {
    for (const call of reads) how === 'reset' ? call.reset() : call.end(how);
  };
  return {
    port,
    url: `esdb://127.0.0.1:${port}?tls=false`,
    get database() {
      return database;
    },
    calls,
    nextAppends: (...next) => void faults.push(...next),
    allAppends: (fault) => {
      defaultFault = fault;
    },
    endReads,
    refuseReads: (how) => {
      readRefusal = how;
    },
    muteSubscriptions() {
      for (const call of reads) muted.add(call);
    },
    get openReads() {
      return reads.size;
    },
    resetConnections: () => server?.resetConnections(),
    get isRunning() {
      return server !== undefined;
    },
    kill,
    async terminate() {
      isTerminating = true;
      endReads('reset');
      await new Promise((resolve) => setTimeout(resolve, TERMINATION_MS));
      await kill();
    },
    start,
    async swapData(other) {
      await kill();
      database = other;
      await start();
    },
    [Symbol.asyncDispose]: kill,
  };
}

const COUNTS_METADATA_FROM = [24, 10, 4] as const;

function countsMetadata(version: string): boolean {
  const parts = version.split(/[.-]/).map(Number);
  const index = COUNTS_METADATA_FROM.findIndex((minimum, place) => parts[place] !== minimum);
  return index === -1 || (parts[index] as number) > (COUNTS_METADATA_FROM[index] as number);
}

async function supportedMethods(call: Call, version: string): Promise<void> {
  const response = new features.SupportedMethods().setEventStoreServerVersion(version);
  response.setMethodsList(
    Object.values(StreamsService).map(({ path }) => {
      const [service = '', method = ''] = path.slice(1).split('/');
      return new features.SupportedMethod().setServiceName(service).setMethodName(method.toLowerCase());
    }),
  );
  await call.send(ServerFeaturesService.getSupportedMethods.responseSerialize(response));
  call.end();
}

const LEADER = 8;
const FOLLOWER = 6;

async function members(call: Call, nodes: readonly { port: number; isLeader: boolean }[]): Promise<void> {
  const response = new gossip.ClusterInfo().setMembersList(
    nodes.map(({ port, isLeader }) =>
      new gossip.MemberInfo()
        .setInstanceId(new shared.UUID().setString(crypto.randomUUID()))
        .setTimeStamp('0')
        .setState(isLeader ? LEADER : FOLLOWER)
        .setIsAlive(true)
        .setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port)),
    ),
  );
  await call.send(GossipService.read.responseSerialize(response));
  call.end();
}

function refusalOf({ headers }: Call, users: Readonly<Record<string, string>>): Status | undefined {
  const [scheme, token = ''] = String(headers.authorization ?? '').split(' ');
  if (scheme !== 'Basic') return statuses.accessDenied;
  const [user = '', ...password] = Buffer.from(token, 'base64').toString().split(':');
  return users[user] === password.join(':') ? undefined : statuses.wrongPassword;
}
