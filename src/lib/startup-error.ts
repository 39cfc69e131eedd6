/** A problem the operator has to fix before Belfry can run. It is printed without a stack trace. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
  /** What to do about it, in one sentence. */
  readonly hint: string

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options)
    this.hint = hint
  }
}
