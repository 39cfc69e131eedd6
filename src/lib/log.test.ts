import { describe, expect, it } from 'vitest'
import { createLog } from './log.ts'

function createTestLog(isTTY: boolean): { lines: string[]; log: ReturnType<typeof createLog> } {
  const lines: string[] = []
  const stream = { isTTY, write: (line: string) => lines.push(line) > 0 }
  return { lines, log: createLog('info', stream as never) }
}

describe('the log', () => {
  it('writes JSON when the output is not a terminal', () => {
    const { lines, log } = createTestLog(false)
    log.info({ request: 'abc' }, 'GET /api/keys')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info', request: 'abc', msg: 'GET /api/keys' })
  })

  it('writes a short line to a terminal, with the stack trace of an error', () => {
    const { lines, log } = createTestLog(true)
    log.info({ status: 200 }, 'GET /api/keys')
    log.error({ err: new Error('broken') }, 'failed')
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d GET \/api\/keys status=200\n$/)
    expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d error failed \nError: broken\n +at /)
  })
})
