import Ban from '@lucide/svelte/icons/ban';
import CirclePlay from '@lucide/svelte/icons/circle-play';
import Eraser from '@lucide/svelte/icons/eraser';
import Link from '@lucide/svelte/icons/link';
import Pencil from '@lucide/svelte/icons/pencil';
import ShieldOff from '@lucide/svelte/icons/shield-off';
import Trash from '@lucide/svelte/icons/trash-2';
import { api, type Schemas, unwrap } from '#lib/api/client.ts';
import { session } from '#lib/session/session.svelte.ts';
import { confirm } from '#lib/ui/confirm.svelte.ts';
import type { MenuItem } from '#lib/ui/Menu.svelte';
import { toasts } from '#lib/ui/toasts.svelte.ts';

type Operator = Schemas['Operator'];

/** A link that was made, which is shown once. */
export interface NewLink {
  readonly name: string;
  readonly url: string;
  readonly expiresAt: string | null;
  /** Whether it sets a new password of one who has accepted an earlier one. */
  readonly isReset: boolean;
}

interface OperatorActionsOptions {
  readonly reload: () => Promise<void>;
  /** Shows a link, which is only possible once. */
  readonly show: (link: NewLink) => void;
}

const params = ({ id }: Operator) => ({ params: { path: { id } } });

/** The name; of one who was forgotten the start of the id, by which the history still tells people apart. */
export const nameOf = ({ name, id }: Pick<Operator, 'name' | 'id'>): string =>
  name ?? `Forgotten person ${id.slice(0, 8)}`;

/** Whether a change is one of the own sign-in, which ends it. */
const ownWarning = ({ id }: Operator) => (id === session.personId ? '\nThis is you: you are signed out at once.' : '');

