/** What the installation tests need besides Node and npm. */
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface Requirements {
  needsRoot: boolean
  /** Whether the test clones this repository or reads its history. */
  needsRepository: boolean
  /**
   * The test runs only if this environment variable is set. The test of a release has one, because it takes minutes and,
   * unlike the other tests in this folder, doesn't install Belfry.
   */
  variable?: string
  /** Programs, and the Debian packages that contain them. */
  programs: Readonly<Record<string, string>>
}

/** The requirements by test file. */
export const requirements = {
  'npm.test.ts': { needsRoot: false, needsRepository: false, programs: {} },
  'clone.test.ts': { needsRoot: false, needsRepository: true, programs: { git: 'git' } },
  'service.test.ts': {
    needsRoot: true,
    needsRepository: false,
    programs: { 'systemd-analyze': 'systemd', fping: 'fping' },
  },
  'debian.test.ts': {
    needsRoot: true,
    needsRepository: true,
    programs: { mmdebstrap: 'mmdebstrap', 'dpkg-deb': 'dpkg', 'dpkg-shlibdeps': 'dpkg-dev', lintian: 'lintian' },
  },
  'image.test.ts': {
    needsRoot: true,
    needsRepository: true,
    programs: { mmdebstrap: 'mmdebstrap', buildah: 'buildah', crun: 'crun', strip: 'binutils' },
  },
  'release.test.ts': {
    needsRoot: false,
    needsRepository: true,
    variable: 'BELFRY_TEST_RELEASE',
    programs: { git: 'git', 'dpkg-shlibdeps': 'dpkg-dev' },
  },
} as const satisfies Record<string, Requirements>

/** Debian installs some programs where a plain user doesn't look. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']

function isInstalled(program: string): boolean {
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Whether Git can read this repository. Git refuses a repository that belongs to another user. */
const hasRepository = () => spawnSync('git', ['-C', import.meta.dirname, 'rev-parse', 'HEAD']).status === 0

/** Returns the packages of all missing programs. */
export function listMissingPackages(): string[] {
  const programs = Object.values(requirements).flatMap((needs): [string, string][] => Object.entries(needs.programs))
  return [...new Set(programs.filter(([program]) => !isInstalled(program)).map(([, name]) => name))]
}

/** Describes what the test file needs and this machine lacks. A test is skipped if the list is not empty. */
export function listMissing(file: keyof typeof requirements): string[] {
  const { needsRoot, needsRepository, variable, programs }: Requirements = requirements[file]
  const missingPrograms = Object.entries(programs).filter(([program]) => !isInstalled(program))
  return [
    ...(needsRoot && process.getuid?.() !== 0 ? ['root'] : []),
    ...(needsRepository && !hasRepository() ? ['a Git repository of this user'] : []),
    ...(variable !== undefined && process.env[variable] === undefined ? [`${variable}=1`] : []),
    ...missingPrograms.map(([program, name]) => `${program} (Debian package ${name})`),
  ]
}
