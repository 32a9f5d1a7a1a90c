import { isIP } from 'node:net';
import { Duplex, type Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { EventStoreDBClient, UnavailableError } from '@eventstore/db-client';
import { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { readCertificate } from './certificates.ts';
import { type Appended, type ClassicAppend, sendClassicAppend } from './classicAppend.ts';
import { type ConnectionSettings, type Host, InvalidConnectionString } from './connectionString.ts';
import { isConnectionFailure, NotSent } from './failures.ts';
import type { NativePosition } from './nativePosition.ts';
import { type AllMessage, decodeReadResponse } from './readResponse.ts';

/** A running subscription to `$all`. It fails with what `convertToCommandError` of the library takes. */
export interface AllSubscription
  extends AsyncIterable<AllMessage>,
    Pick<Readable, 'on' | 'destroy' | 'destroyed' | 'readableLength'> {
  /** Ends the call at the server. */
  cancel(): void;
}

/**
 * Finds out whether a client is connected to the store of this installation, and has all that this node has read of it.
 * @throws when it is not, or when that cannot be found out
 */
export type ConfirmStore = (client: EventStoreClient) => Promise<void>;

type Target =
  | { readonly endpoint: Host }
  | { readonly endpoints: readonly Host[] }
  /** A DNS name for all nodes of a cluster. */
  | { readonly discover: Host };

/** A connection to a server, as the client library hands it out. It connects again by itself after a loss. */
interface Channel {
  getConnectivityState(connect: boolean): number;
  watchConnectivityState(state: number, deadline: number, onChanged: () => void): void;
  close(): void;
}
const READY = 2;
const SHUT_DOWN = 4;

/**
 * The client as svc uses it. Only this folder may import the library: the client for newer servers has another name.
 *
 * A connection ends with its first loss, instead of being made again under the calls that wait for it. With `confirm` no
 * write is sent on a connection before its store is confirmed: an append to a new stream succeeds on any server that
 * happens to answer at the same address.
 */
export class EventStoreClient extends EventStoreDBClient {
  readonly #confirm: ConfirmStore | undefined;
  #channel: Channel | undefined;
  #confirmed: Channel | undefined;
  #confirming: { readonly channel: Channel; readonly done: Promise<void> } | undefined;

  constructor(
    settings: ConnectionSettings['options'] & Target,
    security: ConstructorParameters<typeof EventStoreDBClient>[1],
    credentials: ConstructorParameters<typeof EventStoreDBClient>[2],
    confirm?: ConfirmStore,
  ) {
    super(settings as never, security, credentials);
    this.#confirm = confirm;
    // The library assigns these methods in its constructor.
    const { getChannel, execute } = this;
    this.getChannel = async () => {
      const channel = await getChannel();
      this.#watch(channel);
      return channel;
    };
    this.execute = async (Client, name, action) => {
      // All calls of this service that are made in this way write.
      if (!this.#confirm || (Client as unknown) !== StreamsClient) return execute(Client, name, action);
      const channel = await this.confirmConnection();
      try {
        return await execute(Client, name, (client) => {
          if (client.getChannel() !== channel || this.#confirmed !== channel) throw new NotSent(connectionLost());
          return action(client);
        });
      } catch (error) {
        // A server behind a proxy may have been replaced without a loss of the connection.
        if (isConnectionFailure(error) && this.#confirmed === channel) this.#confirmed = undefined;
        throw error;
      }
    };
  }

  /**
   * Confirms the store of the current connection, unless that was done before.
   * @returns the connection
   * @throws NotSent with the reason
   */
  async confirmConnection(): Promise<object> {
    try {
      const channel: Channel = await this.getChannel();
      if (!this.#confirm || this.#confirmed === channel) return channel;
      if (this.#confirming?.channel !== channel) {
        const done = this.#confirm(this).finally(() => {
          if (this.#confirming?.channel === channel) this.#confirming = undefined;
        });
        this.#confirming = { channel, done };
      }
      await this.#confirming.done;
      if (!this.isCurrent(channel)) throw connectionLost();
      this.#confirmed = channel;
      return channel;
    } catch (error) {
      throw error instanceof NotSent ? error : new NotSent(error);
    }
  }

  /** The current connection, for `isCurrent`. */
  currentConnection = (): Promise<object> => this.getChannel();

  /** Whether a connection was never lost. */
  readonly isCurrent = (connection: object): boolean => this.#channel === connection;

  #watch(channel: Channel): void {
    if (this.#channel === channel) return;
    this.#channel = channel;
    let wasReady = false;
    const follow = () => {
      const state = channel.getConnectivityState(false);
      if (state === SHUT_DOWN || (wasReady && state !== READY)) {
        this.#end(channel);
        return;
      }
      wasReady ||= state === READY;
      channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, follow);
    };
    follow();
  }

  #end(channel: Channel): void {
    if (this.#confirmed === channel) this.#confirmed = undefined;
    if (this.#channel !== channel) return;
    this.#channel = undefined;
    // Not at once, because the channel is reporting its state. It cannot connect again before the next event of a socket.
    queueMicrotask(() => {
      if (channel.getConnectivityState(false) !== SHUT_DOWN) channel.close();
      const client = { getChannel: () => channel } as unknown as Parameters<typeof this.handleError>[0];
      void this.handleError(client, connectionLost());
    });
  }

  /** Ends the current connection as its loss does: the next call makes another one. */
  endConnection(): void {
    if (this.#channel) this.#end(this.#channel);
  }

  /** Closes the connection. */
  close(): void {
    this.#channel?.close();
  }

  // Turns off batch appends, which have no deadline, fail together with those of all other clients of the process, and end
  // in unhandled rejections. Instead the client makes one call per append, with a deadline
  // (docs/stores.md#eventstoredb-classic-appends-with-a-deadline).
  protected override supports = async (): Promise<boolean> => false;

  /** Makes one append. @param deadline in milliseconds @throws as `sendClassicAppend` */
  appendOnce(append: ClassicAppend, deadline: number): Promise<Appended> {
    return this.execute(StreamsClient, 'appendToStream', (client) =>
      sendClassicAppend(client, this.callArguments({ deadline }), append),
    );
  }

  /** Subscribes to `$all`. @param after the event before the first one; undefined to begin with the first event of the store */
  subscribeAfter(after: NativePosition | undefined): Promise<AllSubscription> {
    const { path, requestSerialize } = StreamsService.read;
    return this.GRPCStreamCreator(StreamsClient, 'subscribeToAll', (client) =>
      client.makeServerStreamRequest(
        path,
        requestSerialize,
        decodeReadResponse,
        subscriptionRequest(after),
        ...this.callArguments({}, { deadline: Number.POSITIVE_INFINITY }),
      ),
    )();
  }

  /** Reads the version of the server, for example 24.10.6. @param deadline in milliseconds */
  serverVersion(deadline: number): Promise<string> {
    const [metadata, options] = this.callArguments({ deadline });
    return this.execute(
      ServerFeaturesClient,
      'serverVersion',
      (client) =>
        new Promise((resolve, reject) => {
          client.getSupportedMethods(new shared.Empty(), metadata, options, (error, methods) => {
            if (error) reject(error);
            else resolve(methods.getEventStoreServerVersion());
          });
        }),
    );
  }
}

function subscriptionRequest(after: NativePosition | undefined): streams.ReadReq {
  const all = new streams.ReadReq.Options.AllOptions();
  if (after === undefined) all.setStart(new shared.Empty());
  else {
    const position = new streams.ReadReq.Options.Position();
    position.setCommitPosition(String(after.commit));
    position.setPreparePosition(String(after.prepare));
    all.setPosition(position);
  }
  const options = new streams.ReadReq.Options();
  options.setAll(all);
  options.setResolveLinks(false);
  options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
  options.setUuidOption(new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty()));
  options.setNoFilter(new shared.Empty());
  return new streams.ReadReq().setOptions(options);
}

const connectionLost = () => new UnavailableError(undefined, 'the connection was lost');

/**
 * Creates a client, which connects with its first call.
 * @param confirm without it, writes are sent to any server
 * @throws CertificateUnusable
 * @throws InvalidConnectionString
 */
export function openClient(settings: ConnectionSettings, confirm?: ConfirmStore): EventStoreClient {
  const { hosts, isDnsName, tls, caFile, userCertificate, credentials, options } = settings;
  const [first] = hosts as [ConnectionSettings['hosts'][number]];
  if (tls) prepareTls(hosts);
  const security = {
    insecure: !tls,
    ...(caFile !== undefined && { rootCertificate: readCertificate('tlsCAFile', caFile) }),
    ...(userCertificate && {
      userCertFile: readCertificate('userCertFile', userCertificate.certFile),
      userKeyFile: readCertificate('userKeyFile', userCertificate.keyFile),
    }),
  };
  if (isDnsName) return new EventStoreClient({ ...options, discover: first }, security, credentials, confirm);
  const target: Target = hosts.length > 1 ? { endpoints: [...hosts] } : { endpoint: first };
  return new EventStoreClient({ ...options, ...target }, security, credentials, confirm);
}

/** Whether TLS accepts an IP address as the name of a server; unknown before the first connection over TLS. */
let acceptsAddresses: boolean | undefined;

/**
 * The library names the host to TLS also when it is an IP address. Node 24 warns of that once per thread (DEP0123), and an
 * operator can do nothing about it. So the warning is provoked while warnings are off. Node 26 refuses it.
 * @throws InvalidConnectionString
 */
function prepareTls(hosts: readonly Host[]): void {
  acceptsAddresses ??= nameAddressSilently();
  const address = hosts.find((host) => isIP(host.address.replace(/^\[|\]$/g, '')) !== 0)?.address;
  if (acceptsAddresses || address === undefined) return;
  throw new InvalidConnectionString(
    `SVC_EVENTSTORE_URL has the IP address ${address}, to which the client cannot connect over TLS on Node ${process.versions.node}. Use the server's host name, or Node 24.`,
  );
}

function nameAddressSilently(): boolean {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  const nowhere = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  try {
    connectTls({ socket: nowhere, servername: '127.0.0.1' })
      .on('error', () => {})
      .destroy();
    return true;
  } catch {
    return false;
  } finally {
    if (noDeprecation === undefined) delete process.noDeprecation;
    else process.noDeprecation = noDeprecation;
  }
}

const DISPOSE_MS = 1_000;

/** Disposes of a client, and waits a limited time for it (docs/stores.md#eventstoredb-dispose-may-never-settle). */
export async function disposeClient(client: EventStoreClient): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DISPOSE_MS);
  });
  await Promise.race([client.dispose().catch(() => {}), timeout]);
  clearTimeout(timer);
  client.close();
}
