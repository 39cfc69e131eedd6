/** The preview of a status page that is being edited. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/shared/time.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { insertStatusMonitor, insertStatusPage, insertStatusPost } from '../support/status-pages.ts'

let server: TestServer
let owner: TestUser
let stranger: TestUser
let monitorId: number
const path = '/api/status-pages/preview'
const now = new Date('2026-01-05T10:00:00Z')

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
  stranger = await server.createUser('stranger')
  monitorId = await insertStatusMonitor(server.services.db, owner.id, {
    name: 'Name of the shop',
    monitoredSince: new Date(now.getTime() - 200 * DAY_MS),
  })
})
afterAll(() => server.close())

const createDraft = (fields: object = {}) => ({
  slug: 'draft',
  title: 'Title of the draft',
  groups: [{ name: 'Website', monitors: [{ monitor_id: monitorId, label: 'Shop' }] }],
  ...fields,
})

const sendDraft = (fields: object = {}, client = owner.session) =>
  client.post(path, { draft: JSON.stringify(createDraft(fields)) })
const sendForm = (draft: string, headers: Record<string, string> = {}) =>
  owner.session.call('POST', path, { form: { draft }, headers })

describe('the preview', () => {
  it('shows a draft, sent as a form or as JSON, as visitors would see it', async () => {
    const { status, headers, text } = await sendForm(JSON.stringify(createDraft()))
    expect(status, text).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
    expect(text).toContain('Title of the draft')
    expect(text).toContain('Shop')
    expect(text).not.toContain('Name of the shop')
    expect((await sendDraft()).text).toBe(text)
  })

  it('stores nothing, and has the same content as the page after it is saved', async () => {
    const draft = createDraft({ description: 'All services', accent_color: '#0a7d4f', show_response_times: true })
    const { text } = await owner.session.post(path, { draft: JSON.stringify(draft) })
    expect((await owner.session.get('/api/status-pages')).body.meta.total).toBe(0)
    const { body } = await owner.session.post('/api/status-pages', draft)
    expect(body.data.slug).toBe('draft')
    const savedPage = await server.anyone.get('/status/draft')
    expect(savedPage.status).toBe(200)
    expect(toMain(savedPage.text)).toBe(toMain(text))
    const savedPath = `/api/status-pages/${body.data.id}/preview`
    const savedPreview = await owner.session.get(savedPath)
    expect(toMain(savedPreview.text)).toBe(toMain(text))
    expect(savedPreview.headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
    expect((await stranger.session.get(savedPath)).status).toBe(404)
    await owner.session.put(`/api/status-pages/${body.data.id}`, { privacy: 1, title: 'Private now' })
    expect((await owner.session.get(savedPath)).text).toContain('Private now')
    await owner.session.delete(`/api/status-pages/${body.data.id}`)
  })

  it('calls a monitor without a label by its name', async () => {
    const groups = [{ name: 'Website', monitors: [{ monitor_id: monitorId }] }]
    expect((await sendDraft({ groups })).text).toContain('Name of the shop')
  })

  it('shows the posts and the logo of the page that is being edited', async () => {
    const { db } = server.services
    const pageId = await insertStatusPage(db, owner.id, { slug: 'stored' })
    await insertStatusPost(db, owner.id, pageId, { title: 'Title of the post', monitorIds: [monitorId] })
    await db.query(
      `insert into status_page_logos (user_id, page_id, media_type, content, content_hash)
       values ($1, $2, 'image/png', 'image', 'abc')`,
      [owner.id, pageId],
    )
    const { status, text } = await sendDraft({ id: pageId })
    expect(status).toBe(200)
    expect(text).toContain('Title of the post')
    // The draft is not saved, so the URL of the logo contains the stored slug.
    expect(text).toContain('/status/stored/logo?v=abc')
    const asStranger = await sendDraft({ id: pageId, groups: [] }, stranger.session)
    expect(asStranger.status).toBe(422)
    expect(asStranger.text).not.toContain('Title of the post')
  })

  it.each<[string, string, object | string]>([
    ['has no title', '<code>title</code>', { title: '' }],
    ['has an unknown field', '<code>color</code>', { color: 'red' }],
    ['has an unknown time zone', '<code>time_zone</code>', { time_zone: 'Nowhere' }],
    ['is not JSON', '<code>draft</code> is not valid JSON', '{'],
    ['is a list', 'must be an object', '[]'],
    ['contains HTML', '&lt;b&gt;', { '<b>': 1 }],
  ])('names the error of a draft that %s', async (_, message, fields) => {
    const draft = typeof fields === 'string' ? fields : JSON.stringify(createDraft(fields))
    const { status, headers, text } = await sendForm(draft)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
    expect(text).toContain(message)
    const asJson = await owner.session.post(path, { draft })
    expect(asJson.status).toBe(422)
  })

  it("treats a stranger's monitor as one that does not exist", async () => {
    const replaceId = (text: string, id: number) => toMain(text).replace(`: ${id}.`, ': ID.')
    const send = (fields: object) =>
      stranger.session.call('POST', path, { form: { draft: JSON.stringify(createDraft(fields)) } })
    const missingId = monitorId + 1_000
    const groupsWithMissingMonitor = [{ name: 'Website', monitors: [{ monitor_id: missingId, label: 'Shop' }] }]
    const strangersMonitorResponse = await send({})
    const missingMonitorResponse = await send({ groups: groupsWithMissingMonitor })
    expect(strangersMonitorResponse.text).toContain('not among your monitors')
    expect(replaceId(strangersMonitorResponse.text, monitorId)).toBe(replaceId(missingMonitorResponse.text, missingId))
  })

  it('is refused to pages of other sites', async () => {
    const draft = JSON.stringify(createDraft())
    expect((await sendForm(draft, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await sendForm(draft, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await sendForm(draft, { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  it('is refused with the reason if the pages of the user take too much time to render', async () => {
    const { renderBudget } = server.services.statusPageCopies
    renderBudget.charge(stranger.id, 3_600_000)
    const draft = JSON.stringify({ slug: 'draft', title: 'Draft' })
    const { status, headers, body } = await stranger.session.post(path, { draft })
    expect([status, body.code]).toEqual([503, 'unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(1_000)
    const { text } = await stranger.session.call('POST', path, { form: { draft } })
    expect(text).toContain('The preview is requested too often at the moment. Try again in ')
    expect((await sendDraft()).status).toBe(200)
  })
})

/** Returns the part of the document that doesn't say whether it is a preview. */
function toMain(html: string): string {
  return /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? ''
}
