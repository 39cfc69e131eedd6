/** nginx and haproxy as Debian ships them, in front of several Belfry nodes. Everything listens on 127.0.0.1. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from './free-port.ts'

export interface LoadBalancer {
  /** URL without a path. */
  address: string
  close(): Promise<void>
}

const programs = { nginx: '/usr/sbin/nginx', haproxy: '/usr/sbin/haproxy' } as const
const START_TIMEOUT_MS = 10_000

export type LoadBalancerName = keyof typeof programs

export const isInstalled = (name: LoadBalancerName) => existsSync(programs[name])

interface BalancedNodes {
  ports: readonly number[]
  /** How often haproxy requests `/readyz`, such as "2s", which is its default. nginx has no such checks. */
  checkInterval: string
}

/** Nothing but addresses and files differs from the defaults. */
function formatNginxConfig(folder: string, port: number, nodes: BalancedNodes): string {
  const temporaryFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  return `
daemon off;
pid ${join(folder, 'nginx.pid')};
error_log stderr;
events {}
http {
  access_log off;
  ${temporaryFolders.join('\n  ')}
  upstream belfry {
    ${nodes.ports.map((nodePort) => `server 127.0.0.1:${nodePort};`).join('\n    ')}
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://belfry;
    }
  }
}
`
}

/** The timeouts are those of Debian's file. "timeout check" keeps short intervals from limiting how long a response may take. */
function formatHaproxyConfig(_folder: string, port: number, { ports, checkInterval }: BalancedNodes): string {
  return `
defaults
  mode http
  timeout connect 5000
  timeout client 50000
  timeout server 50000
  timeout check 5000
listen belfry
  bind 127.0.0.1:${port}
  option httpchk GET /readyz
  ${ports.map((nodePort) => `server node${nodePort} 127.0.0.1:${nodePort} check inter ${checkInterval}`).join('\n  ')}
`
}

export async function startLoadBalancer(name: LoadBalancerName, nodes: BalancedNodes): Promise<LoadBalancer> {
  const folder = mkdtempSync(join(tmpdir(), `belfry-${name}-`))
  // If this process is root, nginx's workers run as another user, which must be able to traverse this folder.
  chmodSync(folder, 0o711)
  const configFile = join(folder, 'config')
  const port = await findFreePort()
  const formatConfig = { nginx: formatNginxConfig, haproxy: formatHaproxyConfig }[name]
  writeFileSync(configFile, formatConfig(folder, port, nodes))
  const args = { nginx: ['-p', folder, '-c', configFile], haproxy: ['-db', '-f', configFile] }[name]
  const child = spawn(programs[name], args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const close = async () => {
    await end(child)
    rmSync(folder, { recursive: true, force: true })
  }
  const address = `http://127.0.0.1:${port}`
  for (const endsAt = performance.now() + START_TIMEOUT_MS; !(await isResponding(address)); await pause(20)) {
    if (child.exitCode === null && performance.now() < endsAt) continue
    await close()
    throw new Error(`${name} did not start: ${output}`)
  }
  return { address, close }
}

const isResponding = (address: string) =>
  fetch(`${address}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
