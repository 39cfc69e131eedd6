/** Installs Debian packages that tests need. */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'

/** If this script exists and exits with 101, Debian's packages don't start their services when they are installed. */
const servicePolicyFile = '/usr/sbin/policy-rc.d'

/** Installs the packages without starting their services. Does nothing unless we are root on Debian. */
export function installDebianPackages(names: readonly string[], testKind: string): void {
  if (names.length === 0 || process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return
  process.stdout.write(
    `Installing ${names.join(', ')} for the ${testKind} tests (apt-get install ${names.join(' ')}).\n`,
  )
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const mustWritePolicy = !existsSync(servicePolicyFile)
  if (mustWritePolicy) writeFileSync(servicePolicyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...names]]) {
      spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 'ignore', 'inherit'], env })
    }
  } finally {
    if (mustWritePolicy) rmSync(servicePolicyFile)
  }
}
