/** Asks npm for the newest release, with the registry and proxy that npm is configured to use on this machine. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const TIMEOUT_MS = 15_000
const versionPattern = /^\d+\.\d+\.\d+$/

/** The newest version, or the reason why it is unknown. */
export type NewestRelease = { version: string } | { problem: string }

export async function findNewestRelease(): Promise<NewestRelease> {
  try {
    const options = { timeout: TIMEOUT_MS, maxBuffer: 100_000 }
    const { stdout } = await promisify(execFile)('npm', ['view', 'belfry', 'version', '--fetch-retries=0'], options)
    const version = stdout.trim()
    return versionPattern.test(version) ? { version } : { problem: 'npm knows no release of Belfry' }
  } catch (error) {
    return { problem: explainFailure(error as NodeJS.ErrnoException & { killed?: boolean; stderr?: string }) }
  }
}

function explainFailure({ code, killed, stderr = '' }: NodeJS.ErrnoException & { killed?: boolean; stderr?: string }) {
  if (code === 'ENOENT') return 'npm is not installed'
  if (killed) return 'the npm registry did not respond in time'
  if (/\bE404\b/.test(stderr)) return 'the npm registry has no release of Belfry'
  return 'the npm registry is not reachable'
}

/** Both are versions like 1.2.3. A pre-release such as 1.2.3-beta counts as 1.2.3. */
export function isNewerVersion(version: string, thanVersion: string): boolean {
  const [a, b] = [version, thanVersion].map((text) => text.split(/[.+-]/).slice(0, 3).map(Number)) as [
    number[],
    number[],
  ]
  const index = a.findIndex((part, at) => part !== b[at])
  return index !== -1 && (a[index] ?? 0) > (b[index] ?? 0)
}
