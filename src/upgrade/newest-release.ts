/** Asks npm for the newest release, with the registry and proxy that npm is configured to use on this machine. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const TIMEOUT_MS = 15_000
const versionPattern = /^\d+\.\d+\.\d+$/

/** The newest version, or the reason why it is unknown. */
export type NewestRelease = { version: string } | { problem: string }

export async function findNewestRelease(): Promise<NewestRelease> {
  try {
    // npm reads settings from the working folder, which may belong to another user. So root runs npm in `/`.
    const folder = process.geteuid?.() === 0 ? { cwd: '/' } : {}
    const options = { timeout: TIMEOUT_MS, maxBuffer: 100_000, ...folder }
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

/** `release` is a version like 1.2.3. `installed` can also be a pre-release such as 1.2.3-beta.1, which is older than 1.2.3. */
export function isNewerVersion(release: string, installed: string): boolean {
  const [a, b] = [release, installed].map((text) => text.split(/[.+-]/).slice(0, 3).map(Number)) as [number[], number[]]
  const index = a.findIndex((part, at) => part !== b[at])
  if (index === -1) return /^[\d.]+-/.test(installed)
  return (a[index] ?? 0) > (b[index] ?? 0)
}
