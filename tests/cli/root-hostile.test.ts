/**
 * Root runs commands on the data folder of another user, who has replaced its contents with links to files elsewhere. Nothing outside the
 * folder may change. Everything is in a temporary folder.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { findBinaries } from '../../src/storage/embedded/binaries.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { backupOfSchema } from '../support/old-schema.ts'
import { createTempFolder, startCommand, waitForResult } from './support.ts'
import { previousSchema } from './upgrade-support.ts'

/** The user who runs the server. No entry of /etc/passwd has this id. */
const SERVICE_USER = 4_000_000
/** Without this timeout, a command that waits for a named pipe would never end. The machine may be busy. */
const COMMAND_TIMEOUT_MS = 60_000

interface Hostile {
  data: string
  /** Files and folders of root. The file is writable for everybody, so that only the command itself protects it. */
  outside: string
}

type Plant = (hostile: Hostile) => void

/** Describes everything that must not change. */
function describeTree(folder: string): Record<string, string> {
  const tree: Record<string, string> = {}
  for (const name of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()]) {
    const path = join(folder, name)
    const stats = lstatSync(path)
    const content = stats.isSymbolicLink() ? readlinkSync(path) : stats.isFile() ? readFileSync(path, 'utf8') : ''
    tree[name] = `${stats.uid}:${stats.gid} ${stats.mode.toString(8)} ${content}`
  }
  return tree
}

function createOutside(folder: string): void {
  mkdirSync(join(folder, 'etc'), { recursive: true })
  for (const name of ['file', 'etc/shadow', 'etc/PG_VERSION']) writeFileSync(join(folder, name), '18\n')
  chmodSync(join(folder, 'file'), 0o666)
  for (const name of ['.', 'etc']) chmodSync(join(folder, name), 0o755)
}

/** Creates everything that Belfry looks at before it starts PostgreSQL. */
function createData(folder: string): void {
  mkdirSync(join(folder, 'postgres'), { recursive: true })
  writeFileSync(join(folder, 'postgres', 'PG_VERSION'), `${findBinaries().majorVersion}\n`)
}

const ownedFiles = [
  'belfry.lock',
  'belfry.ready',
  'postgres.lock',
  'belfry.version',
  'server.json',
  'server.json.new',
  'belfry.version.new',
  'postgres-hba.conf',
  'postgres-hba.conf.new',
  'postgres-ident.conf',
  'postgres-ident.conf.new',
]
const ownedFolders = ['run', 'postgres-log', 'backups', 'status-pages', 'postgres.new', 'postgres-lib']

const plantFileLinks: Plant = ({ data, outside }) => {
  for (const name of ownedFiles) symlinkSync(join(outside, 'file'), join(data, name))
}
const plantFolderLinks: Plant = ({ data, outside }) => {
  for (const name of ownedFolders) symlinkSync(join(outside, 'etc'), join(data, name))
  symlinkSync(join(outside, 'etc'), join(data, 'postgres', 'base'))
  symlinkSync(join(outside, 'file'), join(data, 'postgres', 'postmaster.pid'))
}
const plantPipes: Plant = ({ data }) => {
  const paths = ['secret', 'server.json', 'belfry.version', 'postgres-hba.conf'].map((name) => join(data, name))
  expect(spawnSync('mkfifo', paths).status).toBe(0)
}
const plantHardLinks: Plant = ({ data, outside }) => {
  for (const name of ['belfry.lock', 'belfry.ready', 'postgres.lock', 'secret']) {
    linkSync(join(outside, 'file'), join(data, name))
  }
  for (const name of ['run', 'postgres-log']) {
    mkdirSync(join(data, name))
    linkSync(join(outside, 'etc/shadow'), join(data, name, 'hard'))
    symlinkSync(join(outside, 'etc'), join(data, name, 'soft'))
  }
}
const plantFolders: Plant = ({ data, outside }) => {
  for (const name of ownedFiles) mkdirSync(join(data, name))
  for (const name of ownedFolders) symlinkSync(join(outside, 'file'), join(data, name))
}
const plantCluster: Plant = ({ data, outside }) => {
  rmSync(join(data, 'postgres'), { recursive: true })
  symlinkSync(join(outside, 'etc'), join(data, 'postgres'))
}

