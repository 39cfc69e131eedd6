import { ApiProblem } from './api.ts'

/** For form errors that the server can't detect, throws the same problem as an error response of the server would. */
export function throwFieldErrors(errors: Record<string, string[]>): void {
  const [message] = Object.values(errors).flat()
  if (message !== undefined) throw new ApiProblem({ status: 422, code: 'validation_failed', message, errors })
}
