import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { MongoClient } from 'mongodb';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { monthOf } from '../src/vault/callerKeys.ts';
import { setUpAdministrator } from './dashboard/support/people.ts';
import { tempDir } from './e2e/support/tempDir.ts';
import { PASSWORD } from './support/browser.ts';
import { startGateway, validRequest } from './support/gateway.ts';
import { mongoServer, NO_MONGODB_FOUND } from './support/mongo/mongoServer.ts';
import { OPERATOR_PASSWORD, secretOf } from './support/operators.ts';
import { takeSnapshot } from './support/takeSnapshot.ts';

const mongo = await mongoServer();
afterAll(() => mongo?.stop());

const SLOW = { timeout: 300_000 };
/** Jobs have a low priority: on a loaded machine they take a minute. */
const soon = { timeout: 120_000, interval: 50 };
const DAY_MS = 86_400_000;
const NAME = 'Lovelace-Byron';
const ADDRESS = '203.0.113.77';
const USER_AGENT = 'Adas-Own-Client/1';
const TEXTS = ['Lovelace', 'lovelace', ADDRESS, USER_AGENT];
const found = (content: Buffer | string) => TEXTS.filter((text) => content.includes(text));

/** Files below a folder that contain any of the texts. */
const filesWithTexts = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => found(readFileSync(path)).length > 0);

/** The content of all entries of a ZIP file. */
function unzipped(zip: Buffer): Buffer {
  const parts: Buffer[] = [];
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = zip.readUInt32LE(end + 16);
  for (let entry = 0; entry < zip.readUInt16LE(end + 10); entry++) {
    const [method, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)];
    const local = zip.readUInt32LE(at + 42);
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(from, from + size);
    parts.push(method === 0 ? bytes : inflateRawSync(bytes));
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return Buffer.concat(parts);
}

/** Every document of a database as text. */
async function dumpOf(url: string): Promise<string> {
  await using client = await new MongoClient(url).connect();
  const database = client.db();
  const names = (await database.listCollections().toArray()).map(({ name }) => name);
  const all = await Promise.all(names.map((name) => database.collection(name).find().toArray()));
  return JSON.stringify(all);
}

const STORES = [
  { where: 'in the data folder', isMissing: false },
  { where: `in MongoDB (${mongo?.product ?? NO_MONGODB_FOUND})`, isMissing: !mongo, server: mongo },
];

