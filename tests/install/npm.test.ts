/** Installs the npm package with the Node of the system: globally with npm, and without an installation with npx. */
import { chownSync, mkdirSync, readdirSync, realpathSync, statSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { canRunAtTerminal } from '../cli/support.ts'
import { findFreePort } from '../support/free-port.ts'
import { startSmtpReceiver } from '../support/smtp-receiver.ts'
import { version } from './support/packed.ts'
import { isAlive, readServerProcesses } from './support/processes.ts'
import { createInstallFolder, printMeasurement, run, start } from './support/run.ts'
import { useFeatures } from './support/use-features.ts'
import { installationEnv, readVisits, useInstallation, waitFor, waitUntilReady } from './support/use-installation.ts'

const MAX_PACKAGE_BYTES = 3_000_000
/** The limit in megabytes, as `du -m` counts them. */
const MAX_INSTALLED_MEGABYTES = 330
const MAX_STOP_MS = 10_000

/**
 * A Node without `process.execve` starts the server as a child process. With it, the process of the command becomes the
 * server.
 */
const hasLauncher = Number(run('node', ['-p', 'typeof process.execve === "function" ? 0 : 1'], { cwd: '/' })) === 1
const isRoot = process.getuid?.() === 0
const NOBODY = 65534
const sourceModule = resolve(import.meta.dirname, '../../src/main.ts')

describe('the npm package', () => {
  const folder = createInstallFolder('npm')
  const prefix = join(folder.path, 'prefix')
  const program = join(prefix, 'bin', 'belfry')
  const installedFolder = join(prefix, 'lib', 'node_modules', 'belfry')
  let tarball: string
  let installedAt: number

  beforeAll(async () => {
    tarball = inject('npmPackage')
    installedAt = Date.now()
    // Belfry works without the install scripts of its dependencies.
    run('npm', ['install', '-g', '--ignore-scripts', '--prefix', prefix, tarball], { cwd: folder.path })
  })
  afterAll(() => folder.remove())

  function createWorkingFolder(name: string): string {
    const path = join(folder.path, name)
    mkdirSync(path)
    return path
  }

  async function startServer(name: string, wrapper: string[] = [], variables = {}) {
    const cwd = createWorkingFolder(name)
    if (wrapper.length > 0) chownSync(cwd, NOBODY, NOBODY)
    const port = await findFreePort()
    const env = { ...installationEnv, PORT: String(port), HOME: cwd, ...variables }
    const [command = program, ...args] = [...wrapper, program]
    const server = start(command, args, { cwd, env })
    return { server, cwd, url: `http://127.0.0.1:${port}` }
  }

  it('contains only files that Belfry needs to run', () => {
    const bytes = statSync(tarball).size
    const files = run('tar', ['tzf', tarball], { cwd: '/' }).trim().split('\n')
    const entries = new Set(
      files.map((file) =>
        file
          .split('/')
          .slice(1, 3)
          .join('/')
          .replace(/^bin\/.*/, 'bin'),
      ),
    )
    expect([...entries].filter((entry) => !/^(?:lists|migrations)\//.test(entry)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'bin',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/man',
      'dist/server',
      'package.json',
      'packaging/belfry.env',
      'packaging/systemd',
      'status-page/page.js',
      'status-page/page.min.css',
      'tracker/b.js',
      'web/dist',
      'web/public',
      'web/styles',
    ])
    expect(files.filter((file) => /\.(?:ts|tsx|map)$|\btests?\b/.test(file))).toEqual([])
    expect(bytes).toBeLessThanOrEqual(MAX_PACKAGE_BYTES)

    const megabytes = readDiskUsage(installedFolder, ['-sm'])
    const apparentMegabytes = readDiskUsage(installedFolder, ['-sm', '--apparent-size'])
    expect(megabytes).toBeLessThanOrEqual(MAX_INSTALLED_MEGABYTES)
    printMeasurement(
      `npm: the package has ${bytes} bytes; installed it takes ${megabytes} MB on disk, ${apparentMegabytes} MB of content`,
    )
  })

  it('has no install script, so that npm asks nobody to allow one', () => {
    const { scripts } = JSON.parse(run('tar', ['xzOf', tarball, 'package/package.json'], { cwd: '/' }))
    const installScripts = [
      'preinstall',
      'install',
      'postinstall',
      'prepublish',
      'preprepare',
      'prepare',
      'postprepare',
    ]
    expect(Object.keys(scripts).filter((name) => installScripts.includes(name))).toEqual([])
  })

  it('prints its version, its commands and its exit codes through the Node of the system', () => {
    const options = { cwd: folder.path }
    expect(run(program, ['--version'], options)).toBe(`${version}\n`)
    const help = run(program, ['help'], options)
    expect(help).toContain('belfry [<command>]')
    expect(help).not.toContain('npm run')
    expect(() => run(program, ['dance'], options)).toThrow('exit code 2')
    expect(run(program, ['completion', 'bash'], options)).toContain('complete -o default -F _belfry belfry')
    expect(realpathSync(join(prefix, 'share', 'man', 'man1', 'belfry.1'))).toBe(
      join(realpathSync(installedFolder), 'dist', 'man', 'belfry.1'),
    )
  })

  it('serves in an empty folder, keeps its data, and stops with its PostgreSQL', async () => {
    const { server, cwd, url } = await startServer('global')
    await useInstallation(url)
    const seconds = Math.round((Date.now() - installedAt) / 1000)
    const processes = await readServerProcesses(join(cwd, 'data'))
    expect(await server.stop()).toBeLessThan(MAX_STOP_MS)
    expect(server.child.exitCode).toBe(0)
    expect(processes.filter(isAlive)).toEqual([])
    expect(readdirSync(cwd)).toEqual(['data'])

    const restartedServer = start(program, ['serve'], {
      cwd,
      env: { ...installationEnv, PORT: url.split(':')[2] ?? '' },
    })
    await waitUntilReady(url)
    expect(await readVisits(url)).toBe(1)
    await restartedServer.stop()
    printMeasurement(`npm: npm install -g takes ${seconds} s to the first visit and check`)
  })

  it('has all features of the sources', async () => {
    const smtp = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
    const variables = { BELFRY_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, BELFRY_MAIL_FROM: 'belfry@example.com' }
    const publicUrl = { BELFRY_URL: 'http://belfry.example.com' }
    const { server, url } = await startServer('features', [], { ...variables, ...publicUrl })
    await useFeatures(url, smtp)
    const document = await readText(`${url}/api/openapi.json`)
    await server.stop()
    await smtp.close()

    const cwd = createWorkingFolder('sources')
    const port = await findFreePort()
    const loader = `import { main } from ${JSON.stringify(sourceModule)}\nprocess.exitCode = await main(['serve'])`
    const args = ['--input-type=module', '--eval', loader]
    const sources = start(process.execPath, args, { cwd, env: { PORT: String(port), ...publicUrl } })
    await waitUntilReady(`http://127.0.0.1:${port}`)
    expect(await readText(`http://127.0.0.1:${port}/api/openapi.json`)).toBe(document)
    await sources.stop()
  })

  it.runIf(isRoot)('runs as a user who cannot write to the installation', async () => {
    const { server, url } = await startServer('plain-user', [
      'setpriv',
      `--reuid=${NOBODY}`,
      `--regid=${NOBODY}`,
      '--clear-groups',
    ])
    await useInstallation(url)
    await server.stop()
    expect(server.child.exitCode).toBe(0)
  })

  it.runIf(hasLauncher)('stops its server and its PostgreSQL if its launcher is killed', async () => {
    const { server, cwd, url } = await startServer('killed')
    await waitUntilReady(url)
    const processes = await readServerProcesses(join(cwd, 'data'))
    server.child.kill('SIGKILL')
    await expectEnd(processes)
  })

  it.runIf(canRunAtTerminal)('handles Ctrl-C in a terminal once', async () => {
    const cwd = createWorkingFolder('terminal')
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    const env = { ...installationEnv, PORT: String(port) }
    // `script` runs the program in a terminal of its own, and types everything that it reads from stdin there. Without
    // `exec`, the shell would end with 130.
    const terminal = start('script', ['-qefc', `exec '${program}'`, '/dev/null'], { cwd, env, stdin: 'pipe' })
    await waitUntilReady(url)
    const processes = await readServerProcesses(join(cwd, 'data'))
    terminal.child.stdin?.write('\x03')
    await expectEnd(processes)
    await waitFor('the end of the terminal', async () => terminal.child.exitCode ?? undefined)
    expect(terminal.child.exitCode).toBe(0)
    expect(terminal.output().match(/stopping/g)).toHaveLength(1)
    expect(terminal.output()).not.toContain('Error')
  })

  it('runs with npx without an installation', async () => {
    const cwd = createWorkingFolder('npx')
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    const startedAt = Date.now()
    const npxArguments = ['--yes', `--package=${tarball}`, 'belfry']
    const env = { ...installationEnv, PORT: String(port), npm_config_cache: createNpmCache(join(folder.path, 'cache')) }
    expect(run('npx', [...npxArguments, '--version'], { cwd, env })).toBe(`${version}\n`)
    const server = start('npx', npxArguments, { cwd, env })
    await useInstallation(url)
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    const processes = await readServerProcesses(join(cwd, 'data'))
    // npm doesn't pass SIGTERM on to what it runs; a terminal sends Ctrl-C to all processes.
    process.kill(processes[0], 'SIGTERM')
    await expectEnd(processes)
    expect(await waitFor('the end of npx', async () => server.child.exitCode ?? undefined)).toBe(0)
    printMeasurement(`npm: npx takes ${seconds} s to the first visit and check`)
  })
})

/**
 * Creates a cache of npm, in which npx also installs packages. With npm_config_prefer_offline=true, as in `.ci/run`, it contains the
 * downloaded packages of the user's cache.
 */
function createNpmCache(path: string): string {
  mkdirSync(path)
  const userCache = process.env['npm_config_cache'] ?? join(homedir(), '.npm')
  if (process.env['npm_config_prefer_offline'] === 'true')
    symlinkSync(join(userCache, '_cacache'), join(path, '_cacache'))
  return path
}

const readText = async (url: string) => (await fetch(url)).text()

const readDiskUsage = (path: string, options: string[]) =>
  Number(run('du', [...options, path], { cwd: '/' }).split('\t')[0])

async function expectEnd(processes: number[]): Promise<void> {
  const deadline = Date.now() + MAX_STOP_MS
  while (processes.some(isAlive) && Date.now() < deadline) await delay(50)
  expect(processes.filter(isAlive)).toEqual([])
}
