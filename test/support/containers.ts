import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** How a server of `docker-compose.yml` is run for tests. */
export interface ContainerOptions {
  readonly port: number;
  /** Added to what the compose file sets. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  /** A line that it writes when it can be used. */
  readonly saysWhenReady?: RegExp;
  /** Answers 2xx or 3xx there when it can be used. */
  readonly healthPath?: string;
}

export interface RunningContainer {
  /** Where its port is reached from here. */
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
}

interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string | number>>;
}

const START_MS = 120_000;

/**
 * Starts the image that `docker-compose.yml` pins for a service, so that tests run against what is deployed. It ends with
 * this process, however that ends. Undefined where no container engine answers, or the file has no such service.
 */
export async function startContainer(
  service: string,
  options: ContainerOptions,
): Promise<RunningContainer | undefined> {
  const composed = composeService(service);
  if (!composed) return undefined;
  // A second of loading that only those pay who have no server of their own.
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  if (!(await getContainerRuntimeClient().catch(() => undefined))) return undefined;
  const { port, environment, command, saysWhenReady, healthPath } = options;
  const settings = Object.entries({ ...composed.environment, ...environment });
  const container = new GenericContainer(composed.image)
    .withExposedPorts(port)
    .withEnvironment(Object.fromEntries(settings.map(([name, value]) => [name, String(value)])))
    .withStartupTimeout(START_MS);
  if (command) container.withCommand([...command]);
  if (saysWhenReady) container.withWaitStrategy(Wait.forLogMessage(saysWhenReady));
  if (healthPath)
    container.withWaitStrategy(Wait.forHttp(healthPath, port).forStatusCodeMatching((code) => code < 400));
  const started = await container.start();
  return {
    host: started.getHost(),
    port: started.getMappedPort(port),
    stop: async () => void (await started.stop()),
  };
}

/** What the compose file says of a service; its settings are lists or maps, ours are maps. */
export function composeService(name: string): ComposeService | undefined {
  const file = new URL('../../docker-compose.yml', import.meta.url);
  const { services } = parse(readFileSync(file, 'utf8')) as { services: Record<string, ComposeService> };
  return services[name];
}
