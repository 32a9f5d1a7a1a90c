export interface Question {
  readonly title: string;
  readonly body: string;
  /** Label of the button: the action itself, e.g. "Delete account". */
  readonly action: string;
  readonly tone?: 'danger' | 'plain';
  /** Text that must be typed to enable the button. */
  readonly typed?: string;
}

/** Confirmation of actions that cannot be undone. One question at a time. */
class Confirmation {
  question = $state.raw<Question | undefined>(undefined);
  #answer: ((yes: boolean) => void) | undefined;

  ask(question: Question): Promise<boolean> {
    this.answer(false);
    this.question = question;
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  answer(yes: boolean): void {
    this.question = undefined;
    this.#answer?.(yes);
    this.#answer = undefined;
  }
}

const confirmation = new Confirmation();
export const confirm = (question: Question): Promise<boolean> => confirmation.ask(question);
/** For ConfirmDialog. */
export const currentQuestion = confirmation;
