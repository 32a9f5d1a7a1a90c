export interface Question {
  readonly title: string;
  readonly body: string;
  /** What the button says: the deed itself, e.g. "Delete account". */
  readonly action: string;
  readonly tone?: 'danger' | 'plain';
  /** What has to be typed before the button works. */
  readonly typed?: string;
}

/** Asks before something that cannot be undone. One question at a time. */
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
/** For the dialog that shows it. */
export const currentQuestion = confirmation;
