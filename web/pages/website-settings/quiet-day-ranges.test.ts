import { describe, expect, it } from 'vitest'
import { addSuggestedDays, listRangeDays, mergeDays, removeRange, toDayRanges } from './quiet-day-ranges.ts'

describe('quiet days', () => {
  it('are shown as ranges of days that follow each other', () => {
    expect(toDayRanges(['2026-12-24', '2026-12-31', '2027-01-01', '2027-01-02'])).toEqual([
      { from: '2026-12-24', to: '2026-12-24' },
      { from: '2026-12-31', to: '2027-01-02' },
    ])
    expect(toDayRanges([])).toEqual([])
  })

  it('are listed across the end of February and of daylight saving time', () => {
    expect(listRangeDays({ from: '2028-02-28', to: '2028-03-01' }, 9)).toEqual([
      '2028-02-28',
      '2028-02-29',
      '2028-03-01',
    ])
    expect(listRangeDays({ from: '2026-10-24', to: '2026-10-26' }, 9)).toHaveLength(3)
  })

  it('are listed up to a limit, and not at all if the last day is before the first one', () => {
    expect(listRangeDays({ from: '2026-01-01', to: '9999-01-01' }, 367)).toHaveLength(367)
    expect(listRangeDays({ from: '2026-01-02', to: '2026-01-01' }, 367)).toEqual([])
  })

  it('are not listed if a year has five digits, but are listed until the end of the year 9999', () => {
    expect(listRangeDays({ from: '20226-12-24', to: '20226-12-24' }, 9)).toEqual([])
    expect(listRangeDays({ from: '2026-12-24', to: '20226-12-24' }, 9)).toEqual([])
    expect(listRangeDays({ from: '9999-12-30', to: '9999-12-31' }, 9)).toEqual(['9999-12-30', '9999-12-31'])
  })

  it('are added in order without duplicates, and removed by range', () => {
    const days = mergeDays(['2026-05-01', '2026-12-24'], ['2026-06-01', '2026-05-01'])
    expect(days).toEqual(['2026-05-01', '2026-06-01', '2026-12-24'])
    expect(removeRange(days, { from: '2026-05-01', to: '2026-06-01' })).toEqual(['2026-12-24'])
  })

  it('lose none of the existing days if too many are suggested', () => {
    const suggestedDays = ['2026-05-01', '2026-06-01']
    expect(addSuggestedDays(['2025-12-24'], suggestedDays, 3)).toEqual(['2025-12-24', ...suggestedDays])
    expect(addSuggestedDays(['2025-12-24'], suggestedDays, 2)).toEqual(['2025-12-24', '2026-06-01'])
    expect(addSuggestedDays(['2025-12-24'], suggestedDays, 1)).toEqual(['2025-12-24'])
  })
})