/** Actions on an operator; each shows its result as a notification. */
export function operatorActions({ reload, show }: OperatorActionsOptions) {
  /** Saves what the form has. @throws ApiError */
  async function change(
    operator: Operator,
    body: { name: string; email: string; role: Operator['role'] },
  ): Promise<void> {
    await unwrap(api.PATCH('/api/operators/{id}', { ...params(operator), body }));
    await reload();
    if (operator.id === session.personId) await session.refresh();
    toasts.good(`${body.name} updated`, { detail: 'Effective from the next request.' });
  }

  async function renew(operator: Operator): Promise<void> {
    const isReset = operator.accepted_at !== null;
    if (isReset) {
      const isSure = await confirm({
        title: `Make a link for a new password of ${nameOf(operator)}?`,
        body: 'The person who opens the link sets the password. The current one works until then. Two-factor authentication stays.',
        action: 'Make link',
        tone: 'plain',
      });
      if (!isSure) return;
    }
    try {
      const renewed = await unwrap(api.POST('/api/operators/{id}/invitation', params(operator)));
      await reload();
      const { invitation_url: url = '', invitation_expires_at: expiresAt } = renewed;
      show({ name: nameOf(operator), url, expiresAt, isReset });
    } catch (error) {
      toasts.bad('Couldn’t make a new link', error);
    }
  }

  async function setActive(operator: Operator, is_active: boolean): Promise<void> {
    const isSure =
      is_active ||
      (await confirm({
        title: `Disable ${nameOf(operator)}?`,
        body: `Sessions end and management tokens are refused until you enable the operator again. API keys go on working.${ownWarning(operator)}`,
        action: 'Disable',
      }));
    if (!isSure) return;
    try {
      await unwrap(api.PATCH('/api/operators/{id}', { ...params(operator), body: { is_active } }));
      await reload();
      toasts.good(`${nameOf(operator)} ${is_active ? 'enabled' : 'disabled'}`, {
        action: { label: 'Undo', run: () => void setActive(operator, !is_active) },
      });
    } catch (error) {
      toasts.bad(`Couldn’t ${is_active ? 'enable' : 'disable'} ${nameOf(operator)}`, error);
    }
  }

  async function disableTotp(operator: Operator): Promise<void> {
    const isSure = await confirm({
      title: `Turn off two-factor authentication of ${nameOf(operator)}?`,
      body: 'For someone who has lost the authenticator app and the recovery codes. Afterwards the password alone is enough, until it is set up again.',
      action: 'Turn off',
    });
    if (!isSure) return;
    try {
      await unwrap(api.DELETE('/api/operators/{id}/totp', params(operator)));
      await reload();
      toasts.good(`Two-factor authentication of ${nameOf(operator)} turned off`);
    } catch (error) {
      toasts.bad('Couldn’t turn off two-factor authentication', error);
    }
  }

  async function remove(operator: Operator): Promise<boolean> {
    const isSure = await confirm({
      title: `Remove ${nameOf(operator)}?`,
      body: `The operator can no longer sign in; all sessions and management tokens end. This cannot be undone. Name and history stay, and API keys go on working.${ownWarning(operator)}`,
      action: 'Remove operator',
    });
    if (!isSure) return false;
    try {
      await unwrap(api.DELETE('/api/operators/{id}', params(operator)));
      await reload();
      toasts.good(`${nameOf(operator)} removed`);
      return true;
    } catch (error) {
      toasts.bad(`Couldn’t remove ${nameOf(operator)}`, error);
      return false;
    }
  }

  async function forget(operator: Operator): Promise<boolean> {
    const isSure = await confirm({
      title: `Forget ${nameOf(operator)}?`,
      body: `The name, the e-mail address and all network addresses of this person are destroyed everywhere, also in backups of the log, and cannot be brought back. Access ends.\n\nWhat stays: every event, with the time and what was done, by “a forgotten person”; the log still verifies. API keys go on working and keep the id of the person as owner.${ownWarning(operator)}`,
      action: 'Forget person',
      typed: operator.name ?? 'forget',
    });
    if (!isSure) return false;
    try {
      await unwrap(api.POST('/api/operators/{id}/forget', params(operator)));
      await reload();
      toasts.good('Person forgotten', { detail: 'The events stay without a name.' });
      return true;
    } catch (error) {
      toasts.bad(`Couldn’t forget ${nameOf(operator)}`, error);
      return false;
    }
  }

  return { change, renew, setActive, disableTotp, remove, forget };
}

export type OperatorActions = ReturnType<typeof operatorActions>;

/** The actions that suit the state of an operator, in groups. */
export function operatorMenu(operator: Operator, actions: OperatorActions, onedit: () => void): MenuItem[][] {
  const { status, name } = operator;
  const forget: MenuItem = {
    ...{ label: 'Forget …', write: 'POST /api/operators/{id}/forget', icon: Eraser, tone: 'danger' },
    run: () => void actions.forget(operator),
  };
  if (status === 'removed') return [name === null ? [] : [forget]];
  const isDisabled = status === 'disabled';
  return [
    [
      { label: 'Edit …', write: 'PATCH /api/operators/{id}', icon: Pencil, run: onedit },
      {
        label: operator.accepted_at === null ? 'New invitation link' : 'Link for a new password …',
        write: 'POST /api/operators/{id}/invitation',
        icon: Link,
        run: () => void actions.renew(operator),
      },
    ],
    [
      {
        label: isDisabled ? 'Enable' : 'Disable …',
        write: 'PATCH /api/operators/{id}',
        icon: isDisabled ? CirclePlay : Ban,
        run: () => void actions.setActive(operator, isDisabled),
      },
      ...(operator.is_totp_configured
        ? [
            {
              label: 'Turn off 2FA …',
              write: 'DELETE /api/operators/{id}/totp' as const,
              icon: ShieldOff,
              run: () => void actions.disableTotp(operator),
            },
          ]
        : []),
    ],
    [
      {
        label: 'Remove …',
        write: 'DELETE /api/operators/{id}',
        icon: Trash,
        tone: 'danger',
        run: () => void actions.remove(operator),
      },
      forget,
    ],
  ];
}
