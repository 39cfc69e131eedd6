import { expect, it } from 'vitest'
import { describeInstallation } from './debian-packages.ts'

it('the message about an installation says in one line what is installed, why, and how to prevent it', () => {
  expect(describeInstallation(['chromium', 'chromium-headless-shell'], ['browser tests', 'browser tests'])).toBe(
    'Installing chromium and chromium-headless-shell with apt-get, for browser tests. BELFRY_TEST_INSTALL=no prevents this.',
  )
  expect(describeInstallation(['fping', 'nginx', 'curl'], ['ping tests', 'tests of the proxy nginx', 'docs'])).toBe(
    'Installing fping, nginx and curl with apt-get, for ping tests, tests of the proxy nginx and docs. BELFRY_TEST_INSTALL=no prevents this.',
  )
})
