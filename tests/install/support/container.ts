/**
 * Runs an image as Docker and Kubernetes do with their strictest settings: as the image's user, without capabilities or new privileges,
 * and with a read-only root folder. It needs crun, but no container engine.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImageConfig } from './images.ts'
import { createCleanEnv, type StartedProgram, start, type Variables } from './run.ts'

export interface ContainerOptions {
  /** An empty folder of this container. */
  folder: string
  root: string
  config: ImageConfig
  /** The folder that is mounted at /data. */
  data: string
  env?: Variables
  /** Replaces the image's user: "<uid>:<gid>". */
  user?: string
  /** Replaces the image's entry point and command. */
  command?: string[]
  /** Files in /run/secrets. */
  secrets?: Record<string, string>
  /** `own` has only a loopback interface. */
  network: 'machine' | 'own'
  /** Allows pings without privileges. */
  pings?: boolean
  /** By default, the container has no capabilities. */
  capabilities?: string[]
}

export interface Container {
  program: StartedProgram
  /** Runs a command in the container. */
  execute(command: string[], env?: Variables): { code: number | null; output: string }
  /** Sends a signal to process 1. Returns the exit code, and how many seconds it took. */
  end(signal: 'TERM' | 'KILL'): Promise<{ code: number | null; seconds: number }>
}

// crun refuses machines that mount both versions of control groups, even if it uses none. So mount version 2 in their
// place.
const crunScript = 'mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec crun --cgroup-manager=disabled "$@"'
const crunArguments = (args: string[]) => ['--mount', '--propagation=private', 'sh', '-c', crunScript, 'crun', ...args]

export function startContainer(options: ContainerOptions): Container {
  const { folder, config, user = config.User } = options
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.json'), JSON.stringify(createRuntimeConfig(options)))
  const name = `belfry-test-${process.pid}-${folder.split('/').at(-1)}`
  const state = ['--root', join(folder, 'state')]
  const runCrun = (...args: string[]) =>
    spawnSync('unshare', crunArguments([...state, ...args]), { env: createCleanEnv(), encoding: 'utf8' })
  const program = start('unshare', crunArguments([...state, 'run', '--bundle', folder, name]), { cwd: folder })
  const programExit = once(program.child, 'exit')
  return {
    program,
    execute(command, env = {}) {
      const variables = [...listVariables(options), ...Object.entries(env).map(([key, value]) => `${key}=${value}`)]
      const envOptions = variables.flatMap((variable) => ['--env', variable])
      const { status, stdout, stderr } = runCrun('exec', '--user', user, ...envOptions, name, ...command)
      return { code: status, output: stdout + stderr }
    },
    async end(signal) {
      const startedAt = Date.now()
      runCrun('kill', name, signal)
      const [code] = await programExit
      return { code, seconds: (Date.now() - startedAt) / 1000 }
    },
  }
}

const listVariables = ({ config, env = {} }: ContainerOptions) => [
  ...config.Env,
  ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
]

/** Returns the runtime's configuration, in the format of the Open Container Initiative. */
function createRuntimeConfig(options: ContainerOptions): object {
  const { config, root, network, pings = false, capabilities = [] } = options
  const [uid, gid] = (options.user ?? config.User).split(':').map(Number)
  return {
    ociVersion: '1.0.2',
    process: {
      user: { uid, gid },
      args: options.command ?? [...config.Entrypoint, ...config.Cmd],
      env: listVariables(options),
      cwd: config.WorkingDir,
      noNewPrivileges: capabilities.length === 0,
      capabilities: { bounding: capabilities },
    },
    root: { path: root, readonly: true },
    mounts: listMounts(options),
    linux: {
      namespaces: ['pid', 'mount', 'ipc', 'uts', ...(network === 'own' ? ['network'] : [])].map((type) => ({ type })),
      ...(pings && { sysctl: { 'net.ipv4.ping_group_range': '0 2147483647' } }),
      // Container engines also forbid user namespaces. With one, Belfry could run PostgreSQL even if its own user ID has no name,
      // and the tests would not notice that the entry point adds no name.
      seccomp: {
        defaultAction: 'SCMP_ACT_ALLOW',
        syscalls: [{ names: ['unshare', 'setns', 'mount', 'ptrace', 'bpf'], action: 'SCMP_ACT_ERRNO' }],
      },
    },
  }
}

function listMounts({ folder, data, secrets = {} }: ContainerOptions): object[] {
  const tmpfs = (destination: string, mode: string) => ({
    destination,
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', `mode=${mode}`, 'size=64m'],
  })
  const secretMounts = Object.entries(secrets).map(([name, text]) => {
    const source = join(folder, name)
    writeFileSync(source, text)
    return { destination: `/run/secrets/${name}`, type: 'bind', source, options: ['bind', 'ro'] }
  })
  return [
    { destination: '/proc', type: 'proc', source: 'proc' },
    tmpfs('/dev', '755'),
    tmpfs('/dev/shm', '1777'),
    tmpfs('/tmp', '1777'),
    { destination: '/data', type: 'bind', source: data, options: ['bind', 'rw'] },
    ...(secretMounts.length > 0 ? [tmpfs('/run', '755')] : []),
    ...secretMounts,
  ]
}
