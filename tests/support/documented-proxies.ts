/** Starts a proxy with a configuration of docs/proxies.md, in which only addresses, ports and certificates are replaced. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { connect } from 'node:tls'
import { authorityCertificate, serverPrivateKey, validCertificate } from '../checker/certificates.ts'
import { findFreePort } from './free-port.ts'
import { formatNginxConfig, type ProxyProgram, type RunningProxy, startProxyProgram } from './proxy-programs.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/proxies.md'), 'utf8')

/** Returns the code block below a heading of the page. */
export function readDocumentedConfig(heading: string): string {
  const section = page.split(/^##+ /m).find((text) => text.startsWith(`${heading}\n`))
  const block = /^```\w+\n(.*?)^```/ms.exec(section ?? '')?.[1]
  if (block === undefined) throw new Error(`docs/proxies.md has no configuration below "${heading}"`)
  return block
}

export const listYamlBlocks = () => [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block = '']) => block)

interface Ports {
  https: number
  http: number
}

interface Replacements extends Ports {
  folder: string
  /** Maps addresses of the page, such as `10.0.0.1:3000`, to the addresses that replace them. */
  targets: Readonly<Record<string, string>>
}

function replaceTargets(config: string, { targets }: Replacements): string {
  return Object.entries(targets).reduce((text, [documented, target]) => text.replaceAll(documented, target), config)
}

function writeCertificate(folder: string): { certificate: string; key: string; haproxyFolder: string } {
  const files = { certificate: join(folder, 'test.crt'), key: join(folder, 'test.key') }
  const haproxyFolder = join(folder, 'certs')
  mkdirSync(haproxyFolder)
  writeFileSync(files.certificate, validCertificate)
  writeFileSync(files.key, serverPrivateKey)
  writeFileSync(join(haproxyFolder, 'test.pem'), validCertificate + serverPrivateKey)
  return { ...files, haproxyFolder }
}

const adapters: Record<ProxyProgram, (config: string, replacements: Replacements) => string> = {
  nginx: (config, replacements) => {
    const { certificate, key } = writeCertificate(replacements.folder)
    const servers = replaceTargets(config, replacements)
      // Not every machine that runs the tests has IPv6.
      .replace(/^ *listen \[::\].*\n/gm, '')
      .replaceAll('listen 443 ', `listen 127.0.0.1:${replacements.https} `)
      .replaceAll('listen 80;', `listen 127.0.0.1:${replacements.http};`)
      .replace(/(ssl_certificate) .*;/g, `$1 ${certificate};`)
      .replace(/(ssl_certificate_key) .*;/g, `$1 ${key};`)
    return formatNginxConfig(replacements.folder, servers)
  },
  haproxy: (config, replacements) => {
    const { haproxyFolder } = writeCertificate(replacements.folder)
    return replaceTargets(config, replacements)
      .replace('bind :::80 v4v6', `bind 127.0.0.1:${replacements.http}`)
      .replace('bind :::443 v4v6', `bind 127.0.0.1:${replacements.https}`)
      .replace('/etc/haproxy/certs/', haproxyFolder)
  },
  // Without these options Caddy would ask a public authority for certificates.
  caddy: (config, replacements) => {
    const { certificate, key } = writeCertificate(replacements.folder)
    const sites = replaceTargets(config, replacements).replace(
      /^(\S.* \{)$/gm,
      `$1\n  bind 127.0.0.1\n  tls ${certificate} ${key}`,
    )
    const options = ['admin off', 'auto_https disable_certs']
    const ports = [`http_port ${replacements.http}`, `https_port ${replacements.https}`]
    return `{\n  ${[...options, ...ports].join('\n  ')}\n}\n${sites}`
  },
}

export interface DocumentedProxy extends RunningProxy, Ports {}

export async function startDocumentedProxy(
  name: ProxyProgram,
  config: string,
  targets: Replacements['targets'],
): Promise<DocumentedProxy> {
  const ports = { https: await findFreePort(), http: await findFreePort() }
  const proxy = await startProxyProgram(name, {
    formatConfig: (folder) => adapters[name](config, { ...ports, folder, targets }),
    isResponding: () => isAcceptingTls(ports.https),
  })
  return { ...proxy, ...ports }
}

/** TLS options for a client that connects to 127.0.0.1. The certificate of the tests is issued for another name. */
export const tlsOptions = (servername: string) => ({
  host: '127.0.0.1',
  servername,
  ca: authorityCertificate,
  checkServerIdentity: () => undefined,
})

const isAcceptingTls = (port: number) =>
  new Promise<boolean>((finish) => {
    const probe = connect({ ...tlsOptions('stats.example.com'), port })
    probe.on('secureConnect', () => {
      probe.destroy()
      finish(true)
    })
    probe.on('error', () => finish(false))
  })
