import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { validRequest } from '../support/gateway.ts';
import { journeys, startJourney } from './support/journey.ts';
import { writePastRequests } from './support/pastRequests.ts';

/** Jobs run in a thread of low priority, which a busy machine leaves little time. */
const JOB = { timeout: 60_000 };

journeys('integrity', () => {
  test('shows what the checkpoints prove, and where they are published', async () => {
    const published = mkdtempSync(join(tmpdir(), 'svc-published-'));
    onTestFinished(() => rmSync(published, { recursive: true, force: true }));
    const { gateway, visit } = await startJourney({ accounts: 1, env: { SVC_CHECKPOINT_DIR: published } });
    const response = await gateway.ask(validRequest);
    await response.text();
    const id = response.headers.get('x-request-id');
    // A receipt makes svc sign a checkpoint at once.
    expect((await gateway.api('GET', `/api/receipts/${id}`)).status).toBe(200);
    const page = await visit({ path: '/' });
    await page.getByRole('link', { name: 'Integrity' }).click();
    await page.getByRole('heading', { name: /events are proved to others$/ }).waitFor();
    const publishing = page.getByRole('region', { name: 'Publishing' });
    await publishing.getByText(`Folder ${published}`).waitFor();
    await publishing.getByText('up to date').waitFor();
    const { body } = await gateway.api('GET', '/api/integrity');
    await page.getByText(body.public_key, { exact: true }).waitFor();
    await page.getByText(/^covers \d+, signed/).waitFor();
    const verification = page.getByRole('region', { name: 'Verification' });
    const isBelow = async () =>
      ((await verification.boundingBox())?.x as number) === ((await publishing.boundingBox())?.x as number);
    expect(await isBelow()).toBe(true);
    await page.setViewportSize({ width: 2_560, height: 1_440 });
    expect(await isBelow()).toBe(false);
  });

  test('makes evidence of a request, of what the history shows and of a period, and offers the files', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await (await gateway.ask(validRequest)).text();
    const page = await visit({ path: '/request-logs' });
    const bundle = page.getByRole('row', { name: /^Evidence bundle/ });
    await page.locator('tr.request').first().click();
    await page.getByRole('button', { name: 'Get evidence' }).click();
    await page.waitForURL(/\/integrity$/);
    await bundle.first().waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      bundle.first().getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(
      readFileSync(await file.path())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
    expect(file.suggestedFilename()).toMatch(/\.zip$/);

    await page.getByRole('button', { name: 'Make evidence bundle' }).click();
    await bundle.nth(1).waitFor();
    await page.goto(`${gateway.url}/history`);
    await page.getByRole('button', { name: 'Get evidence' }).click();
    await bundle.nth(2).waitFor();
    expect(gateway.events('EvidenceMade')).toHaveLength(3);
  });

  test('verifies the log now and shows the result', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await (await gateway.ask(validRequest)).text();
    const page = await visit({ path: '/integrity' });
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByRole('row', { name: /^Verification .* \d+ events: intact$/ }).waitFor();
    await page.getByRole('region', { name: 'Verification' }).getByText('Intact', { exact: true }).waitFor();
    expect(gateway.events('VerificationMade')).toHaveLength(1);
  });

  test('places a legal hold with its reason, and lifts it', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const page = await visit({ path: '/integrity' });
    const holds = page.getByRole('region', { name: 'Legal holds' });
    await holds.getByText('No legal holds.').waitFor();
    await holds.getByRole('button', { name: 'Place hold …' }).click();
    await page.getByRole('combobox', { name: 'On: Everything' }).click();
    await page.getByRole('option', { name: /^Account / }).click();
    await page.getByLabel('Reason').fill('Case <b>42</b>');
    await page.getByRole('button', { name: 'Place hold', exact: true }).click();
    const row = holds.getByRole('row', { name: /^Account account-1@example\.com all events Case <b>42<\/b>/ });
    await row.waitFor();
    expect(gateway.events('HoldPlaced')).toMatchObject([{ data: { reason: 'Case <b>42</b>' } }]);
    await row.getByRole('button', { name: /^Lift the hold on / }).click();
    await page.getByLabel('Reason').fill('closed');
    await page.getByRole('button', { name: 'Lift hold', exact: true }).click();
    await holds.getByText('No legal holds.').waitFor();
    expect(gateway.events('HoldLifted')).toHaveLength(1);
  });

  test('forgets the callers of an API key that was deleted', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const { id, key } = (await gateway.api('POST', '/api/api-keys', { name: 'laptop' })).body;
    await gateway.set({ api_key_auth_enabled: true });
    await (await gateway.ask(validRequest, { headers: { authorization: `Bearer ${key}` } })).text();
    await gateway.api('DELETE', `/api/api-keys/${id}`);
    const page = await visit({ path: '/integrity' });
    const section = page.getByRole('region', { name: 'Callers of deleted API keys' });
    await section.getByRole('link', { name: 'API key "laptop" was deleted' }).waitFor();
    await section.getByRole('button', { name: /^Forget callers: / }).click();
    await page.getByRole('button', { name: 'Forget callers', exact: true }).click();
    await section.getByText('No deleted API key has callers that can still be read.').waitFor();
    expect(gateway.events('CallersForgotten').map(({ data }) => data)).toMatchObject([{ months: [], keys: [id] }]);
    const { requests } = (await gateway.api('GET', '/api/request-logs')).body;
    expect(requests).toMatchObject([{ api_key_id: id, address: null }]);
  });

  test('archives closed days after a confirmation, and restores one', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await writePastRequests(gateway, [gateway.pool[0]?.id ?? ''], ['11111111-1111-4111-8111-111111111111']);
    const page = await visit({ path: '/integrity' });
    const archives = page.getByRole('region', { name: 'Archived days' });
    await archives.getByText('No days are archived.').waitFor();
    await archives.getByLabel('Days to keep').fill('many');
    expect(await archives.getByRole('button', { name: 'Archive older days …' }).isDisabled()).toBe(true);
    await archives.getByLabel('Days to keep').fill('1');
    await archives.getByRole('button', { name: 'Archive older days …' }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    const restore = archives.getByRole('button', { name: /^Restore \d{4}-\d\d-\d\d$/ });
    await restore.first().waitFor(JOB);
    const count = await restore.count();
    await page.getByRole('row', { name: /^Archive run/ }).waitFor(JOB);
    await restore.first().click();
    await page.getByRole('row', { name: /^Restore of an archive .* done/ }).waitFor(JOB);
    await archives.getByText('restored', { exact: true }).waitFor();
    expect(count).toBeGreaterThan(0);
    expect(gateway.events('ArchiveRestored')).toHaveLength(1);
  });
});
