/** Saves data that other modules collect in memory. Saves about once a second, and one save at a time. */

/** Also the delay before a retry while the database is unavailable. */
const SAVE_DELAY_MS = 1_000

interface Deps {
  save(): Promise<void>
  /** Whether anything is left to save. */
  hasUnsaved(): boolean
}

export class DelayedSave {
  readonly #deps: Deps
  #timer: NodeJS.Timeout | undefined
  #currentSave: Promise<void> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#currentSave = this.#deps.save().then(() => {
        // Clearing the timer only after the save makes saves run one at a time.
        this.#timer = undefined
        if (this.#deps.hasUnsaved()) this.schedule()
      })
    }, SAVE_DELAY_MS).unref()
  }

  /** Saves the data that is left. Doesn't retry. */
  async stop(): Promise<void> {
    await this.#currentSave
    clearTimeout(this.#timer)
    if (this.#deps.hasUnsaved()) await this.#deps.save()
  }
}
