/** What the operator has to mend before Belfry can run. Printed as it is, without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
  /** What to do about it, one sentence. */
  readonly hint: string

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options)
    this.hint = hint
  }
}
