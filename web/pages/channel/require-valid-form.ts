import { ApiProblem } from '../../lib/api.ts'
import type { ChannelType } from '../../lib/channels.ts'
import { type ChannelFormValues, findChannelFormErrors } from './values.ts'

/** Throws a problem like the server's if the form has errors that the server can't find. */
export function requireValidForm(type: ChannelType, values: ChannelFormValues): void {
  const errors = findChannelFormErrors(type, values)
  const [message] = Object.values(errors).flat()
  if (message !== undefined) throw new ApiProblem({ status: 422, code: 'validation_failed', message, errors })
}
