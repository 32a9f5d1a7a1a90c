import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type FakeControl, remoteControl } from './fakeControl.ts';

/** A fake server in a process of its own, which can be frozen. */
export interface SpawnedFakeEventStore extends AsyncDisposable {
  /** For clients without TLS. */
  readonly url: string;
  readonly pid: number;
  readonly control: FakeControl;
  /** Sends a signal to the process: SIGSTOP freezes the server and its control, SIGCONT ends that. */
  signal(name: NodeJS.Signals): void;
  /** Ends the process; its data are gone then. */
  [Symbol.asyncDispose](): Promise<void>;
}

export async function spawnFakeEventStore(): Promise<SpawnedFakeEventStore> {
  const script = join(import.meta.dirname, 'main.ts');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const [url, control] = [(await lines.next()).value, (await lines.next()).value];
  if (control === undefined) throw new Error('the fake EventStoreDB did not start');
  return {
    url: String(url),
    pid: child.pid as number,
    control: remoteControl(control),
    signal: (name) => void child.kill(name),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
