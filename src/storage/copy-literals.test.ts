import { describe, expect, it } from 'vitest'
import { connectToPostgres } from '../../tests/support/database.ts'
import { daySql, numberSql } from './copy-literals.ts'

describe('a literal in the text of a copy', () => {
  it('has the value that PostgreSQL reads', async () => {
    const client = await connectToPostgres()
    const { rows } = await client.query(
      `select 1 -${numberSql(-5)} as difference, ${numberSql(Number.MAX_SAFE_INTEGER)}::text as large,
              ${daySql('2026-01-05')}::text as day, ${daySql('0999-12-31')}::text as early_day`,
    )
    await client.end()
    expect(rows).toEqual([
      {
        difference: 6,
        large: '9007199254740991',
        day: '2026-01-05',
        early_day: '0999-12-31',
      },
    ])
  })

  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1', '1) to program', null, undefined, [1]])(
    'is never %j, which is no safe integer',
    (value) => {
      expect(() => numberSql(value as number)).toThrow(TypeError)
    },
  )

  it.each(['', '2026-1-5', "2026-01-05'", '2026-01-05\n', ' 2026-01-05', '٢٠٢٦-٠١-٠٥', 20260105, ['2026-01-05'], null])(
    'is never %j, which is no day',
    (value) => {
      expect(() => daySql(value as string)).toThrow(TypeError)
    },
  )
})
