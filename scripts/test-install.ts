/**
 * npm run test:install: installs Belfry in every documented way and uses each installation. As root on Debian, it installs the
 * tools that it needs. Tests without root or without their tools are skipped, and the output says which and why.
 */
import { spawnSync } from 'node:child_process'
import { listMissing, listMissingPackages, requirements } from '../tests/install/support/requirements.ts'
import { installDebianPackages } from '../tests/support/debian-packages.ts'

installDebianPackages(listMissingPackages(), ['tests of the installations'])
for (const file of Object.keys(requirements) as (keyof typeof requirements)[]) {
  const missingTools = listMissing(file)
  if (missingTools.length > 0) console.log(`Skipping tests/install/${file}. It needs ${missingTools.join(' and ')}.`)
}
const args = ['run', '--config', 'tests/install/vitest.config.ts', ...process.argv.slice(2)]
const { status } = spawnSync('vitest', args, { stdio: 'inherit' })
process.exit(status ?? 1)
