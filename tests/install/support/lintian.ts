/** Checks a Debian package with lintian. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runInBackground } from './debian-chroot.ts'

/** Every tag that lintian can report has a file that says how severe it is, and which check finds it. */
const TAGS_FOLDER = '/usr/share/lintian/tags'
const overridesFile = resolve(import.meta.dirname, '../../../packaging/debian/lintian-overrides')

/** Packages for tests are not compressed. tests/packaging/debian.test.ts tests that released packages are. */
const uncompressedTags = ['uses-no-compression-for-control-tarball', 'uses-no-compression-for-data-tarball']

/** Resolves with the errors and warnings of lintian. */
export async function findLintianProblems(packageFile: string): Promise<string[]> {
  const uselessChecks = listUselessChecks()
  const selection = uselessChecks.length === 0 ? [] : ['--dont-check-part', uselessChecks.join(',')]
  const display = ['--fail-on', 'none', '--tag-display-limit', '0', '--suppress-tags', uncompressedTags.join(',')]
  const output = await runInBackground('lintian', ['--allow-root', ...display, ...selection, packageFile])
  return output.split('\n').filter((line) => /^[EW]:/.test(line))
}

/**
 * Returns the checks that can't change the result: those that find neither errors nor warnings, such as typos in Node's binary, and those
 * whose errors Belfry overrides for all files. They would take a third of lintian's processor time.
 */
function listUselessChecks(): string[] {
  if (!existsSync(TAGS_FOLDER)) return []
  const overrides = readFileSync(overridesFile, 'utf8')
  const ignoredTags = new Set([...overrides.matchAll(/^belfry: (\S+) \*$/gm)].map(([, name]) => name))
  const names = readdirSync(TAGS_FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tag'))
  const tags = names.map((name) => readTag(join(TAGS_FOLDER, name)))
  const isReported = ({ name, severity }: Tag) => /^(error|warning)$/.test(severity) && !ignoredTags.has(name)
  const usefulChecks = new Set(tags.filter(isReported).map(({ check }) => check))
  return [...new Set(tags.map(({ check }) => check))].filter((check) => check !== '' && !usefulChecks.has(check)).sort()
}

interface Tag {
  name: string
  severity: string
  check: string
}

function readTag(path: string): Tag {
  const text = readFileSync(path, 'utf8')
  const readField = (name: string) => new RegExp(`^${name}: *(\\S+)`, 'm').exec(text)?.[1] ?? ''
  return { name: readField('Tag'), severity: readField('Severity'), check: readField('Check') }
}
