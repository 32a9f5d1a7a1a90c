import BellRing from '@lucide/svelte/icons/bell-ring';
import Cable from '@lucide/svelte/icons/cable';
import ChartColumnStacked from '@lucide/svelte/icons/chart-column-stacked';
import CircleUser from '@lucide/svelte/icons/circle-user';
import FileCheck from '@lucide/svelte/icons/file-check';
import Gauge from '@lucide/svelte/icons/gauge';
import HistoryIcon from '@lucide/svelte/icons/history';
import IdCard from '@lucide/svelte/icons/id-card';
import KeyRound from '@lucide/svelte/icons/key-round';
import Rewind from '@lucide/svelte/icons/rewind';
import ScrollText from '@lucide/svelte/icons/scroll-text';
import Settings from '@lucide/svelte/icons/settings';
import ShieldCheck from '@lucide/svelte/icons/shield-check';
import Users from '@lucide/svelte/icons/users';
import UsersRound from '@lucide/svelte/icons/users-round';
import type { Component } from 'svelte';
import { may, type Operation } from '../session/may.ts';

export interface Page {
  readonly path: string;
  readonly title: string;
  // biome-ignore lint/suspicious/noExplicitAny: icons have props of their own
  readonly icon: Component<any>;
  /** What the page reads: who may not use it does not see the page. */
  readonly needs: Operation;
}

/** The pages in the order of the navigation: daily use first, configuration last. */
const listed: readonly Page[] = [
  { path: '/', title: 'Overview', icon: Gauge, needs: 'GET /api/dashboard/overview' },
  { path: '/accounts', title: 'Accounts', icon: Users, needs: 'GET /api/accounts' },
  { path: '/api-keys', title: 'API keys', icon: KeyRound, needs: 'GET /api/api-keys' },
  { path: '/teams', title: 'Teams', icon: UsersRound, needs: 'GET /api/teams' },
  { path: '/usage', title: 'Usage', icon: ChartColumnStacked, needs: 'GET /api/usage/breakdown' },
  { path: '/request-logs', title: 'Request logs', icon: ScrollText, needs: 'GET /api/request-logs' },
  { path: '/history', title: 'History', icon: HistoryIcon, needs: 'GET /api/history' },
  { path: '/alerts', title: 'Alerts', icon: BellRing, needs: 'GET /api/alerts' },
  { path: '/replay', title: 'Replay', icon: Rewind, needs: 'GET /api/replays' },
  { path: '/integrity', title: 'Integrity', icon: FileCheck, needs: 'GET /api/integrity' },
  { path: '/firewall', title: 'Firewall', icon: ShieldCheck, needs: 'GET /api/firewall/ips' },
  { path: '/operators', title: 'Operators', icon: IdCard, needs: 'GET /api/operators' },
  { path: '/connect', title: 'Connect', icon: Cable, needs: 'GET /api/models' },
  { path: '/settings', title: 'Settings', icon: Settings, needs: 'GET /api/settings' },
];

/** The page of who is signed in, which the foot of the navigation links. */
export const profilePage: Page = {
  path: '/profile',
  title: 'Your account',
  icon: CircleUser,
  needs: 'GET /api/profile',
};

/** The pages that who is signed in may open. Reactive. */
export const shownPages = (): readonly Page[] => listed.filter(({ needs }) => may(needs));

/** The first page of who is signed in. */
export const homePath = (): string => shownPages()[0]?.path ?? profilePage.path;

/** The page of a path; undefined for one that needs no right of its own. */
export const pageAt = (path: string): Page | undefined =>
  [...listed, profilePage].find((page) => isAt(page.path, path));

export const isAt = (path: string, current: string): boolean =>
  path === '/' ? current === '/' : current === path || current.startsWith(`${path}/`);
