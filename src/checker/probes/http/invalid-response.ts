/**
 * Thrown for a response that is not valid HTTP or exceeds a limit. Its codes are those of Node's parser llhttp. Users see them in the
 * failures of checks, so don't change them.
 */
export class InvalidResponse extends Error {
  readonly code: `HPE_${string}`

  constructor(code: InvalidResponse['code']) {
    super(code)
    this.code = code
  }
}
