import { expect, vi } from 'vitest';
import { OPERATOR_PASSWORD, secretOf } from '../support/operators.ts';
import { type ClusterNode, openCluster } from './cluster.ts';

/** For what another node must have read first. */
export const soon = { timeout: 30_000, interval: 20 };
export const PASSWORD = 'correct horse';

/** A client that keeps its cookie, or has a token; it may call any node. */
export function peopleClient(token?: string) {
  let cookie = '';
  return async (node: ClusterNode, method: string, path: string, body?: unknown) => {
    const headers: Record<string, string> = token === undefined ? { cookie } : { authorization: `Bearer ${token}` };
    const response = await node.send(method, path, { body, headers });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: tests read any field
    const answer = (text.startsWith('{') ? JSON.parse(text) : {}) as any;
    return { status: response.status, body: answer, code: answer.error?.code as string | undefined };
  };
}

/** Two nodes over one EventStoreDB, the built-in administrator signed in on both, and clients of either. */
export async function openPeopleNodes(env: Readonly<Record<string, string>> = {}) {
  const cluster = await openCluster();
  const [a, b] = await Promise.all([cluster.inProcessNode('a', env), cluster.inProcessNode('b', env)]);

  const administrator = peopleClient();
  await administrator(a, 'POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });

  /** Waits until a node knows what was written on the other one. */
  const untilEqual = async () => {
    const reached = async (node: ClusterNode) =>
      (await administrator(node, 'GET', '/api/history?limit=1')).body.events?.[0]?.position;
    await vi.waitUntil(async () => {
      const positions = [await reached(a), await reached(b)];
      return positions[0] !== undefined && positions[0] === positions[1];
    }, soon);
  };
  const invite = async (name: string, role: string) => {
    const email = `${name.toLowerCase()}@example.com`;
    return (await administrator(a, 'POST', '/api/operators', { name, email, role })).body;
  };
  const join = async (name: string, role: string) => {
    const { id, invitation_url } = await invite(name, role);
    const call = peopleClient();
    const accept = { token: secretOf(invitation_url), password: OPERATOR_PASSWORD };
    expect((await call(a, 'POST', '/api/dashboard-auth/invitation/accept', accept)).status).toBe(200);
    return { id: id as string, call };
  };
  return { a, b, client: peopleClient, administrator, untilEqual, invite, join };
}
