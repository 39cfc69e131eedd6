/**
 * Random histories of monitors, and their uptime by a simple computation: a history is a list of slots of five minutes, in
 * each of which the monitor was monitored or not, and down or not.
 */
import type { TestServer } from './server.ts'

const SLOT_MS = 300_000
const DAY_MS = 86_400_000
/** Longer than the longest period, which is a year. */
const HISTORY_DAYS = 420

export interface ExpectedUptime {
  percent: number | null
  monitoredSeconds: number
  downtimeSeconds: number
  /** When monitoring began, if that was in the period; otherwise null. */
  since: number | null
}

export class SlotHistory {
  readonly #start: number
  readonly #isMonitored = new Uint8Array(((HISTORY_DAYS + 10) * DAY_MS) / SLOT_MS)
  readonly #isDown = new Uint8Array(this.#isMonitored.length)

  constructor(now: number) {
    this.#start = now - HISTORY_DAYS * DAY_MS
  }

  addMonitored(from: number, to: number): void {
    this.#isMonitored.fill(1, this.#toSlot(from), this.#toSlot(to))
  }

  addDown(from: number, to: number): void {
    this.#isDown.fill(1, this.#toSlot(from), this.#toSlot(to))
  }

  compute(from: number, to: number): ExpectedUptime {
    let [monitored, down] = [0, 0]
    for (let slot = this.#toSlot(from); slot < this.#toSlot(to); slot++) {
      if (this.#isMonitored[slot] === 0) continue
      monitored += 1
      down += this.#isDown[slot] as number
    }
    const since = this.#start + this.#isMonitored.indexOf(1) * SLOT_MS
    return {
      percent: computePercent(monitored, down),
      monitoredSeconds: (monitored * SLOT_MS) / 1_000,
      downtimeSeconds: (down * SLOT_MS) / 1_000,
      since: monitored > 0 && since > from ? since : null,
    }
  }

  #toSlot(at: number): number {
    return (at - this.#start) / SLOT_MS
  }
}

/** Three decimals, and 100 only without downtime. */
export function computePercent(monitored: number, down: number): number | null {
  if (monitored === 0) return null
  return down === 0 ? 100 : Math.min(99.999, Math.round((1 - down / monitored) * 100_000) / 1_000)
}

/**
 * Stores a history of at most `maxDays`, and returns it. Gaps stand for pauses, maintenances and times without a server.
 * Incidents may overlap, and may lie in gaps.
 */
export async function storeRandomHistory(
  { services: { db }, clock }: TestServer,
  monitorId: number,
  { maxDays, random }: { maxDays: number; random: () => number },
): Promise<SlotHistory> {
  const now = clock.now().getTime()
  const history = new SlotHistory(now)
  const maxSlots = (maxDays * DAY_MS) / SLOT_MS
  const pickTime = (earliest: number) => now - SLOT_MS * Math.ceil(random() * ((now - earliest) / SLOT_MS))
  const start = now - SLOT_MS * Math.ceil(maxSlots * (0.6 + 0.4 * random()))
  const isPaused = random() < 0.3
  const gapEnds = Array.from({ length: Math.floor(random() * 4) }, () => pickTime(start))
  const bounds = [...new Set([start, ...gapEnds])].sort((a, b) => a - b)
  for (const [index, from] of bounds.entries()) {
    const next = bounds[index + 1] ?? now
    const isOpen = next === now && !isPaused
    // Some periods end where the next one begins.
    const to = isOpen ? now : from + SLOT_MS * Math.ceil(((next - from) / SLOT_MS) * Math.min(1, 0.3 + random()))
    await db.query(
      `insert into watches (user_id, monitor_id, started_at, ended_at) select user_id, id, $2, $3 from monitors where id = $1`,
      [monitorId, new Date(from), isOpen ? null : new Date(to)],
    )
    history.addMonitored(from, to)
  }
  const hasOpenIncident = random() < 0.3
  for (let count = Math.floor(random() * 12); count >= 0; count--) {
    const isOpen = count === 0
    if (isOpen && !hasOpenIncident) continue
    const from = pickTime(start - DAY_MS / 4)
    const to = isOpen ? now : Math.min(now, from + SLOT_MS * Math.ceil((maxSlots / 20) * random() ** 3))
    await db.query(
      `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, resolved_at, resolution)
       select user_id, id, 'timeout', '', $2, $2, $3, $4 from monitors where id = $1`,
      [monitorId, new Date(from), isOpen ? null : new Date(to), isOpen ? null : 'recovered'],
    )
    history.addDown(from, to)
  }
  return history
}