for (const { where, isMissing, server } of STORES)
  test.skipIf(isMissing)(
    `no copy has anything of a forgotten person: log, archives, snapshot, evidence, read models ${where}`,
    async () => {
      const folder = await tempDir('forgotten-copies');
      onTestFinished(() => folder[Symbol.asyncDispose]());
      const url = server?.newDatabase();
      // Forty days ago, so that its days can be archived and its month is over.
      const now = Date.now.bind(Date);
      const past = vi.spyOn(Date, 'now').mockImplementation(() => now() - 40 * DAY_MS);
      onTestFinished(() => past.mockRestore());
      const month = monthOf(Date.now() as never);
      const gateway = await startGateway({
        folder: folder.path,
        env: {
          FIREWALL_TRUST_PROXY_HEADERS: 'true',
          FIREWALL_TRUSTED_PROXY_CIDRS: '127.0.0.1/32',
          SVC_ALLOW_OPEN: 'true',
          ...(url !== undefined && { SVC_MONGODB_URL: url }),
        },
      });
      onTestFinished(() => gateway.stop());
      const headers = { 'x-forwarded-for': ADDRESS, 'user-agent': USER_AGENT };
      const { call: api, invite } = await setUpAdministrator(gateway);
      const { id, path } = await invite(NAME, 'member');
      const send = async (cookie: string, method: string, to: string, body?: unknown) => {
        const json = body !== undefined && { 'content-type': 'application/json' };
        const sent = body === undefined ? {} : { body: JSON.stringify(body) };
        const from = cookie === 'ada' ? { ...headers, cookie: adas } : { cookie: administrators };
        const response = await fetch(gateway.url + to, { method, headers: { ...from, ...json }, ...sent });
        const set = response.headers.getSetCookie()[0]?.split(';')[0];
        if (set && cookie === 'ada') adas = set;
        else if (set) administrators = set;
        const bytes = Buffer.from(await response.arrayBuffer());
        const text = bytes.toString();
        // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
        return { status: response.status, bytes, text, body: (/^[[{]/.test(text) ? JSON.parse(text) : {}) as any };
      };
      let [adas, administrators] = ['', ''];
      const accept = { token: secretOf(path), password: OPERATOR_PASSWORD };
      expect((await send('ada', 'POST', '/api/dashboard-auth/invitation/accept', accept)).status).toBe(200);
      const { body: key } = await send('ada', 'POST', '/api/api-keys', { name: 'laptop' });
      const { body: lost } = await send('ada', 'POST', '/api/api-keys', { name: 'phone' });
      for (const authorization of [`Bearer ${key.key}`, `Bearer ${lost.key}`, undefined]) {
        const settings = { sticky_threads_enabled: true, prefer_earlier_reset_accounts: false };
        const required = { ...settings, api_key_auth_enabled: authorization !== undefined };
        expect((await api('PUT', '/api/settings', required)).status).toBe(200);
        const sent = { ...headers, ...(authorization !== undefined && { authorization }) };
        await (await gateway.ask(validRequest, { headers: sent })).text();
      }
      await gateway.stopService();
      takeSnapshot(folder.path);
      past.mockRestore();
      await gateway.restart();

      const call = (method: string, to: string, body?: unknown) => send('administrator', method, to, body);
      expect((await call('POST', '/api/dashboard-auth/password/login', { password: PASSWORD })).status).toBe(200);
      const rows = async () => (await call('GET', '/api/request-logs')).body.requests ?? [];
      await vi.waitUntil(async () => (await rows()).length === 3, soon);
      // It was recorded, and can be read until it is forgotten.
      const [first] = await rows();
      expect([first.address, first.user_agent]).toEqual([ADDRESS, USER_AGENT]);
      const untilDone = () =>
        vi.waitUntil(async () => {
          const { jobs } = (await call('GET', '/api/jobs')).body;
          return jobs.every(({ state }: { state: string }) => state !== 'running');
        }, soon);
      const { body: made } = await call('POST', '/api/evidence', {});
      await untilDone();
      const { result } = (await call('GET', `/api/jobs/${made.id}`)).body;
      const zip = (await call('GET', `/api/evidence/${result.evidence_id}`)).bytes;
      expect((await call('POST', '/api/archives', { days: 1 })).status).toBe(202);
      await untilDone();
      const { body: archives } = await call('GET', '/api/archives');
      expect(archives).toMatchObject([{ state: 'archived' }]);

      expect((await call('POST', `/api/operators/${id}/forget`)).body).toEqual({ status: 'forgotten' });
      expect((await call('DELETE', `/api/api-keys/${key.id}?forget_callers=true`)).status).toBe(204);
      expect((await call('POST', '/api/callers/forget', { until: month })).body).toMatchObject({ months: [month] });
      // A key that was deleted without forgetting is forgotten later.
      expect((await call('DELETE', `/api/api-keys/${lost.id}`)).status).toBe(204);
      const { body: forgotten } = await call('POST', '/api/callers/forget', { api_keys: [lost.id] });
      expect(forgotten).toEqual({ months: [], api_keys: [lost.id] });
      // Put back, the archived requests are the same, and say no more where they came from.
      expect((await call('POST', `/api/archives/${archives[0].day}/restore`)).status).toBe(202);
      await untilDone();
      await vi.waitUntil(async () => (await rows()).length === 3, soon);
      for (const row of await rows()) expect(row).toMatchObject({ address: null, user_agent: null });
      for (const to of ['/api/request-logs', '/api/operators', '/api/sessions', '/api/history?limit=200']) {
        expect([to, found((await call('GET', to)).text)]).toEqual([to, []]);
      }
      expect((await call('GET', `/api/request-logs?address=${ADDRESS}`)).body.total).toBe(0);

      await gateway.stopService();
      expect(filesWithTexts(folder.path)).toEqual([]);
      const content = unzipped(zip);
      expect(content.includes('OperatorInvited')).toBe(true);
      expect(found(content)).toEqual([]);
      if (url !== undefined) {
        const dump = await dumpOf(url);
        expect(dump).toContain(id);
        expect(found(dump)).toEqual([]);
      }
      await gateway.restart();
    },
    SLOW.timeout,
  );
