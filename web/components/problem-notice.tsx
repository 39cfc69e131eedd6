import type { ApiProblem } from '../lib/api.ts'
import { Notice } from './notice.tsx'

/**
 * The error notice of a form. Skips the errors of `fieldsWithOwnErrors` and of their subfields, because these fields
 * show their own errors.
 */
export function ProblemNotice({
  problem,
  fieldsWithOwnErrors = [],
}: {
  problem: ApiProblem | undefined
  fieldsWithOwnErrors?: readonly string[]
}) {
  if (problem === undefined) return null
  const fields = Object.keys(problem.errors)
  const isShownElsewhere = (field: string) =>
    fieldsWithOwnErrors.some((shown) => field === shown || field.startsWith(`${shown}.`))
  const otherFields = fields.filter((field) => !isShownElsewhere(field))
  if (fields.length > 0 && otherFields.length === 0) return null
  const messages = otherFields.flatMap((field) => problem.errors[field] ?? [])
  return (
    <Notice tone="bad" role="alert">
      {messages.length > 0 ? messages.join(' ') : problem.message}
    </Notice>
  )
}
