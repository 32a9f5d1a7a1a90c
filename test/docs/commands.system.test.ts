import { globSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { commandsIn, type DocumentedCommand } from './commandsIn.ts';
import { prepareInstallation } from './installation.ts';

/** What is not run here: the test that runs it, or why it cannot run. */
const NOT_RUN_HERE: Readonly<Record<string, string>> = {
  'npm ci && npm start': 'test/support/ci/start.system.test.ts',
  'npm run demo': 'test/support/ci/demo.system.test.ts',
  'npm ci && npm test': '.ci/run',
  'npm run test:system': '.ci/run',
  'npm run dev --workspace dashboard': 'serves until it is stopped, for development only',
  'npm run check --workspace dashboard': '.ci/run, as a part of npm run typecheck',
  'npm run docs': 'test/support/ci/docs.unit.test.ts compares what it writes',
  'npm run screenshots': 'writes into the checkout for minutes; test/dashboard opens the same pages',
  'OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 svc serve': 'test/traces/collector.system.test.ts',
  'npm run svc -- open incident.zip --port 2456':
    'src/app/open/openCommand.system.test.ts: it serves until it is stopped',
  'npm run svc -- restore-archive DAY': 'src/archive: needs a day that was closed and archived',
};

/** What needs a person at the provider, or servers of other programs. */
const NEEDS_OTHERS = [/manual-callback/, /^SVC_TEST_(EVENTSTORE|MONGODB)_URL=/, /^docker /, /^systemctl /];

const root = new URL('../../', import.meta.url);
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root })].sort();
const isElsewhere = ({ text }: DocumentedCommand) =>
  text in NOT_RUN_HERE || NEEDS_OTHERS.some((pattern) => pattern.test(text));
const found = pages.map((page) => ({ page, commands: commandsIn(readFileSync(new URL(page, root), 'utf8')) }));

test('names nothing that the documentation does not have', () => {
  const texts = new Set(found.flatMap(({ commands }) => commands.map(({ text }) => text)));
  expect(Object.keys(NOT_RUN_HERE).filter((text) => !texts.has(text))).toEqual([]);
  expect(texts.size).toBeGreaterThan(70);
});

describe.each(found.filter(({ commands }) => commands.some((command) => !isElsewhere(command))))(
  '$page',
  ({ commands }) => {
    test('every command does what it says', { timeout: 300_000 }, async () => {
      const installation = await prepareInstallation();
      onTestFinished(() => installation.close());
      const failed: string[] = [];
      for (const command of commands.filter((one) => !isElsewhere(one))) {
        const { code, output } = await installation.run(command.text);
        if (code !== 0) failed.push(`line ${command.line}: ${command.text}\n  ended with ${code}: ${output}`);
      }
      expect(failed).toEqual([]);
    });
  },
);
