/**
 * The exit code if the configuration is wrong: EX_CONFIG of sysexits.h. The systemd unit names it too, because a restart can't
 * fix the configuration. All other failures exit with 1, and wrong arguments with 2.
 */
export const CONFIGURATION_EXIT_CODE = 78

/** A problem the operator has to fix before Belfry can run. It is printed without a stack trace. */
export class StartupError extends Error {
  override readonly name: string = 'StartupError'
  readonly exitCode: number = 1
  /** What to do about it, in one sentence. */
  readonly hint: string

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options)
    this.hint = hint
  }
}

/** A problem that only another configuration solves, so that starting again is useless. */
export class ConfigurationError extends StartupError {
  override readonly name = 'ConfigurationError'
  override readonly exitCode = CONFIGURATION_EXIT_CODE
}
