/** Why an import is refused. */
import { Problem } from '../../lib/problem.ts'

/** `days` are those that have traffic already. */
export function daysHaveTraffic(domain: string, days: readonly string[]): Problem {
  const [first = ''] = days.toSorted()
  const others = days.length === 1 ? '' : ` and ${days.length - 1} more of these days`
  return new Problem(
    'conflict',
    `${domain} has traffic on ${first}${others} already, and would have more than there was. ` +
      'Nothing was changed. Add --add to count it on top all the same.',
  )
}

export function importInProgress(domain: string): Problem {
  return new Problem('conflict', `Somebody else is importing into ${domain} just now. Nothing was changed.`)
}

export function websiteDeleted(): Problem {
  return new Problem('not_found', 'The website was deleted meanwhile. Nothing was imported.')
}
