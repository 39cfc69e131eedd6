import { existsSync } from 'node:fs'
import type { ClientBase } from 'pg'
import { layoutOf } from '../../storage/embedded/layout.ts'
import { withOwnerConnection } from '../../storage/open-database.ts'
import type { Command, Invocation } from '../command.ts'
import { withPlace } from '../with-database.ts'
import { checkPing } from './checks.ts'
import * as database from './database.ts'
import { advice, type Finding, findingOf, formatFinding, ok } from './finding.ts'
import { checkAddress, checkConfig, checkDataFolder, checkNode, checkTools } from './machine.ts'
import { checkPrivateTargets, checkReports, checkTransports } from './messages.ts'
import { readServerFacts } from './store.ts'
import { checkPlaces, checkTraffic } from './traffic.ts'

type Report = (about: string, check: () => Promise<Finding[]>) => Promise<void>

async function examineDatabase(client: ClientBase, { config }: Invocation, report: Report): Promise<void> {
  if (config.databaseUrl !== undefined) {
    await report('Who else is connected', async () => {
      const { sessions } = await readServerFacts(client)
      return [ok(sessions > 0 ? 'A server is connected to the database.' : 'No server is connected to the database.')]
    })
  }
  await report('The database server', () => database.checkServer(client))
  await report('The rights of the login', () => database.checkRights(client))
  await report('The schema', () => database.checkMigrations(client))
  await report('Row level security', () => database.checkRowSecurity(client))
  await report('The clock', () => database.checkClock(client))
  await report('The secret', () => database.checkSecret(client, config))
  await report('The administrators', () => database.checkAdministrators(client))
  await report('The weekly reports', () => checkReports(client, config))
  await report('The traffic', () => checkTraffic(client))
}

/** A database that does not exist yet is not made just for looking. */
async function openAndExamine(invocation: Invocation, report: Report): Promise<Finding[]> {
  const { config } = invocation
  if (config.databaseUrl === undefined && !existsSync(layoutOf(config.dataDir).cluster)) {
    return [advice('There is no database yet.', 'The first start makes it: `npm start`.')]
  }
  await withPlace(invocation, async (place) => {
    await report('Whether a server is running', async () => {
      if (place.kind === 'started') return [ok('No server is running; its database is started for this examination.')]
      return place.kind === 'running' ? [ok('A server is running on the data folder.')] : []
    })
    await withOwnerConnection(place.connection, (client) => examineDatabase(client, invocation, report))
  })
  return []
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'look for what is wrong, and say what to do about it',
  usage: 'doctor',
  details: '  ✓ is fine, ! could be better, ✗ is broken (the exit code is 1 then). Changes nothing.',
  async run(invocation) {
    let isBroken = false
    const tell = (findings: Finding[]) => {
      for (const finding of findings) {
        isBroken ||= finding.kind === 'broken'
        invocation.out(formatFinding(finding))
      }
    }
    const report: Report = async (about, check) => tell(await check().catch((error) => [findingOf(error, about)]))

    await report('The configuration', () => checkConfig(invocation.config))
    await report('Node', checkNode)
    await report('The address', () => checkAddress(invocation.config))
    await report('The data folder', () => checkDataFolder(invocation.config))
    await report('The tools', () => checkTools(invocation.config))
    await report('The ways to send messages', () => checkTransports(invocation.config))
    await report('The private targets', () => checkPrivateTargets(invocation.config))
    await report('The checks', () => checkPing())
    await report('The places of visitors', () => checkPlaces(invocation.config))
    await report('The database', () => openAndExamine(invocation, report))
    return isBroken ? 1 : 0
  },
}
