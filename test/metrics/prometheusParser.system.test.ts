import { spawnSync } from 'node:child_process';
import { describe, expect, test, vi } from 'vitest';
import { buildGoProgram } from '../support/buildGoProgram.ts';
import { startGateway, validRequest } from '../support/gateway.ts';
import { scrape } from '../support/scrape.ts';
import { waitOptions } from '../support/waitOptions.ts';

const reader = buildGoProgram(new URL('../support/prometheus/', import.meta.url));
const FORMATS = ['text/plain', 'application/openmetrics-text'];

/** What Prometheus' parser finds in a text. */
function parse(contentType: string, text: string): { types: Record<string, string>; samples: number } {
  const { status, stdout, stderr } = spawnSync('path' in reader ? reader.path : '', [contentType], {
    input: text,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe.skipIf('missing' in reader)("Prometheus' own parser", () => {
  test('reads /metrics in both formats, with the same metrics in each', { timeout: 60_000 }, async () => {
    const gateway = await startGateway({ accounts: 2 });
    try {
      await (await gateway.ask()).text();
      await gateway.ask({ ...validRequest, model: 'in"vented\\ \n' });
      await vi.waitFor(async () => expect((await scrape(gateway.url)).sum('svc_requests_total')).toBe(2), waitOptions);
      const found = [];
      for (const accept of FORMATS) {
        const response = await fetch(`${gateway.url}/metrics`, { headers: { accept } });
        const { types, samples } = parse(response.headers.get('content-type') ?? '', await response.text());
        expect(samples).toBeGreaterThan(100);
        found.push(Object.entries(types).map(([name, type]) => `${name.replace(/_total$/, '')} ${type}`));
      }
      expect(found[0]).toContain('svc_requests counter');
      expect(found[0]).toContain('svc_request_duration_seconds histogram');
      expect(found[1]).toEqual(found[0]);
    } finally {
      await gateway.stop();
    }
  });

  test('refuses what is no exposition, so that the test above can fail', () => {
    expect(() => parse('text/plain', 'svc_things{name="one} 2\n')).toThrow();
    expect(() => parse('text/plain', 'svc_things 2\nsvc_things 2\n')).toThrow('comes twice');
    expect(() => parse('application/openmetrics-text', 'svc_things 2\n')).toThrow('# EOF');
  });
});
