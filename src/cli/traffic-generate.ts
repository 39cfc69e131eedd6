import { systemClock } from '../lib/clock.ts'
import { formatCount } from '../lib/format.ts'
import { addDays, localDay, localDayOf } from '../lib/local-day.ts'
import type { DemoTrafficOptions } from '../traffic/demo/generate.ts'
import type { TrafficEvent } from '../traffic/model/event.ts'
import { allOrNothing } from './all-or-nothing.ts'
import type { Command, Invocation } from './command.ts'
import { Progress } from './progress.ts'
import {
  createRollup,
  getSite,
  readDomainArgument,
  readNumberOption,
  rollUpWithProgress,
  warnAboutOldEvents,
} from './traffic-site.ts'
import { withDatabase } from './with-database.ts'

const PIECE = 1_000

function* inPieces(events: Iterable<TrafficEvent>, onPiece: (last: number) => void): Generator<TrafficEvent[]> {
  let piece: TrafficEvent[] = []
  for (const event of events) {
    if (piece.push(event) < PIECE) continue
    onPiece(event.at)
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}

/** Whole days by the website's clock, the last of them until now. */
function rangeOf(timeZone: string, days: number): Pick<DemoTrafficOptions, 'from' | 'to'> {
  const to = systemClock.now().getTime()
  const first = addDays(localDayOf(timeZone, to).day, 1 - days)
  return { from: localDay(timeZone, first).startsAt, to }
}

function optionsOf(invocation: Invocation) {
  return {
    days: readNumberOption(invocation, 'days', 30, [1, 3_650]),
    visitorsPerDay: readNumberOption(invocation, 'visitors', 200, [1, 1_000_000]),
    seed: readNumberOption(invocation, 'seed', 1, [0, 2 ** 31 - 1]),
  }
}

export const trafficGenerate: Command = {
  name: 'traffic generate',
  summary: 'make up traffic of a website, for demonstrations',
  usage: 'traffic generate <domain> [--days 30] [--visitors 200]',
  details: [
    '  Up to this moment, with so many visitors a day. It is the same again with the same --seed, 1 unless another is given.',
    '  Nobody can tell it from real traffic afterwards, and only deleting the website removes it: where there is traffic on',
    '  these days already, --add is needed.',
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
    const { days, ...wanted } = optionsOf(invocation)
    const count = await withDatabase(invocation, async (db) => {
      const site = await getSite(db, domain)
      const rollup = createRollup(db)
      const { from, to } = rangeOf(site.timeZone, days)
      // Imported only here: a server has no use for it, and little memory.
      const { generateDemoEvents } = await import('../traffic/demo/generate.ts')
      const { ensureWebsiteExists, importEvents } = await import('../traffic/import-export/import-events.ts')
      const made = { websiteId: site.id, timeZone: site.timeZone, from, to, ...wanted }
      let last = from
      let tooOld = 0
      const shareOf = () => (last - from) / (to - from)
      const progress = new Progress(note, 'Making up', undefined, { unit: 'events', shareOf })
      const count = await allOrNothing(invocation, (onComplete) =>
        importEvents(
          { db, rollup, clock: systemClock, config },
          {
            site,
            open: () => inPieces(generateDemoEvents(made), (at) => (last = at)),
            mayAdd: options['add'] === true,
            onEvents: (events) => progress.add(events, 0),
            onTooOld: (days) => (tooOld = days),
            onComplete,
          },
        ),
      )
      progress.clear()
      await rollUpWithProgress(rollup, count, invocation)
      await ensureWebsiteExists(db, site)
      warnAboutOldEvents(invocation, tooOld)
      return count
    })
    out(`Made up ${formatCount(count)} events of ${days} ${days === 1 ? 'day' : 'days'} on ${domain}.`)
    return 0
  },
}
