import { describe, expect, it } from 'vitest'
import { createLog } from '../lib/log.ts'
import { Problem, STOPPING_DETAIL, unavailable } from '../lib/problem.ts'
import { findLogRule, logAvailable, logProblem } from './problem-log.ts'

function createRecorder() {
  const lines: string[] = []
  const log = createLog('info', {
    write: (line: string) => {
      const { level, msg, reason } = JSON.parse(line)
      lines.push([level, msg, reason].filter((part) => part !== undefined).join(' | '))
    },
  })
  return { log, lines }
}

const createProblem = () => unavailable('The database is unavailable.', new Error('connect ECONNREFUSED'))

describe('the log of problems', () => {
  it.each([
    [new Problem('not_found', 'Not found.'), 'never'],
    [new Problem('provider_delivery_failed', 'Slack responded with 500.'), 'never'],
    [new Problem('internal', 'Something went wrong.'), 'error'],
    [unavailable(STOPPING_DETAIL), 'debug'],
    [unavailable('The database is busy.'), 'once'],
  ] as const)('has lines about %s by the rule “%s”', (problem, rule) => {
    expect(findLogRule(problem)).toBe(rule)
  })

  it('has one line when requests are refused, and one when they are served again', () => {
    const { log, lines } = createRecorder()
    for (let n = 0; n < 100; n++) logProblem(createProblem(), log, `request ${n}`, n)
    logProblem(unavailable('The database is busy.'), log, 'other', 100)
    for (let n = 0; n < 3; n++) logAvailable(log)
    logProblem(createProblem(), log, 'later', 200)
    expect(lines).toEqual([
      'warn | The database is unavailable. | connect ECONNREFUSED',
      'warn | The database is busy.',
      'info | requests are served again',
      'warn | The database is unavailable. | connect ECONNREFUSED',
    ])
  })

  it('has one line for refused requests, even if each gets a different time to wait', () => {
    const { log, lines } = createRecorder()
    for (let seconds = 50; seconds > 0; seconds--)
      logProblem(unavailable(`The page is busy. Try again in ${seconds} s.`), log, 'request', 0)
    expect(lines).toEqual(['warn | The page is busy. Try again in 50 s.'])
  })

  it('repeats the line every minute until the server is known to be available again', () => {
    const { log, lines } = createRecorder()
    for (let seconds = 0; seconds < 150; seconds++) logProblem(createProblem(), log, 'request', seconds * 1_000)
    expect(lines).toHaveLength(3)
  })
})
