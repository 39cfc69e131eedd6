import type { ApiProblem } from '../lib/api.ts'

/** The error notice of a form. Skips the fields in `shown`, which display their own errors. */
export function ProblemNotice({ problem, shown = [] }: { problem: ApiProblem | undefined; shown?: readonly string[] }) {
  if (problem === undefined) return null
  const fields = Object.keys(problem.errors)
  const hidden = fields.filter((field) => !shown.includes(field))
  if (fields.length > 0 && hidden.length === 0) return null
  const sentences = hidden.flatMap((field) => problem.errors[field] ?? [])
  return (
    <div class="notice notice-bad" role="alert">
      {sentences.length > 0 ? sentences.join(' ') : problem.message}
    </div>
  )
}
