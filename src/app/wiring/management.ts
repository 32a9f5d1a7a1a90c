import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAddress } from '../../http/client/clientAddress.ts';
import { destroyKeysOfDeletedAccounts } from '../../management/accounts/destroyKeysOfDeletedAccounts.ts';
import { createManagement } from '../../management/app.ts';
import { createSetupToken } from '../../management/auth/setupToken.ts';
import { SignInRecorder } from '../../management/auth/signInRecorder.ts';
import { destroyKeysOfAllDisabledTotp } from '../../management/auth/totpKeys.ts';
import { createCommands } from '../../management/http/commands.ts';
import { createViews, type UnrecordedState } from '../../management/http/views.ts';
import { createAccountLinks } from '../../management/oauth/accountLinks.ts';
import { LiveFeed } from '../../management/resources/live/liveFeed.ts';
import type { NodeStatus } from '../../management/resources/status.ts';
import { createAuthorization } from '../../provider/signIn/authorization.ts';
import { createDeviceCodes } from '../../provider/signIn/deviceCodes.ts';
import { proxySurface } from '../../proxy/endpoints.ts';
import type { ReadModelPorts } from '../../readModels/readModels.ts';
import { createPast } from '../../state/past/past.ts';
import type { Foundation } from './foundation.ts';
import type { PendingState } from './pendingState.ts';
import type { ProviderSide } from './provider.ts';

export interface ManagingOptions {
  readonly overlay: PendingState;
  readonly provider: ProviderSide;
  readonly readModels: ReadModelPorts;
  readonly clientAddress: ClientAddress;
  readonly isHttps: (request: IncomingMessage) => boolean;
}

/** What people and scripts change and look at. */
export interface Managing {
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  /** Says what was kept back until the service listens, and goes on with sign-ins at the provider. */
  start(): Promise<void>;
  /** Ends the streams that tell pages what changes. */
  endLive(): void;
  stop(): Promise<void>;
}

/** Finishes what an earlier start left of data keys to be destroyed. */
export async function createManaging(
  foundation: Foundation,
  { overlay, provider, readModels, clientAddress, isHttps }: ManagingOptions,
): Promise<Managing> {
  const { config, folder, store, hot, handle, prices, now, newId, say, report } = foundation;
  const { log, vault } = store;
  const { ledger, cooldowns, records, reservedElsewhere } = overlay;
  await store.waitOptions(() => destroyKeysOfDeletedAccounts({ hot, vault }));
  await store.waitOptions(() => destroyKeysOfAllDisabledTotp({ log, vault }));

  // What is said before the service listens is said in vain when it cannot.
  const announcements: string[] = [];
  let announce = (line: string): void => void announcements.push(line);
  const setupToken = createSetupToken({
    hot,
    configured: config.SVC_SETUP_TOKEN,
    newToken: () => randomBytes(24).toString('base64url'),
    announce: (token) =>
      announce(`No dashboard password is set. To set it from another machine, use setup_token ${token}`),
  });
  const signIns = new SignInRecorder({ record: records.recordSession, hot, now, report });
  const live = new LiveFeed({ hot });
  const commands = createCommands({ log, handle });
  const authBaseUrl = config.SVC_AUTH_BASE_URL;
  const links = createAccountLinks({
    hot,
    commands,
    vault,
    now,
    newId,
    report,
    onAccountImported: provider.greet,
    node: folder.node,
    authorization: createAuthorization({ authBaseUrl, vault }),
    deviceCodes: createDeviceCodes({ authBaseUrl, now }),
    callback: { host: callbackHost(config.SVC_HOST), port: config.SVC_OAUTH_CALLBACK_PORT },
  });
  const unrecorded: UnrecordedState = {
    cooling: () => cooldowns.current,
    reservedOn: (keyId, ruleId, at) => ledger.reservedOn(keyId, ruleId, at) + reservedElsewhere(keyId, ruleId, at),
  };
  const management = createManagement({
    views: createViews({ hot, past: createPast({ log, hot }), now, unrecorded }),
    commands,
    queries: readModels,
    vault,
    ids: { newId, newKeyBytes: () => randomBytes(24) },
    now,
    dashboardAuth: { signIns, setupToken },
    links,
    live,
    connection: { clientAddress, isHttps },
    nodeStatus: () => nodeStatusOf(foundation),
    pricedModels: prices.models.map(({ model }) => model.replace(/\*$/, '')),
    usageRefreshSeconds: config.SVC_USAGE_REFRESH_SECONDS,
    onAccountImported: provider.greet,
    otherSurfaces: [proxySurface],
    report,
  });

  return {
    serve: management.callback(),
    async start() {
      announce = say;
      announcements.forEach(say);
      await links.start();
    },
    endLive: () => live.stop(),
    async stop() {
      await links.stop();
      await signIns.stop();
    },
  };
}

const nodeStatusOf = ({ config, folder, store, soleWorks }: Foundation): NodeStatus => ({
  node: folder.node,
  events: store.name,
  cutOffSince: store.cutOffSince,
  outbox: store.outbox,
  readModels: config.SVC_MONGODB_URL === undefined ? 'embedded' : 'mongodb',
  leaderTasks: [...soleWorks].map(([name, { holder, isHere }]) => ({ name, holder, isHere })),
});

/** Browsers come back to this machine, or through the port that a container publishes, which reaches no loopback. */
const callbackHost = (host: string) => (host === '0.0.0.0' || host === '::' ? host : '127.0.0.1');
