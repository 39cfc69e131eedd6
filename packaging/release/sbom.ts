/** Creates the software bill of materials, in the format CycloneDX 1.6: everything that people get when they install Belfry. */
import { createHash } from 'node:crypto'
import type { Component } from './component.ts'

interface SbomOptions {
  version: string
  /** The time of the release's commit, so that the same commit gives the same document. */
  date: Date
}

/** SPDX has no identifier for software in the public domain. */
const describeLicense = (license: string) =>
  license.startsWith('LicenseRef-')
    ? { license: { name: license.slice('LicenseRef-'.length) } }
    : / (?:OR|AND) /.test(license)
      ? { expression: license }
      : { license: { id: license } }

/** In npm's lock file, a hash consists of the algorithm and the value in Base64: "sha512-…". */
function describeHash(integrity: string): { alg: string; content: string } {
  const [algorithm = '', content = ''] = integrity.split('-', 2)
  const alg = { sha512: 'SHA-512', sha384: 'SHA-384', sha256: 'SHA-256', sha1: 'SHA-1' }[algorithm]
  if (alg === undefined) throw new Error(`Unknown hash in package-lock.json: ${integrity}`)
  return { alg, content: Buffer.from(content, 'base64').toString('hex') }
}

const getReference = ({ name, version, delivery }: Component) => `${delivery}/${name}@${version ?? 'unknown'}`

function describeComponent(component: Component, parent = ''): object {
  const { name, version, license, isOptional, purl, source, integrity, delivery, contains } = component
  const reference = parent + getReference(component)
  const group = /^(@[^/]+)\/(.*)$/.exec(name)
  return {
    type: 'library',
    'bom-ref': reference,
    ...(group !== null && { group: group[1] }),
    name: group?.[2] ?? name,
    ...(version !== undefined && { version }),
    scope: isOptional ? 'optional' : 'required',
    ...(integrity !== undefined && { hashes: [describeHash(integrity)] }),
    licenses: [describeLicense(license)],
    ...(purl !== undefined && { purl }),
    ...(source !== undefined && { externalReferences: [{ type: 'website', url: source }] }),
    properties: [{ name: 'belfry:delivery', value: delivery }],
    ...(contains !== undefined && { components: contains.map((part) => describeComponent(part, `${reference}/`)) }),
  }
}

export function createSbom(components: readonly Component[], { version, date }: SbomOptions): object {
  const belfry = {
    type: 'application',
    'bom-ref': `belfry@${version}`,
    name: 'belfry',
    version,
    licenses: [describeLicense('MIT')],
    purl: `pkg:npm/belfry@${version}`,
  }
  const componentEntries = components.map((component) => describeComponent(component))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${createUuid(JSON.stringify([version, componentEntries]))}`,
    version: 1,
    metadata: { timestamp: date.toISOString(), component: belfry },
    components: componentEntries,
    dependencies: [{ ref: belfry['bom-ref'], dependsOn: components.map(getReference) }],
  }
}

/** A UUID that depends only on the text (version 8 of RFC 9562). */
function createUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
