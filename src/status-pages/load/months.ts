/** Calendar months of a page's history, as YYYY-MM in the page's time zone. */

const monthPattern = /^20\d\d-(?:0[1-9]|1[0-2])$/

export const isMonth = (text: string) => monthPattern.test(text)

/** Returns the month that contains the time `at`, in epoch milliseconds. */
export function monthAt(zone: string, at: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate().toPlainYearMonth().toString()
}

/** Returns when a month starts and ends. */
export function toMonthRange(month: string, zone: string): { from: Date; until: Date } {
  const startOf = (yearMonth: Temporal.PlainYearMonth) =>
    new Date(yearMonth.toPlainDate({ day: 1 }).toZonedDateTime(zone).epochMilliseconds)
  const yearMonth = Temporal.PlainYearMonth.from(month)
  return { from: startOf(yearMonth), until: startOf(yearMonth.add({ months: 1 })) }
}

export const addMonths = (month: string, months: number) =>
  Temporal.PlainYearMonth.from(month).add({ months }).toString()
