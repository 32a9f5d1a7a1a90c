import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { type AppendFate, append, batchAppend, tombstone } from './appendCalls.ts';
import { FakeDatabase } from './database.ts';
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
  /** Names and passwords; without any, everybody may do everything, as on an insecure server. */
  readonly users?: Readonly<Record<string, string>>;
  /** What gossip answers; this node alone and leading when absent. */
  readonly members?: () => readonly { readonly port: number; readonly isLeader: boolean }[];
  /** Told of every call before it is answered. */
  readonly onCall?: (name: string) => void;
}

/** A server that is up. `kill` and start another over the same `database` to restart it. */
export interface FakeEventStore extends AsyncDisposable {
  readonly port: number;
  /** For clients without TLS. */
  readonly url: string;
  readonly database: FakeDatabase;
  /** How often each RPC was called, by its short name. */
  readonly calls: ReadonlyMap<string, number>;
  /** Decides what becomes of the next appends, in order; undefined lets one through. */
  nextAppends(...fates: (AppendFate | undefined)[]): void;
  /** Every append from now on, until it is called without a fate. */
  allAppends(fate?: AppendFate): void;
  /** Ends all reads and subscriptions under way. */
  endReads(how: Status | 'reset'): void;
  /** Reads from now on are answered so, until it is called without a status. */
  refuseReads(how?: Status | 'never'): void;
  /** Subscriptions of now stay open and get nothing any more. */
  muteSubscriptions(): void;
  readonly openReads: number;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** SIGTERM as 24.2 takes it: appends are written and end in a timeout, subscriptions are reset, then it is gone. */
  terminate(): Promise<void>;
}

const FREE = 0;
const CURRENT_VERSION = '24.10.6';
const DEFAULT_MAX_APPEND_BYTES = 1_048_576;

/**
 * EventStoreDB as far as svc uses it, for clients that cannot tell: over real sockets, from the service definitions that
 * the client ships, by the behaviour that event-sourcing.md B1.0 measured.
 */
export async function startFakeEventStore(options: FakeEventStoreOptions = {}): Promise<FakeEventStore> {
  const { database = new FakeDatabase(), version = CURRENT_VERSION, tls, users } = options;
  const calls = new Map<string, number>();
  const reads = new Set<Call>();
  const fates: (AppendFate | undefined)[] = [];
  let standing: AppendFate | undefined;
  let refusal: Status | 'never' | undefined;
  const nextFate = () => (fates.length > 0 ? fates.shift() : standing);
  const appendRules = {
    database,
    nextFate,
    maxAppendBytes: options.maxAppendBytes ?? DEFAULT_MAX_APPEND_BYTES,
    maxEventBytes: options.maxEventBytes ?? Number.POSITIVE_INFINITY,
    countsMetadata: countsMetadata(version),
  };
  const muted = new Set<Call>();
  const readRules = { database, dropsSlowConsumers: version.startsWith('23.'), muted };

  const handlers: Record<string, (call: Call) => Promise<void>> = {
    [StreamsService.append.path]: (call) => append(call, appendRules),
    [StreamsService.batchAppend.path]: (call) => batchAppend(call, appendRules),
    [StreamsService.tombstone.path]: (call) => tombstone(call, appendRules),
    [StreamsService.read.path]: async (call) => {
      if (refusal === 'never') return;
      if (refusal) return call.end(refusal);
      reads.add(call);
      await read(call, readRules).finally(() => reads.delete(call));
    },
    [ServerFeaturesService.getSupportedMethods.path]: (call) => supportedMethods(call, version),
    [GossipService.read.path]: (call) => members(call, options.members?.() ?? [{ port: server.port, isLeader: true }]),
  };
  const handle = async (call: Call): Promise<void> => {
    const name = call.path.split('/').at(-1) ?? '';
    calls.set(name, (calls.get(name) ?? 0) + 1);
    options.onCall?.(name);
    const refused = users && call.path !== GossipService.read.path && refusalOf(call, users);
    if (refused) return call.end(refused);
    const handler = handlers[call.path];
    return handler ? handler(call) : call.end(statuses.unimplemented);
  };
  const server: GrpcServer = await startGrpcServer({ handle, port: options.port ?? FREE, tls });

  let killed: Promise<void> | undefined;
  const kill = (): Promise<void> => {
    database.forgetRecentIds();
    killed ??= server.kill();
    return killed;
  };
  const endReads = (how: Status | 'reset'): void => {
    for (const call of reads) how === 'reset' ? call.reset() : call.end(how);
  };
  return {
    port: server.port,
    url: `esdb://127.0.0.1:${server.port}?tls=false`,
    database,
    calls,
    nextAppends: (...next) => void fates.push(...next),
    allAppends: (fate) => {
      standing = fate;
    },
    endReads,
    refuseReads: (how) => {
      refusal = how;
    },
    muteSubscriptions() {
      for (const call of reads) muted.add(call);
    },
    get openReads() {
      return reads.size;
    },
    kill,
    async terminate() {
      standing = { isWritten: true, end: statuses.timeout };
      refusal = statuses.notReady;
      endReads('reset');
      await new Promise((resolve) => setTimeout(resolve, 20));
      await kill();
    },
    [Symbol.asyncDispose]: kill,
  };
}

const COUNTS_METADATA_FROM = [24, 10, 4] as const;

function countsMetadata(version: string): boolean {
  const parts = version.split(/[.-]/).map(Number);
  const index = COUNTS_METADATA_FROM.findIndex((least, place) => parts[place] !== least);
  return index === -1 || (parts[index] as number) > (COUNTS_METADATA_FROM[index] as number);
}

async function supportedMethods(call: Call, version: string): Promise<void> {
  const answer = new features.SupportedMethods().setEventStoreServerVersion(version);
  answer.setMethodsList(
    Object.values(StreamsService).map(({ path }) => {
      const [service = '', method = ''] = path.slice(1).split('/');
      return new features.SupportedMethod().setServiceName(service).setMethodName(method.toLowerCase());
    }),
  );
  await call.send(ServerFeaturesService.getSupportedMethods.responseSerialize(answer));
  call.end();
}

const LEADER = 8;
const FOLLOWER = 6;

async function members(call: Call, nodes: readonly { port: number; isLeader: boolean }[]): Promise<void> {
  const answer = new gossip.ClusterInfo().setMembersList(
    nodes.map(({ port, isLeader }) =>
      new gossip.MemberInfo()
        .setInstanceId(new shared.UUID().setString(crypto.randomUUID()))
        .setTimeStamp('0')
        .setState(isLeader ? LEADER : FOLLOWER)
        .setIsAlive(true)
        .setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port)),
    ),
  );
  await call.send(GossipService.read.responseSerialize(answer));
  call.end();
}

function refusalOf({ headers }: Call, users: Readonly<Record<string, string>>): Status | undefined {
  const [scheme, token = ''] = String(headers.authorization ?? '').split(' ');
  if (scheme !== 'Basic') return statuses.accessDenied;
  const [user = '', ...password] = Buffer.from(token, 'base64').toString().split(':');
  return users[user] === password.join(':') ? undefined : statuses.wrongPassword;
}
