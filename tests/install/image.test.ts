/** Builds the container image with `npm run package -- image`, and runs it as a container engine would. */
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stageNewProgram } from '../../packaging/debian/stage.ts'
import { findFreePort } from '../support/free-port.ts'
import { buildDatabaseUrl } from '../support/postgres-cluster.ts'
import { chooseServerIdentity, createCluster, ServerProcesses } from '../support/postgres-server.ts'
import { type Container, type ContainerOptions, startContainer } from './support/container.ts'
import { createBaseImage, createImageStorage, type ImageConfig, type ImageStorage } from './support/images.ts'
import { listMissing } from './support/requirements.ts'
import { createInstallFolder, printMeasurement, run } from './support/run.ts'
import { shareFolder } from './support/shared-folder.ts'
import { installationEnv, readVisits, useInstallation, waitFor, waitUntilReady } from './support/use-installation.ts'

const projectFolder = resolve(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8'))
const image = `localhost/belfry:${version}`
const MAX_MEGABYTES = 450

describe.skipIf(listMissing('image.test.ts').length > 0)('the container image', () => {
  const folder = createInstallFolder('image')
  let storage: ImageStorage
  let config: ImageConfig
  let root: string
  let buildOutput: string
  let buildSeconds: number
  const containers: Container[] = []

  beforeAll(async () => {
    storage = await createImageStorage(join(folder.path, 'images'))
    await createBaseImage(storage)
    const startedAt = Date.now()
    const program = await shareFolder('program', stageNewProgram)
    const options = ['--output', join(folder.path, 'output'), '--program', program]
    const args = ['run', '--silent', 'package', '--', 'image', ...options]
    buildOutput = run('npm', args, { cwd: projectFolder, env: storage.env })
    buildSeconds = Math.round((Date.now() - startedAt) / 1000)
    config = storage.readConfig(image)
    root = storage.mountImage(image)
  })

  afterAll(async () => {
    for (const { program, end } of containers) if (program.child.exitCode === null) await end('KILL')
    storage.remove()
    folder.remove()
  })

  /** Creates an empty folder that takes the place of a volume. */
  function createVolume(name: string, uid: number, gid: number, mode = 0o770): string {
    const path = join(folder.path, name)
    mkdirSync(path)
    chownSync(path, uid, gid)
    chmodSync(path, mode)
    return path
  }

  type StartOptions = Pick<ContainerOptions, 'data'> & Partial<ContainerOptions>

  function startImage(options: StartOptions): Container {
    const containerFolder = join(folder.path, `container${containers.length}`)
    const container = startContainer({ folder: containerFolder, root, config, network: 'machine', ...options })
    containers.push(container)
    return container
  }

  /** Starts a server that can be reached through loopback only. */
  async function startServer(options: StartOptions): Promise<{ container: Container; url: string }> {
    const port = await findFreePort()
    const env = { ...installationEnv, HOST: '127.0.0.1', PORT: String(port), ...options.env }
    return { container: startImage({ ...options, env }), url: `http://127.0.0.1:${port}` }
  }

  const [, ...healthCheck] = ['CMD', 'node', '/opt/belfry-container/healthcheck.js']

  it('is small, and says how to run it', () => {
    const [archive] = readdirSync(join(folder.path, 'output'))
    expect(archive).toMatch(new RegExp(`^belfry_${version}_(amd64|arm64)\\.image\\.tar\\.gz$`))
    const [, size, compressedSize] = /is (\d+) MB, and (\d+) MB compressed/.exec(buildOutput) ?? []
    expect(Number(size)).toBeLessThan(MAX_MEGABYTES)
    expect(Math.round(statSync(join(folder.path, 'output', archive ?? '')).size / 1e6)).toBe(Number(compressedSize))
    printMeasurement(`image: built in ${buildSeconds} s; ${size} MB, and ${compressedSize} MB compressed`)

    expect(config.User).toBe('10001:10001')
    expect(config.Env).toEqual(expect.arrayContaining(['BELFRY_DATA=/data', 'HOST=0.0.0.0']))
    expect(config.Volumes).toEqual({ '/data': {} })
    expect(config.ExposedPorts).toEqual({ '3000/tcp': {} })
    expect(config.Healthcheck.Test).toEqual(['CMD', ...healthCheck])
    expect(config.Labels['org.opencontainers.image.version']).toBe(version)
    const { uid, gid, mode } = statSync(join(root, 'data'))
    expect([uid, gid, mode & 0o777]).toEqual([10001, 0, 0o770])
    const licenses = readFileSync(join(root, 'opt/belfry/THIRD-PARTY-LICENSES.txt'), 'utf8')
    for (const name of ['fastify', 'PostgreSQL', '@node-rs/argon2', `node-linux-${process.arch}`]) {
      expect(licenses).toContain(`\n${name} `)
    }
  })

  it('counts a visit and checks a monitor, and keeps its data when it is stopped or killed', async () => {
    const data = createVolume('data', 10001, 10001, 0o700)
    const startedAt = Date.now()
    const { container, url } = await startServer({ data })
    await useInstallation(url)
    printMeasurement(`image: ${Math.round((Date.now() - startedAt) / 1000)} s to the first visit and check`)
    expect(container.execute(healthCheck)).toEqual({ code: 0, output: '' })
    expect(container.execute(healthCheck, { PORT: '1' })).toEqual({
      code: 1,
      output: expect.stringContaining("Belfry doesn't respond: connect ECONNREFUSED"),
    })
    expect(container.execute(['belfry', 'user', 'list']).output).toContain(installationEnv.BELFRY_ADMIN_EMAIL)
    const status = container.execute(['cat', '/proc/1/status']).output
    expect(status).toMatch(/^Name:\ttini$/m)
    expect(status).toMatch(/^CapBnd:\t0+$/m)
    expect(container.execute(['touch', '/opt/belfry/new']).output).toContain('Read-only file system')
    const { code, seconds } = await container.end('TERM')
    expect(code, container.program.output()).toBe(0)
    expect(seconds).toBeLessThan(10)

    const restartedServer = await startServer({ data })
    await waitUntilReady(restartedServer.url)
    expect(await readVisits(restartedServer.url)).toBe(1)
    await restartedServer.container.end('KILL')

    const recoveredServer = await startServer({ data })
    await waitUntilReady(recoveredServer.url)
    expect(await readVisits(recoveredServer.url)).toBe(1)
    expect((await recoveredServer.container.end('TERM')).code).toBe(0)
  })

  it('works with a user that has no name, listens on all addresses, and pings without privileges', async () => {
    const data = createVolume('random-user', 0, 0)
    const container = startImage({ data, user: '12345:0', network: 'own', pings: true })
    await waitFor('the health check', async () => (container.execute(healthCheck).code === 0 ? true : undefined))
    const addresses = container.execute(['cat', '/proc/net/tcp']).output
    // This is port 3000 of 0.0.0.0.
    expect(addresses).toContain(' 00000000:0BB8 ')
    expect(container.execute(['belfry', 'doctor']).output).toContain('Ping monitors: use ping.')
    expect((await container.end('TERM')).code).toBe(0)
    expect(statSync(join(data, 'postgres')).uid).toBe(12345)
  })

  it('can use fping if the container has the capability NET_RAW', async () => {
    const data = createVolume('fping', 10001, 10001)
    const command = ['fping', '-C', '1', '127.0.0.1']
    const options = { data, command, network: 'own', capabilities: ['CAP_NET_RAW'] } as const
    const { program } = startImage({ ...options, capabilities: [...options.capabilities] })
    await waitFor('fping', async () => (program.child.exitCode === null ? undefined : true))
    expect([program.child.exitCode, program.output()]).toEqual([
      0,
      expect.stringContaining('127.0.0.1 : [0], 64 bytes'),
    ])
  })

  it('says what to do if the data folder belongs to another user', async () => {
    const data = createVolume('foreign', 0, 0, 0o700)
    const { container } = await startServer({ data })
    await waitFor('the end', async () => (container.program.child.exitCode === null ? undefined : true))
    expect(container.program.child.exitCode).not.toBe(0)
    const output = container.program.output()
    expect(output).toContain('The data folder /data is not accessible to user 10001')
    expect(output).toContain('chown')
    expect(output).not.toContain('node:')
  })

  it('runs two nodes with one PostgreSQL server, and reads secrets from files', async () => {
    const identity = await chooseServerIdentity(folder.path)
    await createCluster(join(folder.path, 'postgres'), identity)
    const postgres = new ServerProcesses(join(folder.path, 'postgres'), identity, {})
    try {
      await postgres.start()
      await postgres.query(`create role belfry login password 'belfry'`)
      await postgres.query('create database belfry owner belfry')
      const secrets = { database_url: `${buildDatabaseUrl([postgres])}\n`, belfry_secret: `${'x'.repeat(40)}\n` }
      const env = { DATABASE_URL_FILE: '/run/secrets/database_url', BELFRY_SECRET_FILE: '/run/secrets/belfry_secret' }
      const [firstNode, secondNode] = await Promise.all(
        ['node1', 'node2'].map((name) => startServer({ data: createVolume(name, 10001, 10001), env, secrets })),
      )
      if (firstNode === undefined || secondNode === undefined) throw new Error('The two nodes did not start.')
      await waitUntilReady(secondNode.url)
      await useInstallation(firstNode.url)
      expect(await readVisits(secondNode.url)).toBe(1)
      expect((await firstNode.container.end('TERM')).code).toBe(0)
      expect(await readVisits(secondNode.url)).toBe(1)
      expect((await secondNode.container.end('TERM')).code).toBe(0)
    } finally {
      await postgres.kill()
    }
  })
})
