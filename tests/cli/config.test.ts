/** A server and commands that read their settings from files. */
import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONFIGURATION_EXIT_CODE } from '../../src/lib/startup-error.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { findFreePort } from '../support/free-port.ts'
import {
  belfry,
  belfryProcess,
  createTempFolder,
  type ServerProcess,
  startServerProcess,
  type TempFolder,
  toConnectionUrl,
} from './support.ts'

const token = 'a token that nobody may see'

/** The environment of the server. PORT is empty, so that the port in the configuration file applies. */
const serverEnv = { BELFRY_ROLES: 'web', PORT: '' }

describe.skipIf(process.platform !== 'linux')('a server with a configuration file', () => {
  let folder: TempFolder
  let dataDir: string
  let configFile: string
  let database: TestDatabase
  let server: ServerProcess
  let port: number

  beforeAll(async () => {
    folder = createTempFolder()
    dataDir = folder.data('data')
    mkdirSync(dataDir)
    database = await createTestDatabase()
    port = await findFreePort()
    const secretFile = (name: string, text: string) => {
      writeFileSync(join(folder.path, name), `${text}\n`, { mode: 0o600 })
      return join(folder.path, name)
    }
    configFile = join(folder.path, 'belfry.env')
    const lines = [
      '\u{feff}# The settings of the test',
      `export BELFRY_DATA="${dataDir}"`,
      `DATABASE_URL_FILE=${secretFile('database-url', `${toConnectionUrl(database.connection)}&password=hush`)}`,
      `BELFRY_METRICS_TOKEN_FILE=${secretFile('token', token)}`,
      "BELFRY_SECRET='0123456789 # 0123456789 # 0123456789'",
      'BELFRY_URL=https://stats.example.org # the public address',
      `PORT=${port}`,
    ]
    writeFileSync(configFile, lines.join('\r\n'), { mode: 0o600 })
    server = await startServerProcess(serverEnv, { words: `--config ${configFile} serve` })
  })
  afterAll(async () => {
    await server.stop()
    await database.drop()
    await folder.remove()
  })

  const getMetrics = (bearer: string) =>
    fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${bearer}` } })

  it('uses the settings of the file and of the secret files', async () => {
    expect(server.url).toBe('https://stats.example.org')
    expect((await getMetrics(token)).status).toBe(200)
    expect((await getMetrics('another token')).status).toBe(401)
    expect(server.output()).not.toContain('Unknown setting')
  })

  it('has settings that `config` prints with their origin, without secrets', async () => {
    const { code, stdout, stderr } = await belfry(`config --config ${configFile}`, { env: { BELFRY_LOG: 'warn' } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const rows = stdout.split('\n').map((line) => line.split(/ {2,}/))
    expect(rows[0]).toEqual([`The configuration file is ${configFile}.`])
    expect(rows).toContainEqual(['BELFRY_URL', 'https://stats.example.org', `${configFile}, line 6`])
    expect(rows).toContainEqual(['BELFRY_LOG', 'warn', 'environment'])
    expect(rows).toContainEqual(['BELFRY_TIME_ZONE', 'UTC', 'default'])
    expect(rows).toContainEqual(['BELFRY_GEO_DB', '(not set)'])
    expect(rows).toContainEqual(['BELFRY_SECRET', '***', `${configFile}, line 5`])
    expect(rows).toContainEqual([
      'DATABASE_URL',
      expect.stringMatching(/^postgres:\/\/\/\w+\?host=.*&password=\*\*\*$/),
      `${join(folder.path, 'database-url')} (DATABASE_URL_FILE)`,
    ])
    expect(stdout).not.toMatch(/hush|nobody may see|0123456789/)
  })

  it('shares its database with commands that find the same file: by an option, a variable, or in the working folder', async () => {
    const env = {}
    expect(await belfry(`--config=${configFile} user create ada@example.com`, { env })).toMatchObject({ code: 0 })
    const fromFolder = await belfryProcess('user list', { env: { BELFRY_CONFIG: '' }, cwd: folder.path })
    expect(fromFolder.stdout).toContain('ada@example.com')
    const fromVariable = await belfry('user list', { env: { BELFRY_CONFIG: configFile } })
    expect(fromVariable.stdout).toBe(fromFolder.stdout)
  })

  it('has settings that doctor reads from its process and its files', async () => {
    const { stdout } = await belfry(`doctor --config ${configFile}`, { env: serverEnv })
    expect(stdout).toContain(`✓ Settings: from the running server (process ${server.pid}).`)
    expect(stdout).toContain(`✓ Configuration file: ${configFile}.`)
    expect(stdout).toContain('✓ Public URL: https://stats.example.org.')
    expect(stdout).toContain('✓ Server: connected to the database.')
    expect(stdout).not.toMatch(/other values|has changed|hush/)

    const fromOtherShell = await belfry('doctor', { env: { ...serverEnv, BELFRY_DATA: dataDir } })
    expect(fromOtherShell.stdout).toContain('✓ Public URL: https://stats.example.org.')
    expect(fromOtherShell.stdout).toContain(
      `! Settings: this shell has other values than the server for PORT, BELFRY_URL, DATABASE_URL, BELFRY_SECRET, BELFRY_METRICS_TOKEN. Commands such as backup use the values of this shell. Run commands with --config ${configFile}.`,
    )

    appendFileSync(configFile, '\n# changed\n')
    const futureTime = new Date(Date.now() + 60_000)
    utimesSync(configFile, futureTime, futureTime)
    expect((await belfry(`doctor --config ${configFile}`, { env: serverEnv })).stdout).toContain(
      `! Settings: ${configFile} has changed since the server started. Restart the server to apply the changes.`,
    )
  })
})

describe('config --check', () => {
  it('finds mistakes before a server starts', async () => {
    const folder = createTempFolder()
    const configFile = join(folder.path, 'belfry.env')
    const check = (env = {}) => belfry(`config --check --config ${configFile}`, { env })
    expect(await check()).toMatchObject({
      code: CONFIGURATION_EXIT_CODE,
      stderr: expect.stringContaining(`The configuration file ${configFile} doesn't exist.`),
    })
    writeFileSync(configFile, 'HOST=0.0.0.0\nBELFRY_PORT=80\nBELFRY_FAVICONS=no\n')
    expect(await check()).toMatchObject({
      code: CONFIGURATION_EXIT_CODE,
      stdout: '',
      stderr: [
        'The configuration has 2 errors:',
        `  ${configFile}, line 2: BELFRY_PORT is not a Belfry setting. Did you mean PORT?`,
        `  BELFRY_FAVICONS: must be one of on, off, not "no"; did you mean off? (${configFile}, line 3)`,
        'Correct these settings. `npm run belfry -- config --help` describes all of them.',
        '',
      ].join('\n'),
    })
    writeFileSync(configFile, 'HOST=0.0.0.0\n')
    expect(await check({ BELFRY_RATELIMIT: '1' })).toEqual({
      code: 0,
      stdout: `The configuration is valid (${configFile}).\n`,
      stderr: 'Unknown setting: BELFRY_RATELIMIT. Did you mean BELFRY_RATE_LIMIT?\n',
    })
    await folder.remove()
  })
})
