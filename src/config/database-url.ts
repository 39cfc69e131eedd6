/** Parses DATABASE_URL as libpq does: several hosts, Unix sockets, and the parameters for TLS. */

export const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
export type SslMode = (typeof sslModes)[number]

/**
 * All these values have the same effect: Belfry needs a server that accepts writes, so it uses the first host that
 * does.
 */
const sessionAttributes = ['any', 'read-write', 'primary'] as const
const sslNegotiations = ['postgres', 'direct'] as const

export interface DatabaseUrl {
  /** The hosts in the order in which they are tried. A host that starts with "/" is the folder of a Unix socket. */
  hosts: readonly { host: string | undefined; port: number }[]
  user: string | undefined
  password: string | undefined
  database: string | undefined
  sslMode: SslMode
  /** The path of a file, or `system`. */
  sslRootCert: string | undefined
  sslCert: string | undefined
  sslKey: string | undefined
  sslNegotiation: (typeof sslNegotiations)[number]
  /** How many seconds a connection attempt to one host may take. */
  connectTimeout: number | undefined
  /** Command line options for the server process. */
  options: string | undefined
  applicationName: string | undefined
}

const DEFAULT_PORT = 5432
const MAX_PORT = 65_535
const urlPattern = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/
const hostPattern = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/
const knownSslParameters = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'sslcompression']

/** Throws an Error whose message never repeats the text, which may contain a password. */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [match, userInfo = '', hostList = '', path = '', query = ''] = urlPattern.exec(text) ?? []
  if (match === undefined) throw new Error('must look like postgres://user:password@host:5432/belfry')
  if (path.includes('@')) throw new Error('has a "/" before the "@"; write a "/" in the password as %2F')
  const [user, password] = userInfo.includes(':') ? userInfo.split(/:(.*)/s, 2) : [userInfo]
  if (userInfo === '' && query.includes('@') && Number(/:(\d+)/.exec(hostList)?.[1]) > MAX_PORT) {
    // The text that looks like a port is the beginning of a password. The message about invalid ports would repeat it.
    throw new Error('has a "?" before the "@"; write a "?" in the password as %3F')
  }
  const parameters = new Map([...new URLSearchParams(query)].filter(([, value]) => value !== ''))
  rejectUnknownSslParameters(parameters)
  parseChoice(parameters, 'target_session_attrs', sessionAttributes, 'any')
  return {
    hosts: parseHosts(hostList, parameters),
    user: parameters.get('user') ?? decode(user),
    password: parameters.get('password') ?? decode(password),
    database: parameters.get('dbname') ?? decode(path),
    ...parseSsl(parameters),
    connectTimeout: parseConnectTimeout(parameters.get('connect_timeout')),
    options: parameters.get('options'),
    applicationName: parameters.get('application_name'),
  }
}

function decode(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('has a "%" that is not followed by two hexadecimal digits; write it as %25')
  }
}

/** As in libpq, the parameters `host` and `port` replace the hosts of the URL, and one port can apply to all hosts. */
function parseHosts(hostList: string, parameters: ReadonlyMap<string, string>): DatabaseUrl['hosts'] {
  const entries = hostList.split(',').map((entry) => {
    const [match, host = '', port = ''] = hostPattern.exec(entry) ?? []
    if (match === undefined)
      throw new Error('must separate several hosts by commas: postgres://user@host1:5432,host2/db')
    return { host: decode(host.replace(/^\[(.*)\]$/, '$1')), port }
  })
  const hosts = parameters.get('host')?.split(',') ?? entries.map(({ host }) => host)
  const ports = parameters.get('port')?.split(',') ?? entries.map(({ port }) => port)
  if (ports.length > 1 && ports.length !== hosts.length) {
    const hostCount = hosts.length === 1 ? '1 host' : `${hosts.length} hosts`
    throw new Error(`names ${ports.length} ports for ${hostCount}; name one port, or one for each host`)
  }
  return hosts.map((host, index) => ({
    host: host === '' ? undefined : host,
    port: parsePort((ports.length === 1 ? ports[0] : ports[index]) ?? ''),
  }))
}

function parsePort(text: string): number {
  if (text === '') return DEFAULT_PORT
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < 1 || port > MAX_PORT)
    throw new Error(`has an invalid port: "${text}"; use a number from 1 to 65535`)
  return port
}

/** An ignored parameter could mean a connection that is less protected than the operator believes. */
function rejectUnknownSslParameters(parameters: ReadonlyMap<string, string>): void {
  for (const name of parameters.keys()) {
    if (name.startsWith('ssl') && !knownSslParameters.includes(name)) {
      throw new Error(`has the parameter ${name}, which Belfry doesn't support`)
    }
  }
}

function parseSsl(parameters: ReadonlyMap<string, string>) {
  const sslRootCert = parameters.get('sslrootcert')
  const defaultMode = sslRootCert === 'system' ? 'verify-full' : parameters.get('ssl') === 'true' ? 'require' : 'prefer'
  const sslMode = parseChoice(parameters, 'sslmode', sslModes, defaultMode)
  const sslNegotiation = parseChoice(parameters, 'sslnegotiation', sslNegotiations, 'postgres')
  if (sslRootCert === 'system' && sslMode !== 'verify-full') {
    throw new Error(`combines sslrootcert=system with sslmode=${sslMode}; use sslmode=verify-full`)
  }
  if (sslMode === 'verify-ca' && sslRootCert === undefined) {
    throw new Error('has sslmode=verify-ca without sslrootcert; add sslrootcert=<file>, or use sslmode=verify-full')
  }
  if (sslNegotiation === 'direct' && ['disable', 'allow', 'prefer'].includes(sslMode)) {
    throw new Error(`combines sslnegotiation=direct with sslmode=${sslMode}; use sslmode=require or stricter`)
  }
  const sslCert = parameters.get('sslcert')
  const sslKey = parameters.get('sslkey')
  if ((sslCert === undefined) !== (sslKey === undefined))
    throw new Error('must have both sslcert and sslkey, or neither')
  return { sslMode, sslRootCert, sslCert, sslKey, sslNegotiation }
}

function parseConnectTimeout(text: string | undefined): number | undefined {
  if (text === undefined || text === '0') return undefined
  if (!/^\d{1,4}$/.test(text)) throw new Error(`has connect_timeout=${text}; use a number of seconds`)
  return Number(text)
}

function parseChoice<T extends string>(
  parameters: ReadonlyMap<string, string>,
  name: string,
  allowedValues: readonly T[],
  fallback: NoInfer<T>,
): T {
  const value = parameters.get(name)
  if (value === undefined) return fallback
  const choice = allowedValues.find((allowedValue) => allowedValue === value)
  if (choice === undefined) throw new Error(`has ${name}=${value}; use one of ${allowedValues.join(', ')}`)
  return choice
}
