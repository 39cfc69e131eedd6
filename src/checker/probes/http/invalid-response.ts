/**
 * Thrown for a response that is not valid HTTP or exceeds a limit. Its codes are those of llhttp, the parser of Node, because
 * failures of checks have always contained them.
 */
export class InvalidResponse extends Error {
  readonly code: `HPE_${string}`

  constructor(code: InvalidResponse['code']) {
    super(code)
    this.code = code
  }
}
