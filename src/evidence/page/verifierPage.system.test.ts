import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { headlessPath } from '../../../test/dashboard/support/chromium.ts';
import { readRows, writeRows } from '../../../test/histories/forged/forgedFiles.ts';
import { aFolder, honestFolder } from '../../../test/histories/forged/honestLog.ts';
import { builtPage } from '../../../test/support/evidence/buildVerifier.ts';
import { makeBundleOf, readBundle, signedFolder, writeForgedBundle } from '../../../test/support/evidence/bundles.ts';
import { HOSTILE_TEXTS, hostileRows } from '../../../test/support/evidence/hostileEvents.ts';
import { aKey, signFolder, vkeyOf } from '../../../test/support/evidence/signedFolder.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';

// Processes, browsers and threads wait for each other on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(headlessPath === undefined)('verify.html (needs chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: headlessPath as string, args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());

  /** Opens the page from the disk, without a network. Errors, lines of the console and requests fail the test. */
  async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ offline: true, viewport: { width: 1_000, height: 900 }, ...options });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => problems.push(message.text()));
    page.on('dialog', (dialog) => {
      problems.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (request.url() !== builtPage.href) problems.push(request.url());
    });
    onTestFinished(async () => {
      await context.close();
      expect(problems).toEqual([]);
    });
    await page.goto(builtPage.href);
    return page;
  }

  async function verdictOf(page: Page, path: string, vkey?: string): Promise<string> {
    if (vkey !== undefined) {
      await page.fill('#key', vkey);
      await page.keyboard.press('Tab');
    }
    await page.setInputFiles('#file', path);
    return (await page.locator('#verdict').textContent()) ?? '';
  }

  test('says that a bundle holds for the key of the log, and verifies signatures with WebCrypto, too', async () => {
    const { path } = await makeBundleOf(await signedFolder({ keys: [aKey(1), aKey(2)] }));
    const page = await openPage();
    expect(await verdictOf(page, path)).toContain('nobody vouched for the key');
    expect(await page.locator('#result').innerText()).toContain(vkeyOf(aKey(2)));
    expect(await verdictOf(page, path, vkeyOf(aKey(1)))).toContain('The log recorded these events');
    expect(await page.locator('.statements').innerText()).toContain('this browser itself verified them');
  });

  test('says that a bundle holds whose events all have their whole data', async () => {
    const { path } = await makeBundleOf(await signedFolder(), { types: ['ApiKeyRenamed'] });
    expect(await verdictOf(await openPage(), path, vkeyOf(aKey(1)))).toContain('This bundle holds');
  });

  test('shows one result when the key loses the focus to it', async () => {
    const { path } = await makeBundleOf(await signedFolder(), { types: ['ApiKeyRenamed'] });
    const page = await openPage();
    await page.fill('#key', vkeyOf(aKey(1)));
    await page.setInputFiles('#file', path);
    await page.locator('.events li').first().waitFor();
    await page.setInputFiles('#file', path);
    await page.getByText('This bundle holds').waitFor();
    await page.locator('.events li').first().waitFor();
    const shown = await page
      .locator('#result > *')
      .evaluateAll((elements) => elements.map(({ className }) => className));
    expect(shown).toEqual(['verdict holds', 'statements', '', '']);
  });

  test('says that a bundle of another key does not hold', async () => {
    const { path } = await makeBundleOf(await signedFolder({ keys: [aKey(9)] }));
    const page = await openPage();
    expect(await verdictOf(page, path, vkeyOf(aKey(1)))).toContain('does not hold');
    expect(await page.locator('.statements').innerText()).toContain('The signatures do not hold');
  });

  test.each([
    ['an event', 'events/000001.jsonl', '"name":"key 3"', '"name":"kex 3"', 'Data not proved'],
    [
      'the time of an event',
      'events/000001.jsonl',
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:00.001Z',
      'another root',
    ],
    ['a renamed key', 'events/000001.jsonl', '"to":"key ', '"to":"kex ', 'What does not hold'],
    ['a hash of the proofs', 'proofs/000001.jsonl', /"hash":"./, '"hash":"_', 'What does not hold'],
    ['a proof of consistency', 'consistency.jsonl', /"hashes":\["./, '"hashes":["_', 'What does not hold'],
  ])('shows what was changed when somebody forged %s and all digests', async (_, name, from, to, shown) => {
    const folder = await signedFolder();
    const { path } = await makeBundleOf(folder, name.startsWith('proofs') ? { types: ['ApiKeyRenamed'] } : {});
    const contents = await readBundle(path);
    const forged = (contents.get(name) as string).replace(from, to);
    expect(forged).not.toBe(contents.get(name));
    const forgedPath = join(await aFolder(), 'forged.zip');
    await writeForgedBundle(forgedPath, contents.set(name, forged));
    const page = await openPage();
    const verdict = await verdictOf(page, forgedPath, vkeyOf(aKey(1)));
    // The name of a key stands beside its hidden hash: no digest of it can be computed.
    expect(verdict).toContain(shown === 'Data not proved' ? 'The log recorded these events' : 'does not hold');
    // The events are listed after the verdict.
    await vi.waitFor(async () => expect(await page.locator('#result').innerText()).toContain(shown), waitOptions);
  });

  test('says that a cut file is not an intact bundle', async () => {
    const { path } = await makeBundleOf(await signedFolder());
    const page = await openPage();
    const bytes = readFileSync(path);
    for (const [index, cut] of [bytes.subarray(0, -1), bytes.subarray(0, 100), Buffer.alloc(0)].entries()) {
      const cutPath = join(await aFolder(), `cut-${index}.zip`);
      writeFileSync(cutPath, cut);
      expect(await verdictOf(page, cutPath)).toContain('not an intact bundle');
    }
  });

  test('shows hostile texts as text, finds them, and stays as it was', async () => {
    const folder = await honestFolder(1);
    const rows = readRows(folder);
    writeRows(folder, [...rows, ...hostileRows(rows.length)]);
    signFolder(folder);
    const { path, events } = await makeBundleOf(folder);
    expect(events).toBe(rows.length + HOSTILE_TEXTS.length);
    const page = await openPage();
    expect(await verdictOf(page, path, vkeyOf(aKey(1)))).toContain('The log recorded these events');
    await page.fill('#search', 'onerror');
    await page.keyboard.press('Enter');
    await page.getByText('1 event shown.').waitFor();
    await page.fill('#search', '"keyId":"k"'.toUpperCase());
    await page.keyboard.press('Enter');
    await page.getByText(`${HOSTILE_TEXTS.length} events shown.`).waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
    await page.getByRole('button', { name: 'Show all' }).first().click();
    expect(await page.title()).toBe('Verify evidence of svc');
    const elements = await page.locator('img, svg, iframe, script').count();
    expect(elements).toBe(1);
    const text = await page.locator('.events').innerText();
    expect(text).toContain('<img src=x onerror=');
    expect(text).toContain('\\u202e');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be shown.
    expect(text).not.toMatch(/[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069]/);
  });

  test('keeps its width when a forged manifest has a word of a million characters', async () => {
    const { path } = await makeBundleOf(await signedFolder());
    const forgedPath = join(await aFolder(), 'forged.zip');
    const origin = 'y'.repeat(1_000_000);
    await writeForgedBundle(forgedPath, await readBundle(path), (manifest) => ({ ...manifest, origin }));
    const page = await openPage({ viewport: { width: 360, height: 740 } });
    expect(await verdictOf(page, forgedPath)).toContain('does not hold');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect((await page.locator('#result').innerText()).length).toBeLessThan(origin.length);
  });

  test('can be used with the keyboard alone, in the dark and on a narrow window', async () => {
    const { path } = await makeBundleOf(await signedFolder());
    const page = await openPage({ colorScheme: 'dark', viewport: { width: 360, height: 740 } });
    await verdictOf(page, path);
    expect(await page.evaluate('document.activeElement.id')).toBe('verdict');
    await page.locator('summary').first().waitFor();
    // The search, its button, the first event.
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.locator('details[open]').count()).toBe(1);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBe(360);
  });

  test('has no problem that axe knows', async () => {
    const { path } = await makeBundleOf(await signedFolder());
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await openPage({ colorScheme });
      await verdictOf(page, path);
      await page.locator('summary').first().click();
      await page.evaluate(axe);
      const violations = await page.evaluate(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html]))',
      );
      expect(violations).toEqual([]);
    }
  });
});
