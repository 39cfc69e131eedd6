/** Starts nginx, HAProxy and Caddy as Debian ships them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const programs = {
  nginx: { path: '/usr/sbin/nginx', getArgs: (folder: string, file: string) => ['-p', folder, '-c', file] },
  haproxy: { path: '/usr/sbin/haproxy', getArgs: (_folder: string, file: string) => ['-db', '-f', file] },
  caddy: {
    path: '/usr/bin/caddy',
    getArgs: (_folder: string, file: string) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
} as const
const START_TIMEOUT_MS = 10_000

export type ProxyProgram = keyof typeof programs

export const isInstalled = (name: ProxyProgram) => existsSync(programs[name].path)

export interface RunningProxy {
  close(): Promise<void>
}

interface ProxyStart {
  /** Returns the configuration. The proxy can write to the folder. */
  formatConfig(folder: string): string
  isResponding(): Promise<boolean>
}

export async function startProxyProgram(
  name: ProxyProgram,
  { formatConfig, isResponding }: ProxyStart,
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), `belfry-${name}-`))
  // If this process is root, nginx's workers run as another user, which must be able to traverse this folder.
  chmodSync(folder, 0o711)
  const configFile = join(folder, 'config')
  writeFileSync(configFile, formatConfig(folder))
  const { path, getArgs } = programs[name]
  const child = spawn(path, getArgs(folder, configFile), {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Caddy keeps its files below these folders.
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const close = async () => {
    await end(child)
    rmSync(folder, { recursive: true, force: true })
  }
  for (const endsAt = performance.now() + START_TIMEOUT_MS; !(await isResponding()); await delay(20)) {
    if (child.exitCode === null && performance.now() < endsAt) continue
    await close()
    throw new Error(`${name} did not start: ${output}`)
  }
  return { close }
}

/** Returns the parts of Debian's nginx.conf that our servers need, with these servers. */
export function formatNginxConfig(folder: string, servers: string): string {
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
  ${servers}
}
`
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
