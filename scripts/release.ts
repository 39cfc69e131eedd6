/**
 * npm run release -- <version> [--dry-run] [--no-deb] [--no-image]: prepares a release. docs/releases.md describes what it does.
 * Publishes nothing.
 */
import { readdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeRelease } from '../packaging/release/make-release.ts'
import { allArtifacts, formatPlan, planRelease, ReleaseError } from '../packaging/release/plan.ts'

const root = resolve(import.meta.dirname, '..')
const USAGE = 'npm run release -- <version> [--dry-run] [--no-deb] [--no-image]'

/** Returns undefined if the arguments are not valid. */
function parseArguments() {
  const options = {
    'dry-run': { type: 'boolean' },
    'no-deb': { type: 'boolean' },
    'no-image': { type: 'boolean' },
  } as const
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    const [version] = positionals
    if (version === undefined || positionals.length > 1) return undefined
    const excludedArtifacts = [...(values['no-deb'] ? ['deb'] : []), ...(values['no-image'] ? ['image'] : [])]
    const artifacts = allArtifacts.filter((artifact) => !excludedArtifacts.includes(artifact))
    return { version, artifacts, isDryRun: values['dry-run'] === true }
  } catch (error) {
    console.error((error as Error).message)
    return undefined
  }
}

async function main(): Promise<void> {
  const input = parseArguments()
  if (input === undefined) {
    console.error(USAGE)
    process.exitCode = 2
    return
  }
  const plan = await planRelease(root, { ...input, now: new Date() })
  console.log(`Release ${plan.version}:\n${formatPlan(plan)}`)
  if (input.isDryRun) {
    console.log('Dry run: nothing was changed.')
    return
  }
  const { folder, sums } = await makeRelease(root, plan, (step) => console.log(`\n${step} …`))
  const path = relative(root, folder)
  console.log(`\n${sums}`)
  for (const name of readdirSync(folder)) {
    console.log(`${(statSync(join(folder, name)).size / 1e6).toFixed(1).padStart(7)} MB  ${path}/${name}`)
  }
  console.log(`\nVersion ${plan.version} is committed and tagged as ${plan.tag}, but not published.`)
}

try {
  await main()
} catch (error) {
  console.error(error instanceof ReleaseError ? error.message : error)
  process.exitCode = 1
}
