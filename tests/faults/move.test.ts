/** Kills `belfry move` at several points. The target is empty afterwards, and a second move succeeds. */
import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { seededRandom } from '../../src/traffic/demo/random.ts'
import { createInstallation, createMoveEnv, type Installation, move } from '../cli/move-support.ts'
import {
  type CliResult,
  copyDataFolder,
  createTempFolder,
  getSuperuserConnection,
  query,
  readAllRows,
  startCommand,
  startServerInProcess,
  type TempFolder,
  toConnectionUrl,
  waitForResult,
} from '../cli/support.ts'
import { createDataFolder } from '../support/data-folder.ts'
import { connectToPostgres, createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { waitUntil } from './support.ts'

/** In `npm run test:system`, only a few interruptions are tested, once each. */
const roundCount = Number(process.env['BELFRY_FAULT_ROUNDS'] ?? 1)
const seed = Number(process.env['BELFRY_FAULT_SEED'] ?? randomInt(2 ** 31))
/**
 * The tests kill the move while the target database runs a statement that begins with one of these texts. The
 * statements create the tables, fill them, compare them, and alter their constraints.
 */
const killPoints = ['create table', 'copy belfry.', 'select count(*)::text as rows', 'alter table']
const MAX_MOVE_MS = isFaultsRun ? 5_000 : 3_000
/** The limit is generous, because the machine may be busy. */
const MAX_ROUND_MS = 60_000

let folder: TempFolder
let installation: Installation
let rows: Record<string, unknown[]>
let postgres: pg.Client
/** The result of the first move to an embedded database, which followed a killed one. */
let firstResult: CliResult
const random = seededRandom(seed)

beforeAll(async () => {
  folder = createTempFolder()
  const unusedTarget = await createTestDatabase({ empty: true })
  installation = await createInstallation(folder, unusedTarget)
  await unusedTarget.drop()
  rows = await readAllRows(installation.database.connection)
  // The tests move from the embedded database that this move fills, or copy it.
  firstResult = await moveAfterKill('embedded')
  postgres = await connectToPostgres()
}, 2 * MAX_ROUND_MS)
afterAll(async () => {
  await postgres.end()
  await installation.database.drop()
  await folder.remove()
})

/** Kills a move to the embedded database of this data folder at a random moment, and repeats it. */
async function moveAfterKill(name: string): Promise<CliResult> {
  const env = createMoveEnv(folder, installation.database, name)
  // Only `npm run faults` kills moves while initdb runs. tests/faults/embedded-kill.test.ts kills initdb, too.
  if (!isFaultsRun) await createDataFolder(folder.data(name))
  const child = startCommand(['move', '--to', 'embedded'], { env })
  const childExit = once(child, 'exit')
  await Promise.race([childExit, delay(random() * MAX_MOVE_MS)])
  child.kill('SIGKILL')
  await childExit
  return move('embedded', env)
}

async function createTarget(): Promise<TestDatabase> {
  const target = await createTestDatabase({ empty: true })
  onTestFinished(() => target.drop())
  return target
}

/** Starts a move from the embedded database to `target`. */
const startMove = ({ connection }: TestDatabase) =>
  startCommand(['move', '--to', toConnectionUrl(connection)], { env: createMoveEnv(folder) })

/** Waits until the target's session runs a statement that begins with `sql`, or the move has ended. */
async function waitForStatement({ connection }: TestDatabase, sql: string, child: ChildProcess): Promise<void> {
  const find = `select starts_with(trim(query, e' \\n'), $2) as found from pg_stat_activity where datname = $1`
  while (child.exitCode === null) {
    const { rows: sessions } = await postgres.query(find, [connection.database, sql])
    if (sessions.some(({ found }) => found)) return
    // The process takes a while to connect. Then the statements follow quickly.
    await delay(sessions.length === 0 ? 20 : 2)
  }
}

async function expectEmptyTarget({ connection }: TestDatabase): Promise<void> {
  await waitUntil('the sessions of the move have ended', async () => {
    const { rowCount } = await postgres.query('select from pg_stat_activity where datname = $1', [connection.database])
    return rowCount === 0
  })
  expect(await query(connection, `select to_regnamespace('belfry')::text as schema`)).toEqual([{ schema: null }])
}

async function kill(child: ChildProcess): Promise<void> {
  expect(child.exitCode).toBeNull()
  const childExit = once(child, 'exit')
  child.kill('SIGKILL')
  await childExit
}

describe('a move to a server', () => {
  it.each(isFaultsRun ? killPoints : killPoints.slice(1, 2))('can be repeated after a kill at: %s', async (sql) => {
    const target = await createTarget()
    const child = startMove(target)
    await waitForStatement(target, sql, child)
    await kill(child)
    await expectEmptyTarget(target)
    // The rows of the second move are those of the source, so the killed move has not changed the source.
    expect(await move(target, createMoveEnv(folder))).toMatchObject({ code: 0 })
    expect(await readAllRows(target.connection)).toEqual(rows)
  })

  it('can be interrupted with Ctrl-C, and then changes nothing', async () => {
    const target = await createTarget()
    const child = startMove(target)
    const result = waitForResult(child)
    await waitForStatement(target, 'copy belfry.', child)
    child.kill('SIGINT')
    expect(await result).toMatchObject({ code: 130, stderr: 'Interrupted. Neither database was changed.\n' })
    await expectEmptyTarget(target)
  })
})

describe('a move to the embedded database', () => {
  it(`can be repeated after kills at random moments (seed ${seed})`, {
    timeout: MAX_ROUND_MS * roundCount,
  }, async () => {
    for (let n = 0; n < roundCount; n++) {
      const name = `target${n}`
      // The copy keeps the original unchanged for other tests, because a server may write to its database.
      if (n === 0) copyDataFolder(folder.data('embedded'), folder.data(name))
      const { code, stderr } = n === 0 ? firstResult : await moveAfterKill(name)
      // The first move may have committed before it was killed.
      if (code !== 0) expect(stderr).toContain('already contains this installation, with 1 account')
      const server = await startServerInProcess(createMoveEnv(folder, undefined, name))
      onTestFinished(() => server.stop())
      const embeddedRows = await readAllRows(getSuperuserConnection(folder.data(name)))
      expect(embeddedRows['monitors']).toEqual(rows['monitors'])
      expect(embeddedRows['events']).toEqual(rows['events'])
      await server.stop()
    }
    expect(await readAllRows(installation.database.connection)).toEqual(rows)
  })
})