const backup = backupOfSchema(previousSchema)
/** Each uses the data folder in its own way. */
const differentCommands = [
  'serve',
  'user list',
  'report preview example.com --out {out}/report.html',
  'traffic export example.com {out}/export --format plausible',
  'backup {out}/backup.gz',
  `restore ${backup} --yes`,
  'rollback --yes',
  'upgrade --check --offline',
  'doctor',
]
/** These use the data folder like one of the commands above, so only `npm run faults` runs them. */
const similarCommands = [
  'migrate',
  'user create eve@example.com',
  'key list --user eve@example.com',
  'traffic generate example.com --days 1',
  `traffic import example.com ${backup}`,
  'traffic export example.com {out}/export.csv',
  `rollback ${backup} --yes`,
  'move --to postgres://127.0.0.1:1/none',
  'config',
]
const manyCommands = isFaultsRun ? [...differentCommands, ...similarCommands] : differentCommands
const pipeReaders = ['serve', 'backup {out}/backup.gz', `restore ${backup} --yes`, 'doctor']

const fewCommands = ['backup {out}/backup.gz', 'doctor']

/** The timeout is long, because each command is a process, and the machine may be busy. */
const TIMEOUT_MS = 180_000

describe.skipIf(process.getuid?.() !== 0)('as root, commands on the data folder of another user', () => {
  const folder = createTempFolder()
  afterAll(() => folder.remove())
  let caseCount = 0

  function createHostile(plants: readonly Plant[]) {
    const path = join(folder.path, `case-${caseCount++}`)
    const hostile = { data: folder.data(`case-${caseCount - 1}/data`), outside: join(path, 'outside') }
    const out = join(path, 'out')
    createOutside(hostile.outside)
    createData(hostile.data)
    const treeBefore = describeTree(hostile.outside)
    // Linking a file changes only the number of its names, which the description leaves out.
    for (const plant of plants) plant(hostile)
    // Gives everything to the service user, except files with a second name. `find` and `chown -h` follow no links.
    const ownPaths = ['(', '-type', 'd', '-o', '-links', '1', ')']
    const chown = ['-exec', 'chown', '-h', `${SERVICE_USER}:${SERVICE_USER}`, '{}', '+']
    expect(spawnSync('find', [hostile.data, ...ownPaths, ...chown]).status).toBe(0)
    expect(describeTree(hostile.outside)).toEqual(treeBefore)
    mkdirSync(out, { mode: 0o700 })
    return { ...hostile, out, before: treeBefore }
  }

  /** Returns what the command did wrong. */
  async function findHarm(command: string, plants: readonly Plant[]): Promise<string[]> {
    const { data, outside, out, before } = createHostile(plants)
    const child = startCommand(command.replaceAll('{out}', out).split(' '), { env: { BELFRY_DATA: data } })
    const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_TIMEOUT_MS)
    child.stdin?.end()
    const { code } = await waitForResult(child)
    clearTimeout(timer)
    const treeAfter = describeTree(outside)
    const harm = Object.keys({ ...before, ...treeAfter }).filter((name) => before[name] !== treeAfter[name])
    return [
      ...harm.map((name) => `${command}: ${name} was "${before[name]}", is "${treeAfter[name]}"`),
      ...(code === null ? [`${command}: did not end`] : []),
      ...(readdirSync(out).some((name) => name.endsWith('.part')) ? [`${command}: left a partial file`] : []),
    ]
  }

  it.each([
    ['files are links', manyCommands, [plantFileLinks, plantFolderLinks]],
    ['folders are links, and files are pipes', pipeReaders, [plantFolderLinks, plantPipes]],
    ['files have a second name elsewhere', fewCommands, [plantHardLinks]],
    ['files are folders, and folders are links to files', fewCommands, [plantFolders]],
    ['database is a link', fewCommands, [plantCluster, plantPipes]],
  ] as const)(
    'change nothing outside the folder if its %s',
    { timeout: TIMEOUT_MS },
    async (_case, commands, plants) => {
      const harm: string[][] = []
      // Running two commands at a time uses both processors of a small machine.
      for (let index = 0; index < commands.length; index += 2) {
        harm.push(...(await Promise.all(commands.slice(index, index + 2).map((command) => findHarm(command, plants)))))
      }
      expect(harm.flat()).toEqual([])
    },
  )

  it('change nothing outside the folder while its subfolders are replaced by links again and again', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { data, outside, before } = createHostile([])
    // The service user does what a compromised server could do, until the file `stop` exists, but at most for 20 seconds.
    const script = `
      end=$(($(date +%s) + 20))
      while [ ! -e stop ] && [ $(date +%s) -lt $end ]; do
        for name in run postgres-log backups postgres.new; do
          rm -rf $name; mkdir -p $name/nested/nested
          mv $name/nested $name.old; ln -s ${outside}/etc $name/nested
          rm -rf $name $name.old; ln -s ${outside}/etc $name
        done
        for name in belfry.lock belfry.ready postgres.lock belfry.version; do ln -sf ${outside}/file $name; rm -f $name; done
      done 2>/dev/null`
    const attacker = spawn('sh', ['-c', script], {
      cwd: data,
      uid: SERVICE_USER,
      gid: SERVICE_USER,
      stdio: 'ignore',
    })
    const attackerEnded = once(attacker, 'exit')
    try {
      for (const command of [`restore ${backup} --yes`, 'migrate', 'backup -', 'doctor']) {
        const child = startCommand(command.split(' '), { env: { BELFRY_DATA: data } })
        child.stdin?.end()
        await waitForResult(child)
      }
    } finally {
      writeFileSync(join(data, 'stop'), '')
      await attackerEnded
    }
    expect(describeTree(outside)).toEqual(before)
  })

  it('change nothing in another folder if that user has put a link to it into the path of the data folder', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const path = join(folder.path, 'way')
    const victim = join(path, 'victim')
    const home = join(path, 'home')
    for (const name of ['victim/run', 'victim/data/run', 'home']) {
      mkdirSync(join(path, name), { recursive: true })
      writeFileSync(join(path, name, 'file'), '')
    }
    for (const name of ['data', 'app']) symlinkSync(victim, join(home, name))
    expect(spawnSync('chown', ['-hR', `${SERVICE_USER}:${SERVICE_USER}`, home]).status).toBe(0)
    symlinkSync('home/data', join(path, 'belfry'))
    const treeBefore = describeTree(victim)
    for (const name of ['belfry', 'home/app/data']) {
      const { code, stderr } = await waitForResult(
        startCommand(['migrate'], { env: { BELFRY_DATA: join(path, name) } }),
      )
      expect([code, stderr]).toEqual([1, expect.stringContaining(`User ${SERVICE_USER} can replace the data folder`)])
    }
    expect(describeTree(victim)).toEqual(treeBefore)
  })

  it.each([
    { case: 'valid', port: '0' },
    { case: 'invalid', port: '\u001b[31mred' },
  ])('print nothing that controls the terminal, if the settings of the server are $case', async ({ port }) => {
    const { data } = createHostile([])
    const configFile = join(data, '\u001b[32mgreen.env')
    writeFileSync(configFile, '')
    const server = spawn('sleep', ['60'], {
      env: { BELFRY_DATA: data, PORT: port },
      uid: SERVICE_USER,
      gid: SERVICE_USER,
      stdio: 'ignore',
    })
    const serverEnded = once(server, 'exit')
    try {
      const startTicks = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(' ')[21]
      writeFileSync(join(data, 'server.json'), JSON.stringify({ pid: server.pid, startTicks, configFile }))
      const child = startCommand(['doctor'], { env: { BELFRY_DATA: data } })
      const { stdout, stderr } = await waitForResult(child)
      expect(stdout + stderr).toContain('[3')
      expect(stdout + stderr).not.toContain('\u001b')
    } finally {
      server.kill()
      await serverEnded
    }
  })

  it('create no data folder as root where that user could create a link first', async () => {
    const path = join(folder.path, 'home')
    mkdirSync(path)
    chownSync(path, SERVICE_USER, SERVICE_USER)
    chmodSync(path, 0o500)
    const child = startCommand(['migrate'], { env: { BELFRY_DATA: join(path, 'data') } })
    const { code, stderr } = await waitForResult(child)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`not accessible to user ${SERVICE_USER}`)])
    expect(existsSync(join(path, 'data'))).toBe(false)
  })
})
