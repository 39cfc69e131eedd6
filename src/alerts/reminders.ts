/** Repeats alerts about ongoing incidents, as often as the monitor's owner wants. */
import { addMs, type Clock } from '../lib/clock.ts'
import { MINUTE_MS } from '../shared/time.ts'
import type { Database } from '../storage/database.ts'
import { formatReminder } from './message.ts'
import { type DueReminder, insertReminders, lockDueReminders, type Reminder } from './reminder-store.ts'

const BATCH_SIZE = 500

export interface ReminderDeps {
  db: Database
  clock: Clock
  /**
   * While our own network is down, no reminders are sent, because we can't know whether monitors are still down.
   */
  isOffline(): boolean
  /** Called after new alerts have been stored. */
  onAlerts(): void
}

/**
 * One transaction inserts the reminders and updates their incidents, so a crash can neither lose nor repeat a reminder.
 */
export async function sendDueReminders({ db, clock, isOffline, onAlerts }: ReminderDeps): Promise<void> {
  while (!isOffline()) {
    const now = clock.now()
    const { dueCount, insertedCount } = await db.transaction(async (q) => {
      const dueReminders = await lockDueReminders(q, now, BATCH_SIZE)
      if (dueReminders.length === 0) return { dueCount: 0, insertedCount: 0 }
      const reminders = dueReminders.map((reminder) => createReminder(reminder, now))
      return { dueCount: dueReminders.length, insertedCount: await insertReminders(q, reminders, now) }
    })
    if (insertedCount > 0) onAlerts()
    if (dueCount < BATCH_SIZE) return
  }
}

function createReminder(due: DueReminder, now: Date): Reminder {
  const { teamId, monitorId, incidentId, everyMinutes } = due
  const nextAt = everyMinutes > 0 ? addMs(now, everyMinutes * MINUTE_MS) : null
  return {
    teamId,
    monitorId,
    incidentId,
    nextAt,
    reminderNumber: due.sentCount + 1,
    ...formatReminder({ ...due, now }),
  }
}
