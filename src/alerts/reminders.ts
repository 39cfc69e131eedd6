/** Repeats alerts about open incidents, as often as the monitor's owner wants. */
import { addMs, type Clock } from '../lib/clock.ts'
import { MINUTE_MS } from '../shared/time.ts'
import type { Database } from '../storage/database.ts'
import { formatReminder } from './messages.ts'
import { type DueReminder, insertReminders, lockDueReminders, type Reminder } from './reminder-store.ts'

const BATCH_SIZE = 500

export interface ReminderDeps {
  db: Database
  clock: Clock
  /** While this server's own network is down, it does not know whether monitors are still down. */
  isOffline(): boolean
  /** Called after alerts were written. */
  onAlerts(): void
}

/** One transaction inserts the reminders and updates their incidents, so a crash can neither lose nor repeat one. */
export async function sendDueReminders({ db, clock, isOffline, onAlerts }: ReminderDeps): Promise<void> {
  while (!isOffline()) {
    const now = clock.now()
    const { dueCount, insertedCount } = await db.transaction(async (q) => {
      const due = await lockDueReminders(q, now, BATCH_SIZE)
      if (due.length === 0) return { dueCount: 0, insertedCount: 0 }
      const reminders = due.map((reminder) => createReminder(reminder, now))
      return { dueCount: due.length, insertedCount: await insertReminders(q, reminders, now) }
    })
    if (insertedCount > 0) onAlerts()
    if (dueCount < BATCH_SIZE) return
  }
}

function createReminder(due: DueReminder, now: Date): Reminder {
  const { userId, monitorId, incidentId, everyMinutes } = due
  const nextAt = everyMinutes > 0 ? addMs(now, everyMinutes * MINUTE_MS) : null
  return { userId, monitorId, incidentId, nextAt, number: due.reminders + 1, ...formatReminder({ ...due, now }) }
}
