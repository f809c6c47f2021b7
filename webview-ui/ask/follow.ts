/** Pixels from the end at which the reader counts as being there. */
const NEAR = 48;

/** Keeps the end of a growing page in sight, as long as the reader stays there. */
export class FollowEnd {
  readonly #scroller: HTMLElement;
  #isOn = false;
  #isAtEnd = true;
  #watched: Element | null = null;
  readonly #resized = new ResizeObserver(() => this.#toEnd());

  constructor(scroller: HTMLElement) {
    this.#scroller = scroller;
    scroller.addEventListener('scroll', () => {
      const { scrollHeight, scrollTop, clientHeight } = scroller;
      this.#isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR;
    });
  }

  /** Whether the reader follows. */
  get isFollowing(): boolean {
    return this.#isOn && this.#isAtEnd;
  }

  /** Watches what grows. */
  watch(content: Element): void {
    if (content === this.#watched) return;
    this.#watched = content;
    this.#resized.observe(content);
  }

  /** Begins to follow, or ends. */
  set(isOn: boolean): void {
    if (isOn && !this.#isOn) this.#isAtEnd = true;
    this.#isOn = isOn;
  }

  #toEnd(): void {
    if (this.isFollowing) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }
}
