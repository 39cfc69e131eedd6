/** Installs Debian packages that tests need. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Another test command may install packages at the same time. */
const LOCK_FILE = '/run/lock/belfry-test-packages'

/** While policy-rc.d exists and exits with 101, Debian's packages don't start their services when they are installed. */
const installScript = `
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\\nexit 101\\n' > "$policy"
  chmod 755 "$policy"
fi
apt-get -qq update
apt-get -qq install -y --no-install-recommends "$@"
`

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
  spawnSync('flock', [LOCK_FILE, 'sh', '-c', installScript, 'sh', ...names], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}
