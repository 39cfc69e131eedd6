import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { explainBackupError, explainRejectedRows } from './failures.ts'

function createError(code: string, message: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code })
}

/** Returns what the operator reads if PostgreSQL reports this error while it stores the rows of a table. */
const explain = (error: unknown) => explainBackupError(explainRejectedRows(error, 'events'))

describe('an error while a backup is loaded', () => {
  it('names the table whose rows PostgreSQL rejects', () => {
    expect(explain(createError('22P02', 'invalid input syntax for type bigint: "x"'))).toMatchObject({
      message: 'PostgreSQL rejected the rows of events: invalid input syntax for type bigint: "x".',
      hint: 'Restore the backup with the version of Belfry that created it. Nothing was changed.',
    })
  })

  it('advises to free space if the disk is full', () => {
    expect(explain(createError('53100', 'could not extend file: No space left on device'))).toMatchObject({
      message: 'The disk of the database server is full.',
      hint: expect.stringContaining('Free some space.'),
    })
  })

  it('names the missing privilege', () => {
    expect(explain(createError('42501', 'permission denied for table events'))).toMatchObject({
      message: 'The database login lacks a privilege: permission denied for table events.',
    })
  })

  it.each([
    ['stops', '57P01', 'terminating connection due to administrator command'],
    ['cannot read its disk', '58030', 'could not read block 0: Input/output error'],
  ])('is not blamed on the rows if PostgreSQL %s', (_, code, message) => {
    const error = createError(code, message)
    expect(explain(error)).toBe(error)
  })
})
