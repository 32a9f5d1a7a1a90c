import { expect, test, vi } from 'vitest';
import { openStrictSocket } from '../support/strictSocket.ts';
import { brokenDisk, whyNoBrokenDisk } from './support/brokenDisk.ts';
import { gatedResponse } from './support/gatedResponse.ts';
import { openStage, requestBody } from './support/stage.ts';
import { VerifiedLog } from './support/verifiedLog.ts';

const reason = whyNoBrokenDisk();
const onBrokenDisk = (title: string) => (reason === undefined ? title : `${title} (skipped: ${reason})`);
const SOON = { timeout: 30_000, interval: 50 };

test.skipIf(reason !== undefined)(
  onBrokenDisk('holds the terminal message on a socket back until the disk has confirmed its event'),
  { timeout: 90_000 },
  async () => {
    const disk = await brokenDisk('log.sqlite');
    const stage = await openStage({ env: disk.env });
    const [{ at } = { at: undefined }] = stage.pool;
    const gate = gatedResponse();
    at?.next(gate.script);
    const types: string[] = [];
    const socket = await openStrictSocket(`${stage.url}/backend-api/svc/responses`, {
      onFrame: ({ type }) => types.push(type),
    });
    const ended = socket.create(requestBody());
    await vi.waitUntil(() => types.includes('response.output_text.delta'), SOON);

    disk.breaks('hang');
    gate.open();
    const sent = () => at?.received.find(({ method }) => method === 'WEBSOCKET');
    await vi.waitUntil(() => sent()?.finished, SOON);
    await vi.waitUntil(() => types.includes('response.output_item.done'), SOON);
    const isStalled = async () => {
      const { problems } = await stage.api.call('GET', '/api/status');
      return problems.some(({ code }: { code: string }) => code === 'log_write_failing');
    };
    await vi.waitUntil(isStalled, SOON);
    expect(types).not.toContain('response.completed');
    expect(types).not.toContain('error');

    disk.breaks();
    expect((await ended).terminal?.type).toBe('response.completed');
    expect(socket.problems).toEqual([]);
    await socket.leave();
    await stage.service.kill();
    disk.cutPower(stage.folder);
    const log = new VerifiedLog(stage.folder);
    log.readNew();
    expect([log.problems, log.completed.size]).toEqual([[], 1]);
  },
);
