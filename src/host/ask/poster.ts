/** Pause in which changes are gathered: a view drawn 25 times a second looks alive. */
const PAUSE_MS = 40;

/** What a poster sends. */
export interface Post {
  /** The whole state, the text of the reply that is being written with it. */
  state(): void;
  /** More text of that reply. */
  token(run: number, turn: number, text: string): void;
}

/** Gathers changes of a panel's state and the tokens of a reply, so that a fast model does not flood the view. */
export class Poster {
  readonly #post: Post;
  #timer: NodeJS.Timeout | undefined;
  #stateChanged = false;
  #tokens: { run: number; turn: number; text: string } | null = null;

  constructor(post: Post) {
    this.#post = post;
  }

  /** The state changed. */
  changed(): void {
    this.#stateChanged = true;
    this.#soon();
  }

  /** A token came. */
  token(run: number, turn: number, text: string): void {
    const same = this.#tokens?.run === run && this.#tokens.turn === turn;
    if (same && this.#tokens) this.#tokens.text += text;
    else {
      // Another reply begins: the state says so.
      if (this.#tokens) this.#stateChanged = true;
      this.#tokens = { run, turn, text };
    }
    this.#soon();
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.flush(), PAUSE_MS);
  }

  /** Sends what was gathered. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const tokens = this.#tokens;
    this.#tokens = null;
    if (this.#stateChanged) {
      this.#stateChanged = false;
      this.#post.state();
    } else if (tokens) this.#post.token(tokens.run, tokens.turn, tokens.text);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
