/** How a monitor answered within a window: what has been added up, and single checks for the rest. */

import type { Summary } from '../incidents/store.ts'
import type { Window, WindowName } from '../incidents/window.ts'
import { after } from '../lib/clock.ts'
import { notFound } from '../lib/problem.ts'
import type { Tenant } from '../storage/tenant.ts'
import { DAY_MS, floorTo, HOUR_MS, latest } from './hours.ts'
import type { Part } from './series.ts'
import { type Check, readRolledUp, readSingle, type Span } from './store.ts'

export interface Answers {
  stepMs: number
  /** Every check of the window is in just one of them. */
  parts: Part[]
  recent: Check[]
  summary: Summary
}

/**
 * At one moment, so that nothing is missed or counted twice while it is being added up.
 *
 * A day's window goes to the millisecond, because single checks are there for its first, incomplete hour. Longer ones begin
 * with a whole day.
 */
export async function readChecks(
  tenant: Tenant,
  monitorId: number,
  name: WindowName,
  window: Window,
): Promise<Answers> {
  const isByHour = name === '24h'
  const stepMs = isByHour ? HOUR_MS : DAY_MS
  const wholeFrom = isByHour ? floorTo(HOUR_MS, after(window.from, HOUR_MS - 1)) : floorTo(DAY_MS, window.from)
  const until = after(window.to, 1)
  return tenant.snapshot(async (q) => {
    const daysFrom = isByHour ? undefined : wholeFrom
    const rolledUp = await readRolledUp(q, monitorId, window, { daysFrom, hoursFrom: wholeFrom })
    if (rolledUp === undefined) throw notFound()
    const { days, summary } = rolledUp
    const daysUntil = latest(wholeFrom, endOf(days.at(-1), DAY_MS))
    const hours = rolledUp.hours.filter(({ startsAt }) => startsAt >= daysUntil)
    const hoursUntil = latest(daysUntil, endOf(hours.at(-1), HOUR_MS))
    const head: Span[] = isByHour ? [[window.from, wholeFrom]] : []
    const { parts, recent } = await readSingle(q, monitorId, [...head, [hoursUntil, until]], until)
    return { stepMs, parts: [...days, ...hours, ...parts], recent, summary }
  })
}

function endOf(part: Part | undefined, ms: number): Date | undefined {
  return part && after(part.startsAt, ms)
}
