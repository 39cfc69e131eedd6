/** Every change of an object adds one entry, in the transaction of the change, whoever makes it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAcknowledgeUrl } from '../../src/alerts/acknowledge-link.ts'
import type { Client } from '../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { recordEntries, recordRequest, toActor, toChange } from './support.ts'

let server: TestServer
let ada: TestUser
let key: Client & { keyId: number }

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada')
  key = await ada.withKey()
})
afterAll(() => server.close())

/** Sends a request, and returns the only entry that it adds. */
async function record(client: Client, method: string, path: string, json?: unknown) {
  const { data, entries, requestId } = await recordRequest(server, client, method, path, json)
  expect(
    entries.map(({ action }) => action),
    `${method} ${path}`,
  ).toHaveLength(1)
  const [entry] = entries as [(typeof entries)[0]]
  expect(entry).toMatchObject({ team_id: ada.id, ip: '127.0.0.1', request_id: requestId })
  const actor = client === key ? ['key', key.keyId, 'all'] : ['user', ada.id, ada.email]
  expect(toActor(entry)).toEqual(actor)
  return { data, entry, change: toChange(entry) }
}

let count = 0

describe.each(['session', 'key'] as const)('with a %s', (kind) => {
  let client: Client
  beforeAll(() => {
    client = kind === 'key' ? key : ada.session
  })

  const createMonitor = async (fields: object = {}) => {
    const body = { friendly_name: 'Shop', url: 'https://shop.example.org/', ...fields }
    return (await record(client, 'POST', '/api/monitors', body)).data.id as number
  }

  it('records websites', async () => {
    const domain = `shop-${++count}.example.org`
    const { data, change, entry } = await record(client, 'POST', '/api/v1/websites', { domain, privacy: 1 })
    expect(change).toMatchObject({ action: 'website.created', object_name: domain, before: null })
    expect(change.after).toMatchObject({ domain, privacy: 1, favorite: false })
    expect(entry).toMatchObject({ object: 'website', object_id: data.id })
    const path = `/api/v1/websites/${data.id}`
    const changed = await record(client, 'PATCH', path, { favorite: true, exclude_params: 'ref' })
    expect(changed.change).toEqual({
      action: 'website.changed',
      object_name: domain,
      before: { favorite: false, exclude_params: null },
      after: { favorite: true, exclude_params: 'ref' },
    })
    expect(await recordEntries(server, () => client.call('PATCH', path, { json: { favorite: true } }))).toEqual([])
    const deleted = await record(client, 'DELETE', path)
    expect(deleted.change).toMatchObject({ action: 'website.deleted', before: { domain, favorite: true }, after: null })
  })

  it('records monitors, and who paused and resumed them', async () => {
    const id = await createMonitor({ http: { headers: { 'x-version': '1' } } })
    const path = `/api/monitors/${id}`
    expect((await record(client, 'PATCH', path, { interval: 120, http: { keyword: 'Open' } })).change).toEqual({
      action: 'monitor.changed',
      object_name: 'Shop',
      before: { interval: 60, 'http.keyword': null },
      after: { interval: 120, 'http.keyword': 'Open' },
    })
    expect((await record(client, 'PATCH', path, { is_active: false })).change).toEqual({
      action: 'monitor.paused',
      object_name: 'Shop',
      before: { is_active: true },
      after: { is_active: false },
    })
    expect((await record(client, 'PATCH', path, { is_active: true, friendly_name: 'Shop 2' })).change).toEqual({
      action: 'monitor.resumed',
      object_name: 'Shop 2',
      before: { is_active: false, friendly_name: 'Shop' },
      after: { is_active: true, friendly_name: 'Shop 2' },
    })
    const bulk = (body: object) => record(client, 'POST', '/api/monitors/bulk', { ids: [id], ...body })
    expect((await bulk({ action: 'pause' })).change).toMatchObject({ action: 'monitor.paused' })
    expect((await bulk({ action: 'resume' })).change).toMatchObject({ action: 'monitor.resumed' })
    expect((await bulk({ action: 'add_tags', tags: ['eu'] })).change).toMatchObject({
      action: 'monitor.changed',
      before: { tags: [] },
      after: { tags: ['eu'] },
    })
    const { change } = await record(client, 'DELETE', path)
    expect(change).toMatchObject({ action: 'monitor.deleted', before: { friendly_name: 'Shop 2' }, after: null })
  })

  it('records notification channels and assignments', async () => {
    const body = { provider_type: 'ntfy', name: 'Ops', server: 'https://ntfy.example.org', topic: 'ops', token: 'tk_1' }
    const { data, change } = await record(client, 'POST', '/api/providers', { ...body, assign_by_default: true })
    const { token: _, ...fields } = body
    expect(change).toEqual({
      action: 'provider.created',
      object_name: 'Ops',
      before: null,
      after: { ...fields, assign_by_default: true, secrets: '[hidden]' },
    })
    const path = `/api/providers/${data.id}`
    expect((await record(client, 'PATCH', path, { topic: 'alerts' })).change).toMatchObject({
      action: 'provider.changed',
      before: { topic: 'ops' },
      after: { topic: 'alerts' },
    })
    expect((await record(client, 'PATCH', path, { token: 'tk_2' })).change).toMatchObject({
      before: { secrets: '[hidden]' },
      after: { secrets: '[hidden]' },
    })
    // The assignment of the new monitor is part of its creation.
    const monitorId = await createMonitor()
    const assignments = `/api/monitors/${monitorId}/notifications`
    const disabled = await record(client, 'POST', assignments, { provider_id: data.id, enabled: false })
    expect(disabled.entry).toMatchObject({ object: 'assignment', object_id: monitorId })
    expect(disabled.change).toEqual({
      action: 'assignment.changed',
      object_name: 'Shop → Ops',
      before: { enabled: true },
      after: { enabled: false },
    })
    const removed = await record(client, 'DELETE', `${assignments}?provider_id=${data.id}`)
    expect(removed.change).toMatchObject({ action: 'assignment.deleted', after: null })
    const added = await record(client, 'POST', assignments, { provider_id: data.id, delay_minutes: 5 })
    expect(added.change).toEqual({
      action: 'assignment.created',
      object_name: 'Shop → Ops',
      before: null,
      after: { monitor_id: monitorId, provider_id: data.id, enabled: true, delay_minutes: 5 },
    })
    expect((await record(client, 'DELETE', path)).change).toMatchObject({ action: 'provider.deleted', after: null })
    await record(client, 'DELETE', `/api/monitors/${monitorId}`)
  })

  it('records maintenances with their monitors and their time', async () => {
    const monitorId = await createMonitor()
    const body = { title: 'Upgrade', starts_at: '2026-01-06T10:00:00Z', duration_seconds: 600 }
    const created = await record(client, 'POST', '/api/maintenances', { ...body, monitor_ids: [monitorId] })
    const after = {
      starts_at: '2026-01-06T10:00:00.000Z',
      ends_at: '2026-01-06T10:10:00.000Z',
      monitor_ids: [monitorId],
    }
    expect(created.change).toMatchObject({ action: 'maintenance.created', before: null, after })
    const path = `/api/maintenances/${created.data.id}`
    expect((await record(client, 'PATCH', path, { all_monitors: true, monitor_ids: [] })).change).toEqual({
      action: 'maintenance.changed',
      object_name: 'Upgrade',
      before: { all_monitors: false, monitor_ids: [monitorId] },
      after: { all_monitors: true, monitor_ids: [] },
    })
    expect((await record(client, 'PATCH', path, { duration_seconds: 900 })).change).toMatchObject({
      before: { ends_at: '2026-01-06T10:10:00.000Z' },
      after: { ends_at: '2026-01-06T10:15:00.000Z' },
    })
    const recurrence = { cron: '0 2 * * *', time_zone: 'UTC', duration_seconds: 60 }
    expect((await record(client, 'PATCH', path, { recurrence })).change.after).toMatchObject({
      'recurrence.cron': '0 2 * * *',
    })
    expect((await record(client, 'DELETE', path)).change).toMatchObject({ action: 'maintenance.deleted', after: null })
    await record(client, 'DELETE', `/api/monitors/${monitorId}`)
  })

  it('records status pages with their groups and logo', async () => {
    const monitorId = await createMonitor()
    const groups = [{ name: 'Web', monitors: [{ monitor_id: monitorId, label: 'Shop' }] }]
    const body = { slug: `acme-${++count}`, title: 'ACME', groups }
    const created = await record(client, 'POST', '/api/status-pages', body)
    expect(created.change).toMatchObject({
      action: 'status_page.created',
      before: null,
      after: { title: 'ACME', groups },
    })
    const path = `/api/status-pages/${created.data.id}`
    expect(await recordEntries(server, () => client.call('PATCH', path, { json: { groups } }))).toEqual([])
    expect((await record(client, 'PATCH', path, { groups: [], theme: 'dark' })).change).toEqual({
      action: 'status_page.changed',
      object_name: 'ACME',
      before: { groups, theme: 'auto' },
      after: { groups: [], theme: 'dark' },
    })
    const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'
    const headers = { 'content-type': 'image/svg+xml' }
    const [entry] = await recordEntries(server, () => client.call('PUT', `${path}/logo`, { body: logo, headers }))
    expect(entry).toMatchObject({ action: 'status_page.changed', object_id: created.data.id, before: { logo: null } })
    expect((await record(client, 'DELETE', `${path}/logo`)).change).toMatchObject({ after: { logo: null } })
    expect((await record(client, 'DELETE', path)).change).toMatchObject({ action: 'status_page.deleted', after: null })
    await record(client, 'DELETE', `/api/monitors/${monitorId}`)
  })

  it('records removed subscribers by the domain of their address, but not visitors who unsubscribe', async () => {
    const page = await record(client, 'POST', '/api/status-pages', { slug: `acme-${++count}`, title: 'ACME' })
    const rows = await server.services.db.query(
      `insert into status_subscribers (user_id, page_id, email, email_key, state, all_monitors, created_at)
       select user_id, id, name || '@example.org', name || '@example.org', 'pending', true, now()
         from status_pages, unnest('{dora,emil}'::text[]) as name
        where id = $1
       returning id`,
      [page.data.id],
    )
    const [dora, emil] = rows.map(({ id }) => id)
    const removed = await record(client, 'DELETE', `/api/status-pages/${page.data.id}/subscribers/${dora}`)
    expect(removed.change).toEqual({
      action: 'status_page.subscriber_removed',
      object_name: 'ACME',
      before: { subscriber: 'd…@example.org' },
      after: null,
    })
    const unsubscribed = await recordEntries(server, () =>
      server.services.db.query('delete from status_subscribers where id = $1', [emil]),
    )
    expect(unsubscribed).toEqual([])
    await record(client, 'DELETE', `/api/status-pages/${page.data.id}`)
  })

  it('records posts, their updates and templates', async () => {
    const monitorId = await createMonitor()
    const groups = [{ name: 'Web', monitors: [{ monitor_id: monitorId }] }]
    const page = await record(client, 'POST', '/api/status-pages', { slug: `acme-${++count}`, title: 'ACME', groups })
    const posts = `/api/status-pages/${page.data.id}/posts`
    const post = await record(client, 'POST', posts, { title: 'Slow', body: 'We look', monitor_ids: [monitorId] })
    expect(post.change).toEqual({
      action: 'post.created',
      object_name: 'Slow',
      before: null,
      after: { title: 'Slow', state: 'investigating', body: 'We look', monitor_ids: [monitorId] },
    })
    const path = `${posts}/${post.data.id}`
    expect((await record(client, 'PATCH', path, { title: 'Slower', monitor_ids: [] })).change).toEqual({
      action: 'post.changed',
      object_name: 'Slower',
      before: { title: 'Slow', monitor_ids: [monitorId] },
      after: { title: 'Slower', monitor_ids: [] },
    })
    const update = await record(client, 'POST', `${path}/updates`, { state: 'identified', body: 'A cause' })
    expect(update.change).toEqual({
      action: 'post.update_added',
      object_name: 'Slower',
      before: { state: 'investigating' },
      after: { state: 'identified', body: 'A cause' },
    })
    const updatePath = `${path}/updates/${update.data.id}`
    expect((await record(client, 'PATCH', updatePath, { body: 'The cause' })).change).toMatchObject({
      action: 'post.update_changed',
      before: { body: 'A cause' },
      after: { body: 'The cause' },
    })
    expect((await record(client, 'DELETE', updatePath)).change).toMatchObject({
      action: 'post.update_deleted',
      before: { state: 'identified', body: 'The cause' },
      after: { state: 'investigating' },
    })
    expect((await record(client, 'DELETE', path)).change).toMatchObject({ action: 'post.deleted', after: null })
    await record(client, 'DELETE', `/api/status-pages/${page.data.id}`)
    await record(client, 'DELETE', `/api/monitors/${monitorId}`)

    const templates = '/api/status-post-templates'
    const template = await record(client, 'POST', templates, { name: 'DB', title: 'Database', body: 'Slow' })
    expect(template.change).toMatchObject({ action: 'post_template.created', object_name: 'DB', before: null })
    const templatePath = `${templates}/${template.data.id}`
    expect((await record(client, 'PATCH', templatePath, { body: 'Down' })).change).toMatchObject({
      action: 'post_template.changed',
      before: { body: 'Slow' },
      after: { body: 'Down' },
    })
    expect((await record(client, 'DELETE', templatePath)).change).toMatchObject({ action: 'post_template.deleted' })
  })

  it('records acknowledgements and notes of incidents', async () => {
    const monitorId = await createMonitor()
    const [incident] = await server.services.db.query<{ id: number }>(
      `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at)
       values ($1, $2, 'timeout', 'Slow', now(), now()) returning id`,
      [ada.id, monitorId],
    )
    const path = `/api/incidents/${incident?.id}`
    const acknowledged = await record(client, 'POST', `${path}/acknowledge`)
    expect(acknowledged.entry).toMatchObject({ object: 'incident', object_id: incident?.id, object_name: 'Shop' })
    expect(acknowledged.change).toMatchObject({
      action: 'incident.acknowledged',
      before: { acknowledged_by: null },
      after: { acknowledged_by: ada.email },
    })
    const note = await record(client, 'POST', `${path}/notes`, { text: 'Restarted it' })
    expect(note.change).toMatchObject({
      action: 'incident.note_added',
      before: null,
      after: { text: 'Restarted it', author: ada.email },
    })
    expect(note.entry.object_id).toBe(incident?.id)
    const deleted = await record(client, 'DELETE', `${path}/notes/${note.data.id}`)
    expect(deleted.change).toMatchObject({ action: 'incident.note_deleted', after: null })
    await record(client, 'DELETE', `/api/monitors/${monitorId}`)
  })

  it('records API keys', async () => {
    const created = await record(client, 'POST', '/api/keys', { name: 'deploy', scopes: ['monitors:read'] })
    expect(created.change).toMatchObject({
      action: 'api_key.created',
      object_name: 'deploy',
      before: null,
      after: { name: 'deploy', scopes: ['monitors:read'] },
    })
    const revoked = await record(client, 'DELETE', `/api/keys/${created.data.id}`)
    expect(revoked.change).toMatchObject({ action: 'api_key.revoked', object_name: 'deploy', after: null })
  })
})

