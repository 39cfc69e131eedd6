/** Installs the systemd service under a real systemd, and uses, kills, misconfigures, updates and removes it. */
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../support/free-port.ts'
import { listMissing } from './support/requirements.ts'
import { printMeasurement } from './support/run.ts'
import {
  bootMachine,
  findMissingBootFeature,
  type MachineResult,
  type SystemdMachine,
} from './support/systemd-machine.ts'
import {
  checkPing,
  installationEnv,
  readVisits,
  useInstallation,
  waitFor,
  waitUntilReady,
} from './support/use-installation.ts'

const CONFIG = '/etc/belfry/belfry.env'
const UNIT = '/etc/systemd/system/belfry.service'
const isSkipped = listMissing('service.test.ts').length > 0
const missingBootFeature = isSkipped ? undefined : findMissingBootFeature()
if (missingBootFeature !== undefined)
  printMeasurement(`Skipping tests/install/service.test.ts. It needs ${missingBootFeature}.`)

describe.skipIf(isSkipped || missingBootFeature !== undefined)('the systemd service', () => {
  const root = resolve(import.meta.dirname, '../..')
  // In the machine, this project is /opt/belfry, including its Node.
  const node = process.execPath.replace(root, '/opt/belfry')
  const startedAt = Date.now()
  let machine: SystemdMachine
  let url: string
  /** The same address, as Belfry prints it. */
  let printedUrl: string

  beforeAll(async () => {
    machine = await bootMachine(root)
  })
  afterAll(() => machine?.stop())

  function run(program: string, ...args: string[]): string {
    const { code, stdout, stderr } = machine.run(program, ...args)
    if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${code}:\n${stdout}${stderr}`)
    return stdout
  }
  const belfry = (...args: string[]): MachineResult => machine.run(node, '/opt/belfry/bin/belfry.js', ...args)
  const readProperty = (name: string) => run('systemctl', 'show', '--value', '-p', name, 'belfry').trim()
  const isThere = (path: string) => machine.run('test', '-e', path).code === 0
  const addSetting = (line: string) => run('sh', '-c', `echo '${line}' >> ${CONFIG}`)

  it('is installed without being started', async () => {
    const port = await findFreePort()
    url = `http://127.0.0.1:${port}`
    printedUrl = `http://localhost:${port}`
    const { code, stdout } = belfry('service', 'install', '--no-start', '--port', String(port))
    expect(code).toBe(0)
    expect(stdout).toContain('Created the system user belfry.')
    expect(stdout).toContain(`Created the configuration ${CONFIG}.`)
    expect(stdout).toContain(`Wrote the unit ${UNIT}.`)
    expect(run('stat', '-c', '%a %U:%G', CONFIG).trim()).toBe('640 root:belfry')
    expect(readProperty('ActiveState')).toBe('inactive')
    expect(belfry('service', 'status')).toMatchObject({ code: 1, stdout: expect.stringContaining('inactive') })
  })

  it('starts, and shows the link for the first account', () => {
    const { code, stdout } = belfry('service', 'install')
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('The unit is up to date.') })
    expect(stdout).toContain(`Belfry is running at ${printedUrl}.`)
    expect(stdout).toMatch(new RegExp(`^${printedUrl}/setup\\?token=`, 'm'))
    expect(readProperty('UnitFileState')).toBe('enabled')
  })

  it('counts a visit and checks a monitor with its few privileges', async () => {
    for (const [name, value] of Object.entries(installationEnv)) addSetting(`${name}="${value}"`)
    run('systemctl', 'restart', 'belfry')
    await useInstallation(url)
    printMeasurement(`service: ${Math.round((Date.now() - startedAt) / 1000)} s to the first visit and check`)
    // Neither fping nor ping could open a socket without the inherited capability.
    expect(await checkPing(url, '127.0.0.1')).toMatchObject({ ok: true })
    const processStatus = run('cat', `/proc/${readProperty('MainPID')}/status`)
    expect(processStatus).toMatch(/^NoNewPrivs:\t1$/m)
    expect(processStatus).toMatch(/^Seccomp:\t2$/m)
    expect(processStatus).toMatch(/^CapEff:\t0000000000002000$/m)
    expect(processStatus).toMatch(new RegExp(`^Uid:\t${run('id', '-u', 'belfry').trim()}\t`, 'm'))
    expect(run('stat', '-c', '%a %U', '/var/lib/belfry').trim()).toBe('700 belfry')
  })

  it('shows its state to every user', () => {
    const belfryAsNobody = (...args: string[]) =>
      machine.run('setpriv', '--reuid=65534', '--clear-groups', node, '/opt/belfry/bin/belfry.js', 'service', ...args)
    const { code, stdout } = belfryAsNobody('status')
    expect(stdout).toMatch(/^State +running since /m)
    expect(stdout).toMatch(new RegExp(`^Address +${printedUrl}$`, 'm'))
    expect(stdout).toMatch(/^Version +\d/m)
    expect(stdout).toMatch(/^Ready +yes$/m)
    expect(code).toBe(0)
    expect(belfryAsNobody('install')).toMatchObject({ code: 1, stderr: expect.stringContaining('Only root') })
  })

  it('is restarted after it was killed, with all data', async () => {
    const pid = readProperty('MainPID')
    run('kill', '-9', pid)
    await waitFor('another process', async () => (['0', pid].includes(readProperty('MainPID')) ? undefined : true))
    await waitUntilReady(url)
    expect(readProperty('NRestarts')).toBe('1')
    expect(await readVisits(url)).toBe(1)
  })

  it('is not restarted if its configuration is wrong', () => {
    addSetting('BELFRY_ROLES=everything')
    expect(machine.run('systemctl', 'restart', 'belfry').code).toBe(1)
    expect(readProperty('ActiveState')).toBe('failed')
    expect(readProperty('ExecMainStatus')).toBe('78')
    expect(belfry('service', 'status')).toMatchObject({ code: 1, stdout: expect.stringContaining('exit code 78') })
    const { code, stderr } = belfry('service', 'install')
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('BELFRY_ROLES') })
    run('sed', '-i', '/BELFRY_ROLES/d', CONFIG)
    run('systemctl', 'start', 'belfry')
  })

  it('updates a unit of an earlier version, but not a unit that somebody else wrote', () => {
    run('sed', '-i', 's/^RestartSec=.*/RestartSec=60s/', UNIT)
    expect(belfry('service', 'install').stdout).toContain(`Updated the unit ${UNIT}.`)
    expect(run('cat', UNIT)).toContain('RestartSec=5s')
    expect(readProperty('ActiveState')).toBe('active')
    run('cp', UNIT, '/root/unit')
    run('sed', '-i', '1s/.*/# Mine/', UNIT)
    expect(belfry('service', 'install')).toMatchObject({ code: 1, stderr: expect.stringContaining('not written by') })
    expect(belfry('service', 'uninstall')).toMatchObject({ code: 1, stderr: expect.stringContaining('not removed') })
    run('mv', '/root/unit', UNIT)
    run('systemctl', 'daemon-reload')
  })

  it('has as much time as it needs to start and to stop', () => {
    // This does the same as `systemctl edit belfry`. An update of the unit keeps this file.
    run('mkdir', `${UNIT}.d`)
    run('sh', '-c', `printf '[Service]\\nTimeoutStartSec=12s\\nTimeoutStopSec=4s\\n' > ${UNIT}.d/override.conf`)
    run('systemctl', 'daemon-reload')
    run('sh', '-c', `sed -i.kept 's/^#BELFRY_DATABASE_WAIT=.*/BELFRY_DATABASE_WAIT=14/' ${CONFIG}`)
    addSetting('DATABASE_URL=postgres://127.0.0.1:1/nothing')
    expect(machine.run('systemctl', 'restart', 'belfry').code).toBe(1)
    // The result is not `timeout`, because Belfry itself gave up when BELFRY_DATABASE_WAIT was over.
    expect(readProperty('Result')).toBe('exit-code')
    expect(readProperty('ExecMainStatus')).toBe('1')
    run('mv', `${CONFIG}.kept`, CONFIG)

    addSetting('BELFRY_DRAIN_SECONDS=6')
    run('systemctl', 'restart', 'belfry')
    const stopsAt = Date.now()
    run('systemctl', 'stop', 'belfry')
    expect(Date.now() - stopsAt).toBeGreaterThan(6_000)
    expect(readProperty('Result')).toBe('success')
    expect(run('journalctl', '-u', 'belfry', '-o', 'cat', '-n', '4')).toContain('"msg":"stopped"')
    run('sed', '-i', '/BELFRY_DRAIN_SECONDS/d', CONFIG)
  })

  it('can be installed into an image', () => {
    const files = [node, '/opt/belfry/bin/belfry.js'].map((path) => `/srv/image${path}`)
    for (const path of files) run('install', '-D', '/dev/null', path)
    expect(belfry('service', 'install', '--root', '/srv/image').stdout).toContain('Wrote the unit /srv/image/etc/')
    expect(run('cat', `/srv/image${UNIT}`)).toBe(run('cat', UNIT))
    expect(run('cat', '/srv/image/etc/passwd')).toMatch(/^belfry:/m)
    expect(run('readlink', '/srv/image/etc/systemd/system/multi-user.target.wants/belfry.service').trim()).toBe(UNIT)

    run('install', '-D', '/dev/null', '/srv/image/usr/lib/systemd/system/belfry.service')
    const { code, stderr } = belfry('service', 'install', '--root', '/srv/image')
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('by a package of this system') })
  })

  it('is removed without its data, and with its data if --purge is given', async () => {
    expect(belfry('service', 'uninstall').stdout).toContain('Kept the data in /var/lib/belfry')
    expect(isThere(UNIT)).toBe(false)
    expect(readProperty('LoadState')).toBe('not-found')
    expect(belfry('service', 'install').code).toBe(0)
    await waitUntilReady(url)
    expect(await readVisits(url)).toBe(1)

    expect(belfry('service', 'uninstall', '--purge')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    })
    expect(readProperty('ActiveState')).toBe('active')
    expect(belfry('service', 'uninstall', '--purge', '--yes').code).toBe(0)
    expect([UNIT, '/etc/belfry', '/var/lib/belfry'].filter(isThere)).toEqual([])
    expect(machine.run('id', 'belfry').code).toBe(1)
    expect(belfry('service', 'status')).toMatchObject({ code: 1, stderr: expect.stringContaining('not installed') })
  })
})
