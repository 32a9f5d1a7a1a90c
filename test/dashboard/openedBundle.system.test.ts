import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openBundle } from '../../src/app/open/openCommand.ts';
import { validRequest } from '../support/gateway.ts';
import { temporaryFolder } from '../support/management.ts';
import { journeys, startJourney, visitAt } from './support/journey.ts';

journeys('opened bundle', () => {
  test('shows an incident read-only, at any moment of it, explained and replayed', { timeout: 180_000 }, async () => {
    const { gateway } = await startJourney({ accounts: 2 });
    const { key } = (await gateway.api('POST', '/api/api-keys', { name: 'agents' })).body;
    const headers = { authorization: `Bearer ${key}` };
    const asked = await gateway.ask(validRequest, { headers });
    await asked.text();
    const [before] = (await gateway.api('GET', '/api/history?limit=1')).body.events;
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
    await (await gateway.ask(validRequest, { headers })).text();
    const { body: job } = await gateway.api('POST', '/api/evidence', {});
    const done = await vi.waitFor(
      async () => {
        const { body } = await gateway.api('GET', `/api/jobs/${job.id}`);
        expect(body.state, JSON.stringify(body)).toBe('done');
        return body;
      },
      { timeout: 60_000, interval: 50 },
    );
    const file = join(temporaryFolder(), 'incident.zip');
    writeFileSync(file, Buffer.from(await (await fetch(gateway.url + done.result.path)).arrayBuffer()));
    const problems: string[] = [];
    const opened = await openBundle({ file, port: 0 }, { print: () => {}, printError: (line) => problems.push(line) });
    onTestFinished(() => opened.close());
    await gateway.stop();

    const page = await visitAt(opened, { path: '/api-keys' });
    await page.getByRole('note').getByText('Evidence bundle incident.zip.').waitFor();
    await page.getByRole('button', { name: 'agents' }).first().waitFor();
    const create = page.getByRole('button', { name: 'Create key' });
    expect([await create.isDisabled(), await create.getAttribute('title')]).toEqual([
      true,
      'This is an evidence bundle, which cannot be changed.',
    ]);

    // A bundle leaves e-mail addresses out, and its accounts can be told from each other all the same.
    await page.goto(`${opened.url}/accounts`);
    await page
      .getByRole('button', { name: /^unnamed account/ })
      .nth(1)
      .waitFor();
    const accounts = await page.getByRole('button', { name: /^unnamed account/ }).allTextContents();
    expect(new Set(accounts).size).toBe(2);

    await page.goto(opened.url);
    await page.getByRole('heading', { name: 'Capacity by account' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Next steps' }).count()).toBe(0);

    await page.goto(`${opened.url}/firewall`);
    await page.getByText('127.0.0.1').first().waitFor();
    await page.goto(`${opened.url}/firewall?at=${before.position}`);
    await page.getByRole('region', { name: 'Earlier moment' }).getByText(`after event ${before.position}`).waitFor();
    await page.getByRole('heading', { name: 'Firewall' }).waitFor();
    await expect.poll(() => page.getByRole('cell', { name: '127.0.0.1' }).count()).toBe(0);

    await page.goto(`${opened.url}/request-logs?request=${asked.headers.get('x-request-id')}`);
    const panel = page.getByRole('dialog', { name: validRequest.model });
    await panel.getByRole('button', { name: 'Explain' }).click();
    await panel.getByRole('heading', { name: /^Attempt 1: / }).waitFor();
    await page.keyboard.press('Escape');

    await page.goto(`${opened.url}/replay`);
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    const decisions = page.getByRole('region', { name: 'Recorded decisions' });
    // A replay has the lowest priority.
    await decisions.getByText('All repeat').waitFor({ timeout: 60_000 });
    await decisions.getByText(/2 requests, 0 of them refused by svc/).waitFor();
    expect(problems).toEqual([]);
  });
});
