import { isDay } from '../lib/local-day.ts'
import { deleteBlocksOf, hasDamagedBlock } from '../traffic/retention/damaged-blocks.ts'
import { type Command, UsageError } from './common/command.ts'
import { confirm } from './common/confirm.ts'
import { withDatabase } from './common/with-database.ts'
import { getSite, readDomainArgument } from './traffic-site.ts'

export const trafficDeleteDamaged: Command = {
  name: 'traffic delete-damaged',
  summary: 'delete all packed visits and events of a damaged day',
  usage: 'traffic delete-damaged <domain> <day> [--yes]',
  details: [
    '  Use it if `doctor` reports a damaged day and you have no backup. Deletes nothing if the day can be read. The totals and',
    '  panels of the day stay, and so do visitors with late events that are not packed yet. Filtered statistics and exports leave',
    '  the other visitors of the day out. Asks for confirmation unless you add --yes.',
  ].join('\n'),
  options: { yes: { type: 'boolean' } },
  maxArguments: 2,
  async run(invocation) {
    const domain = readDomainArgument(invocation)
    const day = invocation.positionals[1]
    if (day === undefined) throw new UsageError('Missing argument: <day>')
    if (!isDay(day)) throw new UsageError('<day> must be a day such as 2026-01-05.')
    const text = await withDatabase(invocation, async (db) => {
      const { id: websiteId } = await getSite(db, domain)
      const websiteDay = { websiteId, day }
      if (!(await hasDamagedBlock(db, websiteDay))) return `${day} of ${domain} is not damaged.`
      const warning = `This permanently deletes the packed visits and events of ${domain} on ${day}. The totals of the day stay.`
      await confirm(invocation, { warning, word: domain })
      await deleteBlocksOf(db, websiteDay)
      return `Deleted the packed visits and events of ${domain} on ${day}.`
    })
    invocation.out(text)
    return 0
  },
}
