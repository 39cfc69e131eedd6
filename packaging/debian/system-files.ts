/** Writes the files of the package that are not the program: the command, the unit, the configuration and the documentation. */
import { chmod, lstat, lutimes, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { CONFIG_PATH, UNIT_FILE } from '../../src/service/layout.ts'
import { renderUnit } from '../../src/service/unit.ts'
import { execute } from '../execute.ts'
import { setPackageVersion } from '../release/version.ts'
import { formatChangelog } from './control.ts'
import { renderCopyright } from './copyright.ts'

const projectFolder = resolve(import.meta.dirname, '../..')

interface SystemFileOptions {
  version: string
  debianVersion: string
  date: Date
}

export async function writeSystemFiles(
  root: string,
  { version, debianVersion, date }: SystemFileOptions,
): Promise<void> {
  const programFolder = join(root, 'usr/lib/belfry')
  await setVersion(programFolder, version)
  const changelog = await readFile(join(projectFolder, 'CHANGELOG.md'), 'utf8')
  const unit = await renderUnit(projectFolder, {
    origin: 'This unit is part of the Debian package belfry.',
    node: '/usr/lib/belfry/node',
    program: '/usr/lib/belfry/bin/belfry.js',
  })
  const renderCompletion = (shell: string) => execute('./node', ['bin/belfry.js', 'completion', shell], programFolder)
  const files: Record<string, string | Buffer> = {
    'usr/bin/belfry': await readFile(join(import.meta.dirname, 'belfry.sh')),
    [`usr/lib/systemd/system/${UNIT_FILE}`]: unit,
    [CONFIG_PATH]: await readFile(join(projectFolder, 'packaging/belfry.env')),
    'usr/share/bash-completion/completions/belfry': renderCompletion('bash'),
    'usr/share/fish/vendor_completions.d/belfry.fish': renderCompletion('fish'),
    'usr/share/zsh/vendor-completions/_belfry': renderCompletion('zsh'),
    'usr/share/man/man1/belfry.1.gz': compress(await readFile(join(projectFolder, 'dist/man/belfry.1'))),
    'usr/share/doc/belfry/changelog.gz': compress(formatChangelog(debianVersion, changelog, date)),
    'usr/share/doc/belfry/copyright': await renderCopyright(projectFolder, programFolder),
    'usr/share/lintian/overrides/belfry': await readFile(join(import.meta.dirname, 'lintian-overrides')),
  }
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  await normalize(root, date)
  await chmod(join(root, 'usr/bin/belfry'), 0o755)
  await chmod(join(root, CONFIG_PATH), 0o640)
}

async function setVersion(programFolder: string, version: string): Promise<void> {
  const path = join(programFolder, 'package.json')
  await writeFile(path, setPackageVersion(await readFile(path, 'utf8'), version))
}

/** The result has no time stamp, so that the same text gives the same bytes. */
function compress(text: string | Buffer): Buffer {
  return gzipSync(text, { level: 9 })
}

/** Gives all files permissions and times that don't depend on the machine that builds the package. */
async function normalize(root: string, date: Date): Promise<void> {
  for (const path of ['', ...(await readdir(root, { recursive: true }))].map((name) => join(root, name))) {
    const stats = await lstat(path)
    const isExecutable = stats.isDirectory() || ((stats.mode & 0o100) !== 0 && !/\.so(\.|$)/.test(path))
    if (!stats.isSymbolicLink()) await chmod(path, isExecutable ? 0o755 : 0o644)
    await lutimes(path, date, date)
  }
}
