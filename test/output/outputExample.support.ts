// Opens the output of the service and does what the first argument says; run by serviceOutput.system.test.ts.
import { Worker } from 'node:worker_threads';
import { openServiceOutput } from '../../src/app/serviceOutput.ts';

const [, , what, format] = process.argv;
const { print, printFatal } = openServiceOutput(format === 'json' ? 'json' : 'text');

const worker = (code: string) => new Worker(code, { eval: true });

const actions: Readonly<Record<string, () => unknown>> = {
  throw: () => {
    print('last words');
    setImmediate(() => {
      throw new TypeError('broken\n2026-01-01T00:00:00.000Z info  forged');
    });
  },
  reject: () => void Promise.reject(new Error('no one waits')),
  warn: () => process.emitWarning('beware', 'DeprecationWarning', 'DEP0001'),
  console: () => {
    const { log, error } = console;
    error('from a library \u001b[2J');
    log('and %s', 'more');
    process.stdout.write('without an end');
  },
  worker: () => worker(`process.emitWarning('beware'); console.error('two\\nlines')`),
  exit: () => {
    for (let count = 0; count < 10; count += 1) print(`refused ${count}`, { level: 'warn', code: 'refused' });
    process.exit(3);
  },
  fatal: () => {
    print('info');
    printFatal(new Error('SVC_PORT: no\nSVC_HOST: no'));
    process.exit(1);
  },
  closed: () => {
    let count = 0;
    const timer = setInterval(() => {
      print(`line ${count}`);
      count += 1;
      if (count < 100) return;
      clearInterval(timer);
      process.exit(4);
    }, 5);
  },
  flood: () => {
    for (let count = 0; count < 8_000; count += 1) print(`line ${count} ${'x'.repeat(100)}`);
  },
  unread: () => {
    for (let count = 0; count < 20_000; count += 1) print(`line ${count} ${'x'.repeat(100)}`);
    printFatal(new Error('still running'));
    process.stdin.resume();
  },
};
actions[what ?? '']?.();
