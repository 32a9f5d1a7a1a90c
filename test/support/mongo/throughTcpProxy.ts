import { MongoClient } from 'mongodb';
import { onTestFinished } from 'vitest';
import { type TcpProxy, tcpProxy } from '../tcpProxy.ts';

/** A URL of the same database through a TCP proxy, by which a test disturbs the network. Ends with the test. */
export async function throughTcpProxy(direct: string): Promise<{ readonly network: TcpProxy; readonly url: string }> {
  const network = await tcpProxy(await primaryOf(direct));
  onTestFinished(() => network.close());
  return { network, url: throughPort(direct, network.port) };
}

/** Address of the server that accepts writes: the primary of a replica set, as a member reports it. */
async function primaryOf(url: string): Promise<{ host: string; port: number }> {
  await using client = new MongoClient(url);
  await client.connect();
  const { primary } = await client.db('admin').command({ hello: 1 });
  const [first] = client.options.hosts;
  // A single member often reports a host name that this machine cannot resolve.
  const named = client.options.hosts.length > 1 ? String(primary) : String(first);
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(named) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** Replaces the hosts by a port of this machine, and removes options by which the driver would bypass it. */
export function throughPort(url: string, port: number): string {
  const [, srv, credentials = '', path = '', query = ''] =
    /^mongodb(\+srv)?:\/\/([^@/]*@)?[^/?]*(\/[^?]*)?(?:\?(.*))?$/.exec(url) ?? [];
  const options = new URLSearchParams(query);
  options.delete('replicaSet');
  options.set('directConnection', 'true');
  if (srv && !options.has('tls') && !options.has('ssl')) options.set('tls', 'true');
  // The certificate names another host.
  if ([options.get('tls'), options.get('ssl')].includes('true')) options.set('tlsAllowInvalidHostnames', 'true');
  return `mongodb://${credentials}127.0.0.1:${port}${path || '/'}?${options}`;
}
