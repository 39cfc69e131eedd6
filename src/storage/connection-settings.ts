/** Turns DATABASE_URL into the servers and TLS modes to try, and reads the certificates that it names. */
import { readFile } from 'node:fs/promises'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import type pg from 'pg'
import { type DatabaseUrl, parseDatabaseUrl } from '../config/database-url.ts'
import { StartupError } from '../lib/startup-error.ts'

export interface ConnectionSettings extends pg.ClientConfig {
  /** The servers and TLS modes to try, in this order. Each is combined with the other settings. */
  alternatives?: readonly ConnectionAlternative[]
  /** How long an attempt to connect to one server may take. */
  hostTimeoutMs?: number
}

export type ConnectionAlternative = Pick<pg.ClientConfig, 'host' | 'port' | 'ssl'>

export const APPLICATION_NAME = 'belfry'

export async function readConnectionSettings(text: string): Promise<ConnectionSettings> {
  const url = parseDatabaseUrl(text)
  const tlsOptions = await readTlsOptions(url)
  const { user, password, database, options, connectTimeout } = url
  return {
    // pg falls back to the environment and the system's user for settings that are missing.
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
    ...(options !== undefined && { options }),
    ...(url.sslNegotiation === 'direct' && { sslnegotiation: 'direct' }),
    application_name: url.applicationName ?? APPLICATION_NAME,
    ...(connectTimeout !== undefined && { hostTimeoutMs: connectTimeout * 1000 }),
    alternatives: url.hosts.flatMap(({ host, port }) =>
      listTlsAttempts(url, host, tlsOptions).map((ssl) => ({ ...(host !== undefined && { host }), port, ssl })),
    ),
  }
}

/** Lists the TLS modes to try. As in libpq, `allow` and `prefer` try both modes, and a Unix socket needs no TLS. */
function listTlsAttempts(
  { sslMode }: DatabaseUrl,
  host: string | undefined,
  tlsOptions: ConnectionOptions,
): (ConnectionOptions | false)[] {
  if (host?.startsWith('/') || sslMode === 'disable') return [false]
  if (sslMode === 'allow') return [false, tlsOptions]
  return sslMode === 'prefer' ? [tlsOptions, false] : [tlsOptions]
}

/**
 * As in libpq, the server's certificate is verified if there is a root certificate, and its name only with `verify-full`.
 * Unlike libpq, Belfry doesn't look for certificates in the home folder: without `sslrootcert`, `verify-full` trusts the
 * system's roots.
 */
async function readTlsOptions({ sslMode, sslRootCert, sslCert, sslKey }: DatabaseUrl): Promise<ConnectionOptions> {
  const usesSystemRoots = sslRootCert === 'system' || (sslRootCert === undefined && sslMode === 'verify-full')
  const ca = usesSystemRoots ? listSystemRoots() : await readCertificate('sslrootcert', sslRootCert)
  const clientCertificate = {
    cert: await readCertificate('sslcert', sslCert),
    key: await readCertificate('sslkey', sslKey),
  }
  return {
    ...(ca === undefined ? { rejectUnauthorized: false } : { ca, rejectUnauthorized: true }),
    ...(sslMode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    ...(clientCertificate.cert !== undefined && clientCertificate),
  } as ConnectionOptions
}

/** Returns the system's root certificates or, in a container without them, Node's own list. */
function listSystemRoots(): string[] {
  const systemRoots = getCACertificates('system')
  return systemRoots.length > 0 ? systemRoots : getCACertificates('default')
}

async function readCertificate(parameter: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? "the file doesn't exist" : error.message
    throw certificateError(parameter, path, reason, error)
  })
  if (!text.includes('-----BEGIN ')) throw certificateError(parameter, path, 'the file is not in PEM format')
  return text
}

function certificateError(parameter: string, path: string, reason: string, cause?: unknown): StartupError {
  return new StartupError(`Can't use ${parameter}=${path}: ${reason}.`, `Correct ${parameter} in DATABASE_URL.`, {
    cause,
  })
}
