/** Says again that something is still down, as often as its owner wants. */
import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { Database } from '../storage/database.ts'
import { reminderMessage } from './messages.ts'
import { type DueReminder, lockDueReminders, type Reminder, writeReminders } from './reminder-store.ts'

const LOOK_MS = 5_000
const AT_ONCE = 500
const MINUTE_MS = 60_000

export interface ReminderNeeds {
  db: Database
  clock: Clock
  log: Logger
  /** Our own network is down: nobody knows what is still down. */
  isBlind(): boolean
  /** There is something to be sent now. */
  onAlerts(): void
}

/** Incident and alerts change together, so that each reminder is decided once, whatever happens to this process. */
export async function remind({ db, clock, isBlind, onAlerts }: Omit<ReminderNeeds, 'log'>): Promise<void> {
  while (!isBlind()) {
    const now = clock.now()
    const { due, said } = await db.transaction(async (q) => {
      const found = await lockDueReminders(q, now, AT_ONCE)
      if (found.length === 0) return { due: 0, said: 0 }
      const reminders = found.map((one) => reminderOf(one, now))
      return { due: found.length, said: await writeReminders(q, reminders, now) }
    })
    if (said > 0) onAlerts()
    if (due < AT_ONCE) return
  }
}

function reminderOf(due: DueReminder, now: Date): Reminder {
  const { userId, monitorId, incidentId, everyMinutes } = due
  const nextAt = everyMinutes > 0 ? new Date(now.getTime() + everyMinutes * MINUTE_MS) : null
  return { userId, monitorId, incidentId, nextAt, number: due.reminders + 1, ...reminderMessage({ ...due, now }) }
}

/** A failure waits for the next turn: the database may be away. */
export function keepReminding(needs: ReminderNeeds): { stop(): void } {
  let isAtIt = false
  const timer = setInterval(async () => {
    if (isAtIt) return
    isAtIt = true
    await remind(needs).catch((error) => needs.log.debug({ reason: error.message }, 'reminders have to wait'))
    isAtIt = false
  }, LOOK_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
