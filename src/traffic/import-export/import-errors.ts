/** Errors that imports of every format share. */
import { Problem } from '../../lib/problem.ts'

/** `days` are the days of the import on which the website already has traffic. */
export function daysHaveTrafficProblem(domain: string, days: readonly string[]): Problem {
  const [first = ''] = days.toSorted()
  const otherDays = days.length === 1 ? '' : ` and ${days.length - 1} more of these days`
  return new Problem(
    'conflict',
    `${domain} already has traffic on ${first}${otherDays}, which would be counted twice. Nothing was imported. ` +
      'To add to it anyway, use --add.',
  )
}

export function importInProgressProblem(domain: string): Problem {
  return new Problem('conflict', `Another import into ${domain} is running. Nothing was imported.`)
}

export function websiteDeletedProblem(): Problem {
  return new Problem('not_found', 'The website was deleted during the import. Nothing was imported.')
}
