import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { endsConnection, isDatabaseUnavailable, translateDatabaseError } from './connection-loss.ts'

function createError(code: string, message = 'failed'): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code })
}

const describeError = (error: pg.DatabaseError) => ({
  detail: isDatabaseUnavailable(translateDatabaseError(error))
    ? (translateDatabaseError(error) as Error).message
    : undefined,
  endsConnection: endsConnection(error),
})

describe('an error of PostgreSQL', () => {
  it.each([
    ['25006', 'The database is read-only.', true],
    ['57P01', 'The database is unavailable.', true],
    ['57P03', 'The database is unavailable.', true],
    ['57P05', 'The database is unavailable.', true],
    ['08006', 'The database is unavailable.', true],
    ['25P03', 'The database is unavailable.', true],
    ['25P04', 'The database is unavailable.', true],
    ['53300', 'The database is unavailable.', false],
    ['57014', 'The database is unavailable.', false],
    ['55P03', 'The database is busy.', false],
    ['40P01', 'The database is busy.', false],
    ['40001', 'The database is busy.', false],
    ['26000', 'The database is unavailable.', true],
    ['42P05', 'The database is unavailable.', true],
    ['23505', undefined, false],
    ['42P01', undefined, false],
    ['25P02', undefined, false],
    ['55000', undefined, false],
  ])('with the code %s is described as "%s" and ends the connection: %s', (code, detail, isEnding) => {
    expect(describeError(createError(code))).toEqual({ detail, endsConnection: isEnding })
  })

  it.each([
    ['55000', 'recovery is in progress'],
    ['0A000', 'cannot use serializable mode in a hot standby'],
    ['XX000', 'cannot assign TransactionIds during recovery'],
  ])('with the code %s and the message "%s" comes from a standby', (code, message) => {
    expect(describeError(createError(code, message))).toEqual({
      detail: 'The database is read-only.',
      endsConnection: true,
    })
  })
})
