/** Several hosts in DATABASE_URL, and TLS. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../src/lib/log.ts'
import { readConnectionSettings } from '../../src/storage/connection-settings.ts'
import { Connector } from '../../src/storage/connector.ts'
import { waitForDatabase } from '../../src/storage/wait-for-database.ts'
import {
  authorityCertificate,
  otherHostCertificate,
  serverPrivateKey,
  validCertificate,
} from '../checker/certificates.ts'
import { belfry } from '../cli/support.ts'
import {
  buildDatabaseUrl,
  type PostgresCluster,
  type PostgresServer,
  startPostgresCluster,
} from '../support/postgres-cluster.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { waitUntil } from './support.ts'

let cluster: PostgresCluster
let primary: PostgresServer
let replica: PostgresServer

beforeAll(async () => {
  cluster = await startPostgresCluster({ replicaCount: 1 })
  primary = cluster.primary
  replica = cluster.replicas[0] as PostgresServer
})
afterAll(() => cluster?.close())

/** Connects once and returns the port of the server, and whether the connection is encrypted. */
async function connect(url: string): Promise<{ port: number; ssl: boolean }> {
  const connector = new Connector(await readConnectionSettings(url))
  const connection = await connector.connect({ timeoutMs: 4_000, setup: `set timezone = 'UTC'` })
  const { rows } = await connection.client.query(
    'select inet_server_port() as port, ssl from pg_stat_ssl where pid = pg_backend_pid()',
  )
  await connection.close()
  return rows[0]
}

describe('several hosts', () => {
  it('are tried until one accepts writes', async () => {
    expect((await connect(buildDatabaseUrl([replica, primary]))).port).toBe(primary.port)
    expect(
      (await connect(buildDatabaseUrl([{ port: 1 }, replica, primary], 'target_session_attrs=primary'))).port,
    ).toBe(primary.port)
  })

  it('delay a connection by `connect_timeout` if the first one does not respond', async () => {
    const proxy = await startTcpProxy(primary.port)
    proxy.stall()
    const startedAt = performance.now()
    expect((await connect(buildDatabaseUrl([proxy, primary], 'connect_timeout=1'))).port).toBe(primary.port)
    expect(performance.now() - startedAt).toBeLessThan(2_500)
    await proxy.close()
  })

  it('are named with their reasons if none of them can be used, without the password', async () => {
    const url = buildDatabaseUrl([{ port: 1 }, replica]).replace(':belfry@', ':hush@')
    const { code, stderr } = await belfry('migrate', { env: { DATABASE_URL: url } })
    expect(code).toBe(1)
    expect(stderr).toContain(
      `The database accepts no writes: 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1; 127.0.0.1:${replica.port}: the server is a standby and read-only.`,
    )
    expect(stderr).toContain('Point DATABASE_URL at the primary server')
    expect(stderr).not.toContain('hush')
  })

  it('are reported by doctor, one line each', async () => {
    const url = buildDatabaseUrl([{ port: 1 }, replica, primary])
    const { stdout } = await belfry('doctor', { env: { DATABASE_URL: url, BELFRY_DATA: cluster.folder } })
    expect(stdout).toContain('! Database server 127.0.0.1:1: not in use (connect ECONNREFUSED 127.0.0.1:1).')
    expect(stdout).toContain(
      `✓ Database server 127.0.0.1:${replica.port}: not in use, because the server is a standby and read-only.`,
    )
    expect(stdout).toContain(`✓ Database server 127.0.0.1:${primary.port}: accepts writes.`)
  })

  it('are not necessary for doctor, which also checks a single standby', async () => {
    const { code, stdout } = await belfry('doctor', {
      env: { DATABASE_URL: buildDatabaseUrl([replica]), BELFRY_DATA: cluster.folder },
    })
    expect(stdout).toContain('✗ Database: accepts no writes. Point DATABASE_URL at the primary server')
    expect(stdout).toContain('✓ Row level security: on')
    expect(code).toBe(1)
  })

  // This test comes last, because it promotes the only standby.
  it('can be awaited with BELFRY_DATABASE_WAIT until one of them is promoted', async () => {
    const lines: string[] = []
    const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line).msg) })
    const pendingWait = waitForDatabase(replica.connection, { log, signal: new AbortController().signal, seconds: 60 })
    await waitUntil('the start waits', () => lines.length === 1)
    await replica.promote()
    await pendingWait
    expect(lines).toEqual(['waiting for the database', 'the database is up'])
  })
})

