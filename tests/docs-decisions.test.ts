/** Checks that all decision records have the same form. */
import { describe, expect, it } from 'vitest'
import { readSources } from './support/imports.ts'

const records = [...readSources('docs/decisions', (path) => path.endsWith('.md'))].sort()

describe('docs/decisions', () => {
  it('are numbered without gaps', () => {
    expect(records.map(([path]) => Number(path.match(/\/(\d{4})-/)?.[1]))).toEqual(records.map((_, index) => index + 1))
  })

  it.each(records)('%s has a number, a status with a date, a decision and its reasons', (path, text) => {
    const number = Number(path.match(/\/(\d{4})-/)?.[1])
    expect(text).toMatch(new RegExp(`^# ${number}\\. \\S[^\\n]*\\n\\nStatus: accepted on \\d{4}-\\d{2}-\\d{2}[.,]`))
    expect([...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual(['Decision', 'Reasons'])
  })
})
