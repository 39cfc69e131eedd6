import { ApiProblem } from '../../lib/api.ts'
import type { ChannelType } from '../../lib/channels.ts'
import { type ChannelFormValues, findChannelFormErrors } from './values.ts'

/** For form errors that the server can't detect, throws the same problem as an error response of the server would. */
export function requireValidForm(type: ChannelType, values: ChannelFormValues): void {
  const errors = findChannelFormErrors(type, values)
  const [message] = Object.values(errors).flat()
  if (message !== undefined) throw new ApiProblem({ status: 422, code: 'validation_failed', message, errors })
}
