import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ReportItem } from '../../src/app/importFrom/importReport.ts';
import { archiveDays } from '../../src/archive/archiveDays.ts';
import { instant } from '../../src/domain/core/brands.ts';
import { withArchiveHost } from '../support/archives/archiveFolder.ts';
import { codexLbFolder, codexLbKeys } from '../support/codexLb/codexLbFolder.ts';
import { startGateway, validRequest } from '../support/gateway.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { emptyFolder, IN_WINDOW, importInto, outcomes, readEvents, SLOW, svc } from './importStage.ts';

/** Rows beside the four that the real program logged. */
const MORE_REQUESTS = `
  INSERT INTO request_logs (id, request_id, requested_at, account_id, model, reasoning_effort, transport, input_tokens,
    output_tokens, status, error_code, error_message, latency_ms, request_kind, deleted_at)
  VALUES
    (11, 'resp_a', '2026-11-27 10:00:00', NULL, 'gpt-5.5', 'high', 'websocket', 70, 30, 'success', NULL, NULL, 100, 'normal', NULL),
    (12, 'RESP_A', '2026-11-27 10:00:01', NULL, 'gpt-5.5', NULL, 'http', NULL, NULL, 'error', 'no_accounts', 'None left', -5, 'normal', NULL),
    (13, 'resp_b', '2026-11-27 10:00:02', NULL, 'gpt-5.5', NULL, 'http', NULL, NULL, 'cancelled', NULL, NULL, NULL, 'normal', NULL),
    (14, 'resp_c', '2026-11-27 10:00:03', NULL, 'gpt-5.5', NULL, 'http', 9, 9, 'success', NULL, NULL, 9, 'limit_warmup', NULL),
    (15, 'resp_d', '2026-11-27 10:00:04', NULL, 'gpt-5.5', NULL, 'http', 9, 9, 'success', NULL, NULL, 9, 'normal', '2026-11-27')`;

test(
  'takes over the request log on demand, marked as imported, once, without counting it in limits',
  SLOW,
  async () => {
    const [folder, source] = [emptyFolder(), codexLbFolder(`${IN_WINDOW} ${MORE_REQUESTS}`)];
    const requestsIn = ({ items }: { items: readonly ReportItem[] }) => outcomes(items, 'requests');
    expect(requestsIn(await importInto(folder, source))).toEqual(['7 requests: left']);
    const everything = { withRequests: true };
    const reported = ['7 requests: changed', '1 warm-up requests: left', '1 deleted requests: left'];
    expect(requestsIn(await importInto(folder, source, { ...everything, isDryRun: true }))).toEqual(reported);
    expect(requestsIn(await importInto(folder, source, everything))).toEqual(reported);
    const again = await importInto(folder, source, everything);
    expect(again.isChange).toBe(false);
    expect(requestsIn(again)[0]).toBe('7 requests: there');
    const [last] = (await readEvents(folder)).filter(({ type }) => type === 'ImportBegun').slice(-1);
    expect(last?.data).toMatchObject({ accounts: 0, apiKeys: 0, requests: 7 });

    const gateway = await startGateway({ accounts: 0, folder });
    onTestFinished(() => gateway.stop());
    const { body: log } = await gateway.api('GET', '/api/request-logs?transport=import%3Acodex-lb');
    expect(log.total).toBe(7);
    const byId = (id: string) => log.requests.find((entry: { request_id: string }) => entry.request_id.includes(id));
    const { body: keys } = await gateway.api('GET', '/api/api-keys');
    const ci = keys.find((key: { name: string }) => key.name === 'ci');
    const { body: accounts } = await gateway.api('GET', '/api/accounts');
    const served = byId('resp_ab2dfb5c838d4cb1bcc440af98cc4c18:codex-lb:1');
    expect(served).toMatchObject({
      ...{
        requested_at: '2026-11-28T08:26:48.523Z',
        transport: 'import:codex-lb',
        status: '200',
        client: 'node',
        route: '',
      },
      ...{
        api_key_id: ci.id,
        input_tokens: 78,
        output_tokens: 2,
        cost_usd: 0.00045,
        latency_ms: 18,
        first_byte_ms: 15,
      },
      ...{ attempts: 0, address: null, user_agent: null, owner: null },
    });
    expect(accounts.accounts.map(({ account_id }: { account_id: string }) => account_id)).toContain(served.account_id);
    expect(byId('resp_a:codex-lb:12')).toMatchObject({
      status: 'error',
      error_code: 'no_accounts',
      latency_ms: 0,
      tokens: null,
    });
    expect(byId('resp_b:codex-lb:13')).toMatchObject({ status: 'error', error_code: 'cancelled' });

    // By the id as codex-lb shows it, a part of it, and its beginning, which three have.
    for (const search of ['resp_ab2dfb5c838d4cb1bcc440af98cc4c18', 'b5c838d4cb1b', 'Resp_A']) {
      const { body: found } = await gateway.api('GET', `/api/request-logs?search=${search}`);
      expect([search, found.total]).toEqual([search, search === 'Resp_A' ? 3 : 1]);
    }
    const range = 'since=2026-11-27T00:00:00Z&until=2026-11-29T00:00:00Z';
    const { body: usage } = await gateway.api('GET', `/api/usage/breakdown?group_by=transport&${range}`);
    expect(usage.groups).toMatchObject([{ id: 'import:codex-lb', requests: 7, input_tokens: 78 * 3 + 80 + 70 }]);
    // What codex-lb had counted came over with the key, once: its requests add nothing.
    expect(ci.limits[0]).toMatchObject({ limit_type: 'total_tokens', current_value: 322 });

    const explained = await gateway.api('GET', `/api/requests/${encodeURIComponent(served.request_id)}/explain`);
    expect(explained).toMatchObject({ status: 404, body: { error: { code: 'request_imported' } } });
    expect(explained.body.error.message).toContain('codex-lb, which decided it');
    const { body: event } = await gateway.api('GET', `/api/history/${served.position}`);
    expect(event).toMatchObject({ type: 'RequestImported', actor: { kind: 'cli' } });
    await gateway.stop();

    const explain = await svc(folder, 'explain', served.request_id);
    expect(explain).toMatchObject({ code: 2, out: '' });
    expect(explain.err).toContain('was imported from codex-lb');
    const shown = await svc(folder, 'show', `request-${served.request_id}`);
    expect(shown.out, shown.err).toContain('import:codex-lb');
    const replayed = await svc(folder, 'replay');
    expect(replayed.code, replayed.err).toBe(0);
    expect(replayed.out).toContain('7 more requests were imported from another program');
    const verified = await svc(folder, 'verify');
    expect(verified.code, verified.out).toBe(0);
  },
);

