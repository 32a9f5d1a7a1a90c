import { CheckpointKeyLossAccepted, LossAccepted } from '../../domain/losses/events.ts';

interface StoredLoss {
  readonly type: string;
  readonly data: unknown;
}

/** Whether the log goes on under a new origin after an event: its events or its key were lost. */
export const isLossOfCheckpoints = (event: StoredLoss): boolean =>
  isLossOfKey(event) || (event.type === LossAccepted.type && (event.data as { readonly of?: unknown }).of === 'log');

export const isLossOfKey = ({ type }: StoredLoss): boolean => type === CheckpointKeyLossAccepted.type;