describe('a change', () => {
  it('that fails leaves no entry', async () => {
    const { data } = await recordRequest(server, ada.session, 'POST', '/api/maintenances', {
      title: 'Upgrade',
      duration_seconds: 600,
      all_monitors: true,
    })
    const entries = await recordEntries(server, async () => {
      // The title was changed before the server finds that the monitor doesn't exist.
      const json = { title: 'New', monitor_ids: [987_654_321] }
      expect((await ada.session.call('PATCH', `/api/maintenances/${data.id}`, { json })).status).toBe(422)
      const failing = server.services.db.transaction(async (q) => {
        await q.query('update monitors set friendly_name = friendly_name || $1', ['!'])
        await q.query(
          'insert into status_post_templates (user_id, name, title, state, body, created_at, updated_at) values ($1, $2, $2, $3, $2, now(), now())',
          [ada.id, 'x', 'resolved'],
        )
        throw new Error('rolled back')
      })
      await expect(failing).rejects.toThrow('rolled back')
    })
    expect(entries).toEqual([])
  })

  it('with the link in a message is one of the server, and names the channel', async () => {
    const { session } = ada
    const channel = await recordRequest(server, session, 'POST', '/api/providers', {
      provider_type: 'email',
      recipient_email: 'ops@example.org',
    })
    const monitor = await recordRequest(server, session, 'POST', '/api/monitors', {
      friendly_name: 'Shop',
      url: 'https://shop.example.org/',
    })
    const [incident] = await server.services.db.query<{ id: number }>(
      `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at)
       values ($1, $2, 'timeout', 'Slow', now(), now()) returning id`,
      [ada.id, monitor.data.id],
    )
    const target = { teamId: ada.id, incidentId: incident?.id as number, channelId: channel.data.id }
    const url = new URL(createAcknowledgeUrl(server.services.secret, server.address, target))
    const entries = await recordEntries(server, () => server.anyone.post(url.pathname))
    expect(entries.map(toActor)).toEqual([['server', null, 'Belfry']])
    expect(entries).toMatchObject([
      {
        action: 'incident.acknowledged',
        after: { acknowledged_by: expect.stringContaining('ops@example.org') },
        ip: '127.0.0.1',
        request_id: expect.any(String),
      },
    ])
  })

  it('by Belfry itself is one of the server', async () => {
    const { data } = await recordRequest(server, ada.session, 'POST', '/api/v1/websites', {
      domain: `shop-${++count}.example.org`,
      email: 1,
    })
    const entries = await recordEntries(server, () =>
      server.services.db.query('update websites set email = 0 where id = $1', [data.id]),
    )
    expect(entries.map(toActor)).toEqual([['server', null, 'Belfry']])
    expect(entries.map(toChange)).toMatchObject([
      { action: 'website.changed', before: { email: 1 }, after: { email: 0 } },
    ])
  })

  it('of a key that revokes itself names the key', async () => {
    const own = await ada.withKey('monitors:read')
    const { entries } = await recordRequest(server, own, 'DELETE', `/api/keys/${own.keyId}`)
    expect(entries.map(toActor)).toEqual([['key', own.keyId, 'monitors:read']])
  })

  it('that creates or deletes sample data is one entry', async () => {
    const { entries } = await recordRequest(server, ada.session, 'PUT', '/api/sample-data', {})
    expect(entries.map(({ action }) => action)).toEqual(['website.created'])
    const deleted = await recordEntries(server, () => ada.session.delete('/api/sample-data'))
    expect(deleted.map(({ action }) => action)).toEqual(['website.deleted'])
  })

  it('of a very long value only says that it changed', async () => {
    const excluded = Array.from({ length: 100 }, (_, n) => `${n}-${'x'.repeat(110)}`).join('\n')
    const domain = `shop-${++count}.example.org`
    const { entries } = await recordRequest(server, ada.session, 'POST', '/api/v1/websites', {
      domain,
      exclude_params: excluded,
    })
    expect(entries.map(toChange)).toMatchObject([{ after: { domain, exclude_params: '[too long]' } }])
  })
})