const DAY_MS = 86_400_000;

test('archiving the day of an import leaves its requests in the request log', SLOW, async () => {
  const [folder, source] = [emptyFolder(), codexLbFolder(`${IN_WINDOW} ${MORE_REQUESTS}`)];
  const everything = { withRequests: true };
  await importInto(folder, source, everything);
  const imported = (await readEvents(folder)).filter(({ type }) => type === 'RequestImported');
  const gateway = await startGateway({ accounts: 0, folder, provider: { acceptsAnyToken: true } });
  for (const account of gateway.provider.accounts) account.always(textResponse());
  const headers = { authorization: `Bearer ${codexLbKeys.ci}` };
  const asked = await gateway.ask(validRequest, { path: '/v1/responses', headers });
  expect([asked.status, await asked.text()]).toEqual([200, expect.stringContaining('response.completed')]);
  await gateway.stop();

  // Today is over then.
  const later = instant(Date.now() + 2 * DAY_MS);
  const { archived, kept } = await withArchiveHost(folder, (host) =>
    archiveDays({
      host: { ...host, now: () => later },
      folder: join(folder, 'archives'),
      until: '9999-12-31',
    }),
  );
  expect([archived.length > 0, kept]).toEqual([true, []]);
  expect(archived.flatMap(({ types }) => Object.keys(types))).not.toContain('RequestImported');
  expect((await readEvents(folder)).filter(({ type }) => type === 'RequestImported')).toEqual(imported);

  const again = await startGateway({ accounts: 0, folder });
  onTestFinished(() => again.stop());
  const { body } = await again.api('GET', '/api/request-logs');
  expect(body.requests.map(({ transport }: { transport: string }) => transport)).toEqual(
    imported.map(() => 'import:codex-lb'),
  );
  // The request of svc is in the archive, which is named; its sums stay beside those of the imported ones.
  expect(body).toMatchObject({ total: 7, archived: archived.map(({ day }) => ({ day })) });
  const range = `since=2026-01-01T00:00:00Z&until=${new Date(later).toISOString()}`;
  const { body: usage } = await again.api('GET', `/api/usage/breakdown?group_by=transport&${range}`);
  expect(usage.groups.map(({ id, requests }: { id: string; requests: number }) => [id, requests])).toEqual([
    ['import:codex-lb', 7],
    ['http', 1],
  ]);
  await again.stop();
  expect((await importInto(folder, source, everything)).isChange).toBe(false);
  const verified = await svc(folder, 'verify');
  expect(verified.code, verified.out).toBe(0);
});
