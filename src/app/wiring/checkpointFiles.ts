/** In the data folder: the signed notes, how far they reached, and the verifier key in text. */
export const CHECKPOINT_FILES = {
  notes: 'checkpoints.sqlite',
  mark: 'checkpoints.mark',
  publicKey: 'checkpoint.pub',
} as const;
