/**
 * Builds the Debian package and installs, upgrades, removes and purges it in a new Debian: in a chroot without systemd, and in a
 * copy of it with a running systemd. There is no package of an earlier release yet, so the previous package is made of the same
 * program, with a lower version and another configuration file.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packRoot, prepareRoot } from '../../packaging/debian/build.ts'
import { provideProgram, stageNewProgram } from '../../packaging/debian/stage.ts'
import { findFreePort } from '../support/free-port.ts'
import { backupOfSchema } from '../support/old-schema.ts'
import { TEST_SECRET } from '../support/server.ts'
import { createDebianChroot, type DebianChroot, runInBackground } from './support/debian-chroot.ts'
import { findLintianProblems } from './support/lintian.ts'
import { version } from './support/packed.ts'
import { listMissing } from './support/requirements.ts'
import { createInstallFolder, printMeasurement, run } from './support/run.ts'
import { shareFolder } from './support/shared-folder.ts'
import { bootMachine, findMissingBootFeature, type SystemdMachine } from './support/systemd-machine.ts'
import { installationEnv, readVisits, useInstallation, waitUntilReady } from './support/use-installation.ts'

const CONFIG = '/etc/belfry/belfry.env'
const isSkipped = listMissing('debian.test.ts').length > 0
const missingBootFeature = isSkipped ? undefined : findMissingBootFeature()
if (missingBootFeature !== undefined)
  printMeasurement(`Skipping a part of tests/install/debian.test.ts. It needs ${missingBootFeature}.`)

describe.skipIf(isSkipped)('the Debian package', () => {
  const folder = createInstallFolder('debian')
  const packages = join(folder.path, 'packages')
  let chroot: DebianChroot
  let lintianProblems: Promise<string[]>
  let secondBuild: Promise<string>
  let startedAt: number
  const packageNames = { previous: '', current: '' }

  const deb = (name: keyof typeof packageNames) => `/opt/belfry/${packageNames[name]}`

  beforeAll(async () => {
    startedAt = Date.now()
    const chrootReady = createDebianChroot(join(folder.path, 'chroot'))
    const root = join(folder.path, 'root')
    await provideProgram(join(root, 'usr/lib/belfry'), await shareFolder('program', stageNewProgram))
    const libraries = await prepareRoot(root)
    const currentPackage = await packRoot(root, { output: packages, compression: 'none' })
    packageNames.current = currentPackage.slice(packages.length + 1)
    lintianProblems = findLintianProblems(currentPackage)
    lintianProblems.catch(() => {})
    await prepareRoot(root, { version: `${version}-previous`, libraries })
    appendFileSync(join(root, CONFIG), '# A line of the previous version.\n')
    const previousPackage = await packRoot(root, { output: packages, compression: 'none' })
    packageNames.previous = previousPackage.slice(packages.length + 1)
    const secondBuildArgs = [root, version, join(folder.path, 'again')]
    secondBuild = runInBackground(process.execPath, [
      join(import.meta.dirname, 'support/build-again.ts'),
      ...secondBuildArgs,
    ])
    secondBuild.catch(() => {})
    chroot = await chrootReady
  })
  afterAll(() => folder.remove())

  it('works in a chroot without systemd, and is upgraded while its server runs', async () => {
    mkdirSync(join(chroot.folder, 'opt/belfry'))
    for (const name of Object.values(packageNames))
      run('cp', [join(packages, name), join(chroot.folder, 'opt/belfry')], { cwd: '/' })
    chroot.run(`apt-get install -y ${deb('previous')}`)
    expect(chroot.run(`stat -c '%a %U:%G' ${CONFIG} /var/lib/belfry`)).toBe('640 root:belfry\n700 belfry:belfry\n')
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    // Root runs the command, but the server runs as the user of the service.
    const env = { ...installationEnv, PORT: String(port) }
    const server = chroot.start(['belfry', 'serve'], env)
    await useInstallation(url)
    printMeasurement(
      `Debian: ${Math.round((Date.now() - startedAt) / 1000)} s from the sources to the first visit and check`,
    )
    chroot.run(`apt-get install -y ${deb('current')}`)
    expect(chroot.run(`cat ${CONFIG}`)).not.toContain('previous version')
    expect(await readVisits(url)).toBe(1)
    await server.stop()
    const upgradedServer = chroot.start(['belfry'], env)
    await waitUntilReady(url)
    expect(await readVisits(url)).toBe(1)
    await upgradedServer.stop()
    expect(chroot.run('find /var/lib/belfry -not -user belfry')).toBe('')
    chroot.run('apt-get purge -y belfry')
    expect(findRemains((script) => chroot.run(script))).toBe('')
  })

  describe.skipIf(missingBootFeature !== undefined)('with systemd', () => {
    let machine: SystemdMachine
    let url: string

    beforeAll(async () => {
      machine = await bootMachine(packages, chroot.folder)
    })
    afterAll(() => machine?.stop())

    function shell(script: string): string {
      const { code, stdout, stderr } = machine.run(
        'env',
        'DEBIAN_FRONTEND=noninteractive',
        'HOME=/root',
        'sh',
        '-ec',
        script,
      )
      if (code !== 0) throw new Error(`${script} exited with ${code}:\n${stdout}${stderr}`)
      return stdout
    }
    const isActive = () => machine.run('systemctl', 'is-active', 'belfry').stdout.trim() === 'active'

    it('starts its service, which counts a visit and checks a monitor', async () => {
      const port = await findFreePort()
      url = `http://127.0.0.1:${port}`
      // The administrator prevents the service from starting before it is configured, because another service may use
      // the default port.
      shell("printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d")
      shell(`apt-get install -y ${deb('previous')}`)
      expect(isActive()).toBe(false)
      shell('rm /usr/sbin/policy-rc.d')
      const settings = Object.entries(installationEnv).map(([name, value]) => `${name}="${value}"\n`)
      shell(`sed -i 's/^PORT=.*/PORT=${port}/' ${CONFIG}; cat >> ${CONFIG} <<'END'\n${settings.join('')}END`)
      shell('dpkg-reconfigure belfry')
      expect(isActive()).toBe(true)
      expect(shell('systemctl is-enabled belfry').trim()).toBe('enabled')
      await useInstallation(url)
    })

    it("lets root use every command, and leaves no file of root in the service's folder", () => {
      expect(shell('cd ~ && belfry --version').trim()).toBe(`${version}-previous`)
      expect(shell('cd ~ && belfry user create bob@example.com 2>&1')).toContain('Created user bob@example.com')
      expect(shell('cd ~ && belfry backup running.gz && stat -c "%a %U" running.gz')).toBe('600 root\n')
      expect(shell('cd ~ && belfry doctor')).not.toContain('from this shell')
      shell(
        'systemctl stop belfry; cd ~ && belfry backup stopped.gz && belfry restore running.gz --yes && belfry user list',
      )
      expect(shell('find /var/lib/belfry -not -user belfry')).toBe('')
      shell('systemctl start belfry; rm ~/*.gz')
    })

    it('is upgraded without questions, and keeps the configuration of the administrator and the data', async () => {
      const stoppedAt = Date.now()
      shell(`apt-get install -y -o Dpkg::Options::=--force-confold ${deb('current')}`)
      expect(isActive()).toBe(true)
      await waitUntilReady(url)
      printMeasurement(`Debian: ${((Date.now() - stoppedAt) / 1000).toFixed(1)} s for an upgrade`)
      expect(shell('belfry --version').trim()).toBe(version)
      expect(shell(`cat ${CONFIG}`)).toContain('# A line of the previous version.')
      expect(await readVisits(url)).toBe(1)
    })

    it('keeps the installed version running if an upgrade fails', async () => {
      const brokenFolder = join(folder.path, 'broken')
      mkdirSync(join(brokenFolder, 'DEBIAN'), { recursive: true })
      const control = readFileSync(join(folder.path, 'root/DEBIAN/control'), 'utf8').replace(
        /^Version: .*$/m,
        'Version: 99',
      )
      writeFileSync(join(brokenFolder, 'DEBIAN/control'), control)
      writeFileSync(join(brokenFolder, 'DEBIAN/preinst'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
      run('dpkg-deb', ['--build', brokenFolder, join(packages, 'broken.deb')], { cwd: '/' })
      const pidBefore = shell('systemctl show --value -p MainPID belfry')
      expect(machine.run('dpkg', '-i', '/opt/belfry/broken.deb').code).toBe(1)
      await waitUntilReady(url)
      expect(shell('systemctl show --value -p MainPID belfry')).not.toBe(pidBefore)
      expect(await readVisits(url)).toBe(1)
    })

    it('leaves data and configuration when it is removed, and uses them when it is installed again', async () => {
      shell('apt-get remove -y belfry')
      expect(isActive()).toBe(false)
      expect(shell(`ls ${CONFIG} /var/lib/belfry/secret`)).toContain('secret')
      expect(machine.run('test', '-e', '/usr/lib/belfry').code).toBe(1)
      shell(`apt-get install -y ${deb('current')}`)
      await waitUntilReady(url)
      expect(await readVisits(url)).toBe(1)
    })

    it('migrates the database of an earlier release after it has backed it up', async () => {
      writeFileSync(join(packages, 'earlier.gz'), readFileSync(backupOfSchema(10)))
      shell(`systemctl stop belfry; echo 'BELFRY_SECRET="${TEST_SECRET}"' >> ${CONFIG}`)
      shell('install -m 600 /opt/belfry/earlier.gz ~; belfry rollback ~/earlier.gz --yes; systemctl start belfry')
      await waitUntilReady(url)
      expect(shell('belfry user list')).toContain('@example.com')
      expect(shell('ls /var/lib/belfry/backups')).toMatch(/^before-10-to-\d+-/m)
      expect(shell('find /var/lib/belfry -not -user belfry; rm ~/earlier.gz')).toBe('')
    })

    it('leaves only its user when it is purged', () => {
      shell('apt-get purge -y belfry')
      expect(findRemains(shell)).toBe('')
      expect(shell('id -un belfry').trim()).toBe('belfry')
    })
  })

  it('has the same bytes when it is built again', async () => {
    const path = await secondBuild
    const firstBytes = readFileSync(join(packages, packageNames.current))
    expect(readFileSync(path).equals(firstBytes)).toBe(true)
    expect(path).toMatch(new RegExp(`/belfry_${version}_(arm64|amd64)\\.deb$`))
  })

  it('is accepted by lintian', async () => {
    expect(await lintianProblems).toEqual([])
    printMeasurement(`Debian: ${Math.round((Date.now() - startedAt) / 1000)} s for all tests`)
  })
})

/** Searches only the names of files, because files such as /etc/hostname may contain the name of this machine, which may include "belfry". */
function findRemains(shell: (script: string) => string): string {
  return shell("find / -xdev -not -path '/opt/*' -not -path '/proc/*' -not -path '/sys/*' -iname '*belfry*'")
}
