import { describe, expect, it } from 'vitest'
import { connectToPostgres } from '../../tests/support/database.ts'
import { daySql, daysSql, numberSql, numbersSql } from './copy-literals.ts'

describe('a literal in the text of a copy', () => {
  it('has the value that PostgreSQL reads', async () => {
    const client = await connectToPostgres()
    const { rows } = await client.query(
      `select 1 -${numberSql(-5)} as difference, ${numberSql(Number.MAX_SAFE_INTEGER)}::text as large,
              ${numbersSql([3, -4])}::text as numbers, ${numbersSql([])}::text as no_numbers,
              ${daySql('2026-01-05')}::text as day, ${daysSql(['2026-01-05', '0999-12-31'])}::text as days,
              ${daysSql([])}::text as no_days`,
    )
    await client.end()
    expect(rows).toEqual([
      {
        difference: 6,
        large: '9007199254740991',
        numbers: '{3,-4}',
        no_numbers: '{}',
        day: '2026-01-05',
        days: '{2026-01-05,0999-12-31}',
        no_days: '{}',
      },
    ])
  })

  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1', '1) to program', null, undefined, [1]])(
    'is never %j, which is no safe integer',
    (value) => {
      expect(() => numberSql(value as number)).toThrow(TypeError)
      expect(() => numbersSql([1, value as number])).toThrow(TypeError)
    },
  )

  it.each(['', '2026-1-5', "2026-01-05'", '2026-01-05\n', ' 2026-01-05', '٢٠٢٦-٠١-٠٥', 20260105, ['2026-01-05'], null])(
    'is never %j, which is no day',
    (value) => {
      expect(() => daySql(value as string)).toThrow(TypeError)
      expect(() => daysSql(['2026-01-05', value as string])).toThrow(TypeError)
    },
  )
})