describe('sslmode', () => {
  const url = (query: string) => buildDatabaseUrl([primary], query)
  let authorityPath: string

  beforeAll(async () => {
    authorityPath = cluster.createFile('authority.pem', authorityCertificate)
  })

  /** Turns on TLS with this certificate, which stays until another call replaces it. */
  async function useCertificate(certificate: string): Promise<void> {
    const certificatePath = cluster.createFile('server.pem', certificate)
    const keyPath = cluster.createFile('server.key', serverPrivateKey)
    await primary.reconfigure({
      ssl: 'on',
      ssl_cert_file: certificatePath,
      ssl_key_file: keyPath,
      ssl_ca_file: authorityPath,
    })
  }

  it('require fails if the server has no TLS, and prefer connects without it', async () => {
    expect((await connect(url('sslmode=prefer'))).ssl).toBe(false)
    await expect(connect(url('sslmode=require'))).rejects.toThrow('The server does not support SSL connections')
  })

  it('verify-full refuses the certificate of another host, which verify-ca accepts', async () => {
    await useCertificate(otherHostCertificate)
    const withAuthority = (mode: string) => url(`sslmode=${mode}&sslrootcert=${authorityPath}`)
    expect((await connect(withAuthority('verify-ca'))).ssl).toBe(true)
    expect((await connect(withAuthority('require'))).ssl).toBe(true)
    await expect(connect(withAuthority('verify-full'))).rejects.toThrow(/127\.0\.0\.1.*cert/)
  })

  describe('with a server that has a valid certificate', () => {
    beforeAll(() => useCertificate(validCertificate))

    it.each([
      ['sslmode=disable', false],
      ['sslmode=allow', false],
      ['', true],
      ['sslmode=prefer', true],
      ['sslmode=require', true],
      ['sslmode=require&sslnegotiation=direct', true],
      ['sslmode=verify-ca&sslrootcert=AUTHORITY', true],
      ['sslmode=verify-full&sslrootcert=AUTHORITY', true],
    ])('"%s" encrypts: %s', async (query, ssl) => {
      expect((await connect(url(query.replace('AUTHORITY', authorityPath)))).ssl).toBe(ssl)
    })

    it('refuses the certificate of an unknown authority if the mode requires verification', async () => {
      const otherAuthorityPath = cluster.createFile('other.pem', otherHostCertificate)
      await expect(connect(url(`sslmode=verify-ca&sslrootcert=${otherAuthorityPath}`))).rejects.toThrow(/certificate/)
      await expect(connect(url(`sslmode=require&sslrootcert=${otherAuthorityPath}`))).rejects.toThrow(/certificate/)
      await expect(connect(url('sslmode=verify-full'))).rejects.toThrow(/certificate/)
    })

    it('allow uses TLS if the server insists on it, and a client certificate is sent', async () => {
      await primary.setAccessRules(['hostssl all belfry 127.0.0.1/32 trust clientcert=verify-ca'])
      const keyPath = cluster.createFile('client.key', serverPrivateKey)
      const certificatePath = cluster.createFile('client.pem', validCertificate)
      const client = `sslcert=${certificatePath}&sslkey=${keyPath}`
      expect((await connect(url(`sslmode=allow&${client}`))).ssl).toBe(true)
      await expect(connect(url('sslmode=disable'))).rejects.toThrow('no pg_hba.conf entry')
      await expect(connect(url('sslmode=require'))).rejects.toThrow(/certificate/)
    })
  })

  it.each([
    ['sslrootcert=/nowhere/ca.pem', "Can't use sslrootcert=/nowhere/ca.pem: the file doesn't exist."],
    ['sslcert=/dev/null&sslkey=/dev/null', "Can't use sslcert=/dev/null: the file is not in PEM format."],
  ])('"%s" is refused with a message that says what to correct', async (query, message) => {
    const { code, stderr } = await belfry('migrate', { env: { DATABASE_URL: url(query) } })
    expect(stderr).toContain(message)
    expect(stderr).toMatch(/Correct ssl\w+ in DATABASE_URL\./)
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(code).toBe(1)
  })
})
