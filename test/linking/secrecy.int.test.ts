import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { signInAt } from '../support/provider/client.ts';
import { operatorOf, visit } from './operator.ts';

test('exposes no code, verifier or token in events, files, logs or responses', async () => {
  const gateway = await startGateway({ accounts: 0 });
  const operator = operatorOf(gateway);
  const { provider } = gateway;
  provider.authorization.script.interval = '0.1';
  const secrets = new Set<string>();
  const responses: unknown[] = [];

  const [first, second, third, failing] = [1, 2, 3, 4].map(() => provider.addAccount());
  if (!first || !second || !third || !failing) throw new Error('no accounts');
  const browser = await operator.start();
  const location = await signInAt(browser.authorizationUrl, first);
  responses.push(await visit(location), await operator.paste(location));
  const pasted = await operator.start();
  responses.push(await operator.paste(await signInAt(pasted.authorizationUrl, second)));
  const device = await operator.start({ forceMethod: 'device' });
  secrets.add(device.deviceAuthId).add(device.userCode);
  provider.authorization.approve(device.userCode, third);
  responses.push(await operator.waitUntilEnded(device.flowId));
  failing.token = { status: 400, error: 'invalid_grant' };
  const failed = await operator.start();
  responses.push(await operator.signIn(failed, failing), await operator.statusOf(failed.flowId));

  for (const { code, code_verifier } of operator.exchanges()) secrets.add(String(code)).add(String(code_verifier));
  for (const account of [first, second, third]) {
    const { accessToken, refreshToken, idToken } = account.tokens.current();
    secrets.add(accessToken).add(refreshToken).add(idToken);
  }
  expect(operator.exchanges()).toHaveLength(4);
  expect(secrets.size).toBe(2 + 8 + 9);
  const { body: history } = await gateway.api('GET', '/api/history?limit=200');
  for (const { position } of history.events)
    responses.push((await gateway.api('GET', `/api/history/${position}`)).body);
  responses.push(history, (await gateway.api('GET', '/api/accounts')).body, gateway.output);
  const files = readdirSync(gateway.folder).map((name) => readFileSync(join(gateway.folder, name), 'latin1'));
  const everything = JSON.stringify(responses) + files.join('');
  for (const secret of secrets) expect(everything.includes(secret), secret).toBe(false);
  // The search itself works: it finds what is not secret.
  expect(everything).toContain(browser.flowId);
  await gateway.stop();
});
