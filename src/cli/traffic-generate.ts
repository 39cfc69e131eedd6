import { systemClock } from '../lib/clock.ts'
import { formatCount } from '../lib/format.ts'
import { addDays, localDay, localDayAt } from '../lib/local-day.ts'
import type { DemoTrafficOptions } from '../traffic/demo/generate.ts'
import { runAllOrNothing } from './common/all-or-nothing.ts'
import type { Command, Invocation } from './common/command.ts'
import { Progress } from './common/progress.ts'
import { withDatabase } from './common/with-database.ts'
import {
  createRollup,
  getSite,
  readDomainArgument,
  readNumberOption,
  rollUpWithProgress,
  warnAboutOldEvents,
} from './traffic-site.ts'

/** Returns the time range of the last `days` days in the website's time zone. The last day is today, and ends now. */
function chooseRange(timeZone: string, days: number): Pick<DemoTrafficOptions, 'from' | 'to'> {
  const to = systemClock.now().getTime()
  const firstDay = addDays(localDayAt(timeZone, to).day, 1 - days)
  return { from: localDay(timeZone, firstDay).startsAt, to }
}

function readOptions(invocation: Invocation) {
  return {
    days: readNumberOption(invocation, 'days', 30, [1, 3_650]),
    visitorsPerDay: readNumberOption(invocation, 'visitors', 200, [1, 1_000_000]),
    seed: readNumberOption(invocation, 'seed', 1, [0, 2 ** 31 - 1]),
  }
}

export const trafficGenerate: Command = {
  name: 'traffic generate',
  summary: 'fill a website with sample data',
  usage: 'traffic generate <domain> [--days 30] [--visitors 200]',
  details: [
    '  --days sets the number of days, up to today; --visitors sets the approximate number of visitors a day. The same --seed',
    '  (default 1) generates the same data. Sample data is counted like real traffic and can only be removed by deleting the',
    '  website, so days that already have traffic are rejected; --add adds to them.',
  ].join('\n'),
  options: {
    days: { type: 'string' },
    visitors: { type: 'string' },
    seed: { type: 'string' },
    add: { type: 'boolean' },
  },
  maxArguments: 1,
  async run(invocation) {
    const { config, note, options, out } = invocation
    const domain = readDomainArgument(invocation)
    const { days, ...demoOptions } = readOptions(invocation)
    const eventCount = await withDatabase(invocation, async (db) => {
      const site = await getSite(db, domain)
      const rollup = createRollup(db)
      const { from, to } = chooseRange(site.timeZone, days)
      // These modules are loaded on demand, because other commands and the server do not need them.
      const { generateDemoEvents, splitIntoChunks } = await import('../traffic/demo/generate.ts')
      const { ensureWebsiteExists, importEvents } = await import('../traffic/import-export/import-events.ts')
      const generate = () =>
        generateDemoEvents({ websiteId: site.id, domain, timeZone: site.timeZone, from, to, ...demoOptions })
      let lastEventAt = from
      let tooOldDayCount = 0
      const computeShare = () => (lastEventAt - from) / (to - from)
      const progress = new Progress(note, 'Generating', undefined, { unit: 'events', computeShare })
      const importedCount = await runAllOrNothing(invocation, (onReadyToCommit) =>
        importEvents(
          { db, rollup, clock: systemClock, config },
          {
            site,
            readEvents: () => splitIntoChunks(generate(), (at) => (lastEventAt = at)),
            mayAddToExistingDays: options['add'] === true,
            onEvents: (events) => progress.add(events, 0),
            onTooOldDays: (dayCount) => (tooOldDayCount = dayCount),
            onReadyToCommit,
          },
        ),
      )
      progress.complete()
      await rollUpWithProgress(rollup, importedCount, invocation)
      await ensureWebsiteExists(db, site)
      warnAboutOldEvents(invocation, tooOldDayCount)
      return importedCount
    })
    const daysText = `${days} ${days === 1 ? 'day' : 'days'}`
    out(`Generated ${formatCount(eventCount)} events of sample data for ${domain}, covering ${daysText}.`)
    return 0
  },
}
