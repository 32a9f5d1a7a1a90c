import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type BSON, ObjectId } from 'mongodb';
import { onTestFinished } from 'vitest';
import { type Frame, frames, replyWith } from './frames.ts';

/** Several members of a replica set, as a driver meets them, over one server that knows nothing of it. Ends with the test. */
export interface ReplicaSet {
  readonly url: string;
  /** What each member was asked, apart from the questions by which a driver finds out who it is. */
  readonly asked: readonly Set<string>[];
  /** The primary dies with all connections to it; the next member is elected. */
  failOver(): void;
}

interface Member {
  readonly address: string;
  readonly server: Server;
  readonly sockets: Set<Socket>;
  readonly asked: Set<string>;
}

const NAME = 'rs0';
/** With these a driver looks at a server, and ends. */
const OF_THE_DRIVER = new Set(['hello', 'ismaster', 'isMaster', 'endSessions']);

/**
 * What makes a replica set to a driver is what its members answer to `hello`: that, and only that, is written anew. Data is not
 * replicated: all members have the same.
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
    // Sessions are what retried writes need; this server takes the numbers that come with them, and ignores them.
    return {
      ...hello,
      ...role,
      ...election,
      setName: NAME,
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
          if (!OF_THE_DRIVER.has(command)) asked.add(command);
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
    members.push({ address: `127.0.0.1:${port}`, server, sockets, asked });
  }
  const end = ({ server, sockets }: Member) => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => members.forEach(end));

  return {
    url: `mongodb://${members.map(({ address }) => address).join(',')}${pathname}?replicaSet=${NAME}`,
    asked: members.map(({ asked }) => asked),
    failOver() {
      const died = members[primary];
      primary += 1;
      if (died) end(died);
    },
  };
}

/** A command is called by its first field. */
const commandOf = (frame: Frame): string => Object.keys(frame.document())[0] ?? '';
