import Cable from '@lucide/svelte/icons/cable';
import FileCheck from '@lucide/svelte/icons/file-check';
import Gauge from '@lucide/svelte/icons/gauge';
import HistoryIcon from '@lucide/svelte/icons/history';
import KeyRound from '@lucide/svelte/icons/key-round';
import Rewind from '@lucide/svelte/icons/rewind';
import ScrollText from '@lucide/svelte/icons/scroll-text';
import Settings from '@lucide/svelte/icons/settings';
import ShieldCheck from '@lucide/svelte/icons/shield-check';
import Users from '@lucide/svelte/icons/users';
import UsersRound from '@lucide/svelte/icons/users-round';

/** The pages in the order of the navigation: daily use first, configuration last. */
export const pages = [
  { path: '/', title: 'Overview', icon: Gauge },
  { path: '/accounts', title: 'Accounts', icon: Users },
  { path: '/api-keys', title: 'API keys', icon: KeyRound },
  { path: '/teams', title: 'Teams', icon: UsersRound },
  { path: '/request-logs', title: 'Request logs', icon: ScrollText },
  { path: '/history', title: 'History', icon: HistoryIcon },
  { path: '/replay', title: 'Replay', icon: Rewind },
  { path: '/integrity', title: 'Integrity', icon: FileCheck },
  { path: '/firewall', title: 'Firewall', icon: ShieldCheck },
  { path: '/connect', title: 'Connect', icon: Cable },
  { path: '/settings', title: 'Settings', icon: Settings },
] as const;

export const isAt = (path: string, current: string): boolean =>
  path === '/' ? current === '/' : current === path || current.startsWith(`${path}/`);
