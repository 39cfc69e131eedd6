/**
 * Boots a real systemd as process 1 of its own namespaces, in a copy of this machine that exists only in memory: an overlay
 * above the root folder. So tests can install, start, kill and remove services without changing the machine. Only the network is
 * shared with the machine.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from './use-installation.ts'

export interface MachineResult {
  code: number | null
  stdout: string
  stderr: string
}

export interface SystemdMachine {
  /** Runs a command as root. */
  run(program: string, ...args: string[]): MachineResult
  /** Ends all processes, and discards all changes. */
  stop(): Promise<void>
}

const SYSTEMD = '/lib/systemd/systemd'
const namespaces = ['--mount', '--pid', '--cgroup', '--uts', '--ipc']

/** `$1` is an empty folder. The overlay is below it. `$3` is the folder of the system that is copied. */
const overlayScript = `
set -e
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=$3,upperdir=$1/upper,workdir=$1/work" "$1/root"
cd "$1/root"
`

/**
 * `$2` is mounted as /opt/belfry. Kernel settings and devices are read-only, so that systemd doesn't change those of
 * the machine.
 */
const bootScript = `${overlayScript}
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,ro,bind proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
  touch dev/$device
  mount --bind /dev/$device dev/$device
done
mkdir dev/shm dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mkdir -p opt/belfry
mount --bind "$2" opt/belfry
rm -f etc/fstab etc/systemd/system/*.wants/*
: > etc/machine-id
cat > etc/systemd/system/test.target <<END
[Unit]
Requires=basic.target
After=basic.target
END
pivot_root . mnt
umount -l mnt
exec env -i container=test ${SYSTEMD} --unit=test.target
`

/** Returns what this machine lacks to boot systemd in namespaces, or undefined if it lacks nothing. */
export function findMissingBootFeature(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-overlay-'))
  const { status, stderr } = spawnSync('unshare', [
    ...namespaces,
    '--fork',
    'sh',
    '-c',
    overlayScript,
    'sh',
    folder,
    '',
    '/',
  ])
  rmdirSync(folder)
  if (status !== 0) return `namespaces and overlays (${stderr?.toString().trim() || 'unshare is missing'})`
  return findCgroupFolder() === undefined ? 'version 2 of control groups' : undefined
}

function findCgroupFolder(): string | undefined {
  const line = readFileSync('/proc/self/mounts', 'utf8').match(/^\S+ (\S+) cgroup2 rw/m)
  return line?.[1]
}

/** `programFolder` becomes /opt/belfry. `system` is the root folder of the system that is copied: this machine's, or a chroot. */
export async function bootMachine(programFolder: string, system = '/'): Promise<SystemdMachine> {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-machine-'))
  const cgroup = join(findCgroupFolder() ?? '/sys/fs/cgroup', `belfry-machine-${process.pid}`)
  mkdirSync(cgroup)
  // The root of a cgroup namespace is the control group of the process that creates the namespace.
  const script = `echo $$ > "$3/cgroup.procs" && exec unshare ${namespaces.join(' ')} --fork --kill-child sh -c "$0" sh "$1" "$2" "$4"`
  const child = spawn('sh', ['-c', script, bootScript, folder, programFolder, cgroup, system], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const childExit = once(child, 'exit')
      child.kill('SIGKILL')
      await childExit
    }
    await waitFor('the control groups to be empty', async () => removeCgroups(cgroup))
    rmdirSync(folder)
  }
  try {
    const earlyExit = once(child, 'exit').then(() => Promise.reject(new Error('systemd ended')))
    earlyExit.catch(() => {})
    const pid = await Promise.race([waitFor('systemd to start', async () => findSystemd(child)), earlyExit])
    const run = (program: string, ...args: string[]) => runInside(pid, [program, ...args])
    await waitFor('systemd to be running', async () =>
      run('systemctl', 'is-active', 'test.target').code === 0 ? true : undefined,
    )
    return { run, stop }
  } catch (error) {
    await stop()
    throw new Error(`systemd did not boot:\n${output}`, { cause: error })
  }
}

function findSystemd({ pid }: ChildProcess): number | undefined {
  const [childPid] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  const name = childPid ? readFileSync(`/proc/${childPid}/comm`, 'utf8').trim() : ''
  return name === 'systemd' ? Number(childPid) : undefined
}

function runInside(pid: number, command: string[]): MachineResult {
  const args = ['-t', String(pid), ...namespaces, '--root', '--wd', '--', ...command]
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' }
  const { status, stdout, stderr, error } = spawnSync('nsenter', args, { env, encoding: 'utf8' })
  if (error !== undefined) throw error
  return { code: status, stdout, stderr }
}

/** Control groups can be removed once their last process has ended, children first. */
function removeCgroups(folder: string): true {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeCgroups(join(folder, entry.name))
  }
  rmdirSync(folder)
  return true
}
