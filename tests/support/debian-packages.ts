/** Installs Debian packages that tests need. */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'

/** If this script exists and exits with 101, Debian's packages don't start their services when they are installed. */
const servicePolicyFile = '/usr/sbin/policy-rc.d'

/** Says what is installed, how and why, and how to prevent it, in one line. `tests` are the tests that need the packages. */
export function describeInstallation(names: readonly string[], tests: readonly string[]): string {
  const listFormat = new Intl.ListFormat('en-GB')
  return (
    `Installing ${listFormat.format(names)} with apt-get, for ${listFormat.format([...new Set(tests)])}. ` +
    'BELFRY_TEST_INSTALL=no prevents this.'
  )
}

/** Installs the packages without starting their services. Does nothing unless we are root on Debian, or with BELFRY_TEST_INSTALL=no. */
export function installDebianPackages(names: readonly string[], tests: readonly string[]): void {
  const isAllowed = process.env['BELFRY_TEST_INSTALL'] !== 'no'
  if (names.length === 0 || !isAllowed || process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return
  process.stdout.write(`${describeInstallation(names, tests)}\n`)
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
