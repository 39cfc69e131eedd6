/** Tests of post templates. They share the server of `posts.test.ts`. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { PostFixture } from './post-support.ts'

export function describePostTemplates(getFixture: () => PostFixture): void {
  describe('/api/status-post-templates', () => {
    let fixture: PostFixture
    beforeAll(() => {
      fixture = getFixture()
    })

    const path = '/api/status-post-templates'
    const template = { name: 'slow', title: 'Slow payments', body: 'We are looking into it.' }

    it('creates, lists, changes and deletes templates', async () => {
      const { status, headers, body } = await fixture.client.post(path, { ...template, name: ' slow ' })
      expect(status).toBe(201)
      const { id } = body.data
      expect(headers.get('location')).toMatch(`${path}/${id}`)
      const now = fixture.server.clock.now().toISOString()
      expect(body.data).toEqual({ id, ...template, state: 'investigating', created_at: now, updated_at: now })
      await fixture.client.post(path, { ...template, name: 'Down', state: 'identified' })
      const list = (await fixture.client.get(path)).body
      expect([list.data.map(({ name }: { name: string }) => name), list.meta.total]).toEqual([['Down', 'slow'], 2])
      fixture.server.clock.advance({ minutes: 1 })
      await fixture.client.call('PATCH', `${path}/${id}`, { json: { body: 'Changed.' } })
      const changedTemplate = (await fixture.client.put(`${path}/${id}`, {})).body.data
      expect(changedTemplate).toEqual({ ...body.data, body: 'Changed.', updated_at: '2026-01-05T10:01:00.000Z' })
      expect((await fixture.client.delete(`${path}/${id}`)).body).toEqual({
        id,
        object: 'post_template',
        deleted: true,
      })
      expect((await fixture.client.get(`${path}/${id}`)).status).toBe(404)
    })

    it('rejects empty texts and more than 100 templates', async () => {
      const { status, body } = await fixture.client.post(path, { name: '\u200b', title: ' ', body: '\n' })
      expect([status, Object.keys(body.errors)]).toEqual([422, ['name', 'title', 'body']])
      await fixture.server.services.db.query(
        `insert into status_post_templates (user_id, name, title, state, body, created_at, updated_at)
         select $1, 'x', 'x', 'resolved', 'x', now(), now() from generate_series(1, 100)`,
        [fixture.owner.id],
      )
      expect((await fixture.client.post(path, template)).body.detail).toBe(
        'You already have 100 templates, which is the limit. Delete one first.',
      )
    })
  })
}
