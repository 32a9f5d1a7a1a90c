import { StringDecoder } from 'node:string_decoder';
import type { Level, Print } from '../lib/log/line.ts';
import { createLog, type LogFormat } from '../lib/log/log.ts';
import { openDescriptor } from './outputDescriptor.ts';
import { isOperatorError, reportText } from './wiring/reportText.ts';

export interface ServiceOutput {
  readonly print: Print;
  /** Writes why the process ends, one line for each line of the message, to the standard error output. */
  readonly printFatal: (error: unknown) => void;
}

/**
 * Opens the log of this process, and makes everything that it writes otherwise lines of that log: Node's warnings, uncaught
 * exceptions, and what libraries and worker threads print. Only what the JavaScript engine prints before it aborts is left as
 * it is. Called once.
 */
export function openServiceOutput(format: LogFormat): ServiceOutput {
  const onLost = (lines: number): void =>
    print(`${lines} lines were lost: the output was not read, or its disk was full.`, {
      level: 'warn',
      code: 'lines_lost',
    });
  const [out, err] = [openDescriptor(1, onLost), openDescriptor(2, onLost)];
  const { print, flush } = createLog({ format, write: (text, isFatal) => (isFatal ? err : out).write(text) });
  const printFatal = (error: unknown): void => {
    // The messages of invalid settings have a line for each.
    const messages = isOperatorError(error) ? (error as Error).message.split('\n') : [reportText(error)];
    for (const message of messages) print(message, { level: 'fatal' });
  };
  const captured = [captureLines(process.stdout, 'info', print), captureLines(process.stderr, 'warn', print)];
  process.removeAllListeners('warning').on('warning', (warning: Error & { code?: string }) => {
    const { name, message, code } = warning;
    print(`${name}: ${message}`, { level: 'warn', code: 'node_warning', subject: code ?? name });
  });
  process.on('uncaughtException', (error) => {
    printFatal(error);
    process.exit(1);
  });
  process.on('exit', () => {
    for (const end of captured) end();
    flush();
    for (const descriptor of [out, err]) descriptor.finish();
  });
  return { print, printFatal };
}

/** @returns a function that prints the last line although it is incomplete */
function captureLines(stream: NodeJS.WriteStream, level: Level, print: Print): () => void {
  const decoder = new StringDecoder();
  let rest = '';
  const take = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') print(line, { level });
  };
  stream.write = (chunk: Uint8Array | string, ...options: unknown[]) => {
    take(typeof chunk === 'string' ? chunk : decoder.write(chunk));
    const callback = options.at(-1);
    if (typeof callback === 'function') callback();
    return true;
  };
  return () => {
    if (rest !== '') take('\n');
  };
}
