/** The texts of the Debian package: its version, its control file and its changelog. */

/** Debian requires this field. The package comes from the project, not from a maintainer in Debian. */
const MAINTAINER = 'The Belfry authors <belfry@example.org>'

/** Debian's names of the architectures that Node and PostgreSQL are available for. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Throws if there is no Node or PostgreSQL for this architecture. `arch` is Node's name for it. */
export function findDebianArchitecture(arch: string): string {
  const architecture = architectures[arch]
  if (architecture !== undefined) return architecture
  throw new Error(`Belfry can't be packaged on ${arch}. Use a machine with x64 or arm64.`)
}

/** In Debian, 0.2.0-rc.1 would be a revision of 0.2.0 and newer than it. With a tilde, it is older. */
export function formatDebianVersion(version: string): string {
  if (/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/i.test(version)) return version.replace('-', '~')
  throw new Error(`"${version}" is not a version. Use a form such as 0.2.0 or 0.2.0-rc.1.`)
}

export interface ControlFields {
  /** The version in Debian's format. */
  version: string
  architecture: string
  installedKibibytes: number
  /** What dpkg-shlibdeps found, such as "libc6 (>= 2.28)". */
  libraries: string
  homepage: string | undefined
}

export function formatControl(fields: ControlFields): string {
  const { version, architecture, installedKibibytes, libraries, homepage } = fields
  return [
    'Package: belfry',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${installedKibibytes}`,
    `Depends: adduser, ca-certificates, tzdata, ${libraries}`,
    'Recommends: fping | iputils-ping',
    'Suggests: nginx | caddy | haproxy',
    'Section: web',
    'Priority: optional',
    ...(homepage === undefined ? [] : [`Homepage: ${homepage}`]),
    'Description: website statistics and uptime monitoring in one server',
    ' Belfry counts the visitors of your websites without cookies and without',
    ' personal data, and checks whether your websites, servers, certificates,',
    ' domains and scheduled jobs are up. It sends alerts by email, chat and SMS,',
    ' and shows public status pages.',
    ' .',
    ' The package contains everything that the server needs: the Node runtime and',
    ' a PostgreSQL for installations without a database server. It runs as the',
    ' systemd service "belfry".',
    '',
  ].join('\n')
}

/** Debian's format needs one line per entry, a distribution and a date. Only the newest version is listed. */
export function formatChangelog(version: string, changelog: string, date: Date): string {
  const entries = listNewestEntries(changelog).flatMap((entry) => wrap(entry, 72))
  return [
    `belfry (${version}) unstable; urgency=medium`,
    '',
    ...(entries.length > 0 ? entries : ['  * Build this version.']),
    '',
    ` -- ${MAINTAINER}  ${date.toUTCString().replace('GMT', '+0000')}`,
    '',
  ].join('\n')
}

/**
 * Returns the list items of the newest section that has some, with their continuation lines joined. "Unreleased" may be
 * empty.
 */
function listNewestEntries(changelog: string): string[] {
  const sections = changelog.split(/^## /m).slice(1)
  return sections.map(listEntries).find((entries) => entries.length > 0) ?? []
}

function listEntries(section: string): string[] {
  return section
    .split(/^(?=- )|^#.*$/m)
    .filter((text) => text.startsWith('- '))
    .map((text) => text.slice(2).replaceAll(/\s+/g, ' ').trim())
}

function wrap(entry: string, width: number): string[] {
  const lines: string[] = []
  let line = '  *'
  for (const word of entry.split(' ')) {
    if (line.length + 1 + word.length > width && line.trim() !== '*' && line.trim() !== '') {
      lines.push(line)
      line = '   '
    }
    line += ` ${word}`
  }
  return [...lines, line]
}
