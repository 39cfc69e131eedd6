import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectNotFound } from '../../support/access.ts'
import type { Client } from '../../support/client.ts'
import { buildPng, chunk } from '../../support/png.ts'
import { statusPagesPath as path, type StatusPageFixture, startStatusPageFixture } from './support.ts'

let fixture: StatusPageFixture
let client: Client
let id: number
let logoPath: string

beforeAll(async () => {
  fixture = await startStatusPageFixture()
  client = fixture.client
})
afterAll(() => fixture.server.close())
beforeEach(async () => {
  await fixture.reset()
  id = (await fixture.create()).id
  logoPath = `${path}/${id}/logo`
})

const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><circle r="1"/><script>alert(1)</script></svg>'
const cleanedSvg = '<svg xmlns="http://www.w3.org/2000/svg"><circle r="1"/></svg>'

const upload = (body: string | Uint8Array, type: string, caller = client) =>
  caller.call('PUT', logoPath, { body, headers: { 'content-type': type } })
const uploadSvg = (caller?: Client) => upload(svg, 'image/svg+xml', caller)

async function readLogo() {
  const { key } = client.credentials
  const response = await fetch(fixture.server.address + logoPath, { headers: { authorization: `Bearer ${key}` } })
  return { headers: response.headers, content: Buffer.from(await response.arrayBuffer()) }
}

it('the server stores the picture of an SVG file, and nothing else of the file', async () => {
  const { status, body } = await upload(svg, 'image/svg+xml; charset=utf-8')
  expect([status, body.data]).toEqual([200, { ...(await fixture.read(id)), has_logo: true }])
  const { headers, content } = await readLogo()
  expect(content.toString()).toBe(cleanedSvg)
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'image/svg+xml',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, no-cache',
  })
})

it('the server replaces an earlier logo with the picture of a PNG file', async () => {
  await uploadSvg()
  const changedAt = await fixture.readContentChange(id)
  const file = Buffer.concat([buildPng([chunk('tEXt', 'Author\0Ada')]), Buffer.from('<script>')])
  expect((await upload(file, 'image/png')).status).toBe(200)
  const { headers, content } = await readLogo()
  expect(headers.get('content-type')).toBe('image/png')
  expect(content).toEqual(buildPng())
  expect(await fixture.readContentChange(id)).toBeGreaterThan(changedAt)
})

describe('the server rejects as a logo', () => {
  it.each<[string, string | Buffer, string, number, string]>([
    ['a file that is not a PNG image', svg, 'image/png', 422, '`logo` is not a PNG image.'],
    ['a PNG image that is declared as SVG', buildPng(), 'image/svg+xml', 422, '`logo` must be an SVG image in UTF-8.'],
    ['an empty file', '', 'image/png', 422, '`logo` must not be empty.'],
    ['a large file', 'x'.repeat(200_001), 'image/svg+xml', 413, 'The logo has more than 200,000 bytes.'],
    ['a larger file', 'x'.repeat(1_048_577), 'image/svg+xml', 413, 'The body is larger than 1 MiB.'],
    ['another type', 'GIF89a', 'image/gif', 415, 'Send the file itself as image/png or image/svg+xml, not in a form.'],
    [
      'a form',
      'x',
      'multipart/form-data; boundary=x',
      415,
      'Send the file itself as image/png or image/svg+xml, not in a form.',
    ],
    ['JSON', '{}', 'application/json', 415, 'Send the file itself as image/png or image/svg+xml, not in a form.'],
  ])('%s', async (_name, file, type, status, detail) => {
    await uploadSvg()
    const response = await upload(file, type)
    expect([response.status, response.body.detail]).toEqual([status, detail])
    expect((await readLogo()).content.toString()).toBe(cleanedSvg)
  })

  it('a request without a body', async () => {
    expect((await client.call('PUT', logoPath)).status).toBe(415)
  })
})

it('a logo is deleted by a request, or together with its page', async () => {
  await uploadSvg()
  const changedAt = await fixture.readContentChange(id)
  expect((await client.delete(logoPath)).body).toEqual({ id, object: 'status_page_logo', deleted: true })
  expect(await fixture.readContentChange(id)).toBeGreaterThan(changedAt)
  expect((await fixture.read(id)).has_logo).toBe(false)
  expect((await client.get(logoPath)).status).toBe(404)
  expect((await client.delete(logoPath)).status).toBe(404)
  await uploadSvg()
  await client.delete(`${path}/${id}`)
  expect(await fixture.server.services.db.query('select from status_page_logos')).toEqual([])
})

it('a logo can neither be seen nor changed by a stranger', async () => {
  await uploadSvg()
  const { session } = fixture.stranger
  const unknownPath = `${path}/900000000/logo`
  expectNotFound(await session.get(logoPath), await session.get(unknownPath))
  expectNotFound(await session.delete(logoPath), await session.delete(unknownPath))
  const options = { body: svg, headers: { 'content-type': 'image/svg+xml' } }
  expectNotFound(await session.call('PUT', logoPath, options), await session.call('PUT', unknownPath, options))
  expect((await readLogo()).content.toString()).toBe(cleanedSvg)
})

it('reading a logo needs the scope status:read, and changing it status:write', async () => {
  const [reader, writer] = [await fixture.owner.withKey('status:read'), await fixture.owner.withKey('status:write')]
  expect((await uploadSvg(reader)).body).toMatchObject({ code: 'missing_scope' })
  expect((await uploadSvg(writer)).status).toBe(200)
  expect((await writer.get(logoPath)).status).toBe(403)
  expect((await reader.get(logoPath)).status).toBe(200)
})
