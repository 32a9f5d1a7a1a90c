import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type BSON, ObjectId } from 'mongodb';
import { onTestFinished } from 'vitest';
import { type Frame, frames, replyWith } from './frames.ts';

/** A simulated replica set: several member addresses in front of one standalone server. Ends with the test. */
export interface ReplicaSet {
  readonly url: string;
  /** Names of the commands that each member received, without those of the driver's monitoring. */
  readonly commands: readonly Set<string>[];
  /** Closes the primary with all its connections; the next member becomes primary. */
  failOver(): void;
}

interface Member {
  readonly address: string;
  readonly server: Server;
  readonly sockets: Set<Socket>;
  readonly commands: Set<string>;
}

const SET_NAME = 'rs0';
/** Commands of the driver's monitoring and shutdown. */
const DRIVER_COMMANDS = new Set(['hello', 'ismaster', 'isMaster', 'endSessions']);

/**
 * A driver recognizes a replica set by the members' replies to `hello`, so only those are rewritten. All members share the
 * data of the one server.
 */
export async function replicaSetOver(direct: string, count = 3): Promise<ReplicaSet> {
  const { hostname, port: upstreamPort, pathname } = new URL(direct);
  const members: Member[] = [];
  let primary = 0;

  function asMember(index: number, hello: BSON.Document): BSON.Document {
    const hosts = members.map(({ address }) => address);
    const isPrimary = index === primary;
    const role = { ismaster: isPrimary, isWritablePrimary: isPrimary, secondary: !isPrimary, me: hosts[index] };
    const election = { setVersion: 1, electionId: new ObjectId(String(primary + 1).padStart(24, '0')) };
    // Retryable writes need sessions; the server accepts and ignores the transaction numbers that come with them.
    return {
      ...hello,
      ...role,
      ...election,
      setName: SET_NAME,
      hosts,
      primary: hosts[primary],
      logicalSessionTimeoutMinutes: 30,
    };
  }

  for (let index = 0; index < count; index++) {
    const sockets = new Set<Socket>();
    const asked = new Set<string>();
    const server = createServer((client) => {
      const upstream = connect(Number(upstreamPort), hostname);
      for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
        sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => sockets.delete(one) && other.destroy());
      }
      client.on(
        'data',
        frames((frame) => {
          const command = commandOf(frame);
          if (!DRIVER_COMMANDS.has(command)) asked.add(command);
          upstream.write(frame.bytes);
        }),
      );
      upstream.on(
        'data',
        frames((frame) => {
          const hello = frame.bytes.includes('maxWireVersion') ? frame.document() : undefined;
          client.write(hello ? replyWith(frame, asMember(index, hello)) : frame.bytes);
        }),
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    members.push({ address: `127.0.0.1:${port}`, server, sockets, commands: asked });
  }
  const end = ({ server, sockets }: Member) => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => members.forEach(end));

  return {
    url: `mongodb://${members.map(({ address }) => address).join(',')}${pathname}?replicaSet=${SET_NAME}`,
    commands: members.map(({ commands: asked }) => asked),
    failOver() {
      const failed = members[primary];
      primary += 1;
      if (failed) end(failed);
    },
  };
}

/** The name of a command is its first field. */
const commandOf = (frame: Frame): string => Object.keys(frame.document())[0] ?? '';
