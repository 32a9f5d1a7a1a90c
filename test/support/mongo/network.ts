import { MongoClient } from 'mongodb';
import { onTestFinished } from 'vitest';
import { type TcpProxy, tcpProxy } from '../tcpProxy.ts';

/** A way to the same database over a network that a test does things to. Ends with the test. */
export async function overNetwork(direct: string): Promise<{ readonly network: TcpProxy; readonly url: string }> {
  const network = await tcpProxy(await primaryOf(direct));
  onTestFinished(() => network.close());
  return { network, url: throughPort(direct, network.port) };
}

/** The server that takes writes; of a replica set only it can tell which one that is. */
async function primaryOf(url: string): Promise<{ host: string; port: number }> {
  await using client = new MongoClient(url);
  await client.connect();
  const { primary } = await client.db('admin').command({ hello: 1 });
  const [first] = client.options.hosts;
  // A single member often calls itself by a name that means nothing here.
  const named = client.options.hosts.length > 1 ? String(primary) : String(first);
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(named) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** One port of this machine instead of the servers, and nothing by which the driver would find its way around it. */
export function throughPort(url: string, port: number): string {
  const [, srv, credentials = '', path = '', query = ''] =
    /^mongodb(\+srv)?:\/\/([^@/]*@)?[^/?]*(\/[^?]*)?(?:\?(.*))?$/.exec(url) ?? [];
  const options = new URLSearchParams(query);
  options.delete('replicaSet');
  options.set('directConnection', 'true');
  if (srv && !options.has('tls') && !options.has('ssl')) options.set('tls', 'true');
  // The certificate is of another host.
  if ([options.get('tls'), options.get('ssl')].includes('true')) options.set('tlsAllowInvalidHostnames', 'true');
  return `mongodb://${credentials}127.0.0.1:${port}${path || '/'}?${options}`;
}
