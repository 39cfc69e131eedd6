/** Tests of the updates of a post. They share the server of `posts.test.ts`. */
import { beforeAll, describe, expect, it } from 'vitest'
import { insertStatusPage, insertStatusPost } from '../../support/status-pages.ts'
import { type PostFixture, slowPayments } from './post-support.ts'

export function describePostUpdates(getFixture: () => PostFixture): void {
  describe('the updates of a post', () => {
    let fixture: PostFixture
    let postsPath: string
    beforeAll(() => {
      fixture = getFixture()
      postsPath = fixture.postsPath
    })

    it('are listed oldest first, and the latest update determines the state of the post', async () => {
      const { id } = await fixture.create()
      for (const state of ['identified', 'resolved', 'resolved', 'monitoring']) {
        fixture.server.clock.advance({ minutes: 1 })
        const update = await fixture.addUpdate(id, state)
        expect((await fixture.client.get(`${postsPath}/${id}/updates/${update.id}`)).body.data).toEqual(update)
        const resolvedAt = state === 'resolved' ? '2026-01-05T10:02:00.000Z' : null
        expect(await fixture.read(id)).toMatchObject({ state, resolved_at: resolvedAt, latest_update: update })
      }
      const updates = await fixture.listUpdates(id)
      expect(updates.map(({ state }) => state)).toEqual([
        'investigating',
        'identified',
        'resolved',
        'resolved',
        'monitoring',
      ])
      expect(updates.map(({ id }) => id)).toEqual(updates.map(({ id }) => id).toSorted((a, b) => a - b))
      expect(await fixture.read(id)).toMatchObject({ update_count: 5, body: slowPayments.body })
    })

    it('can be corrected and deleted, and the latest remaining update determines the state of the post', async () => {
      const { id } = await fixture.create()
      fixture.server.clock.advance({ minutes: 1 })
      const resolvingUpdate = await fixture.addUpdate(id, 'resolved')
      fixture.server.clock.advance({ minutes: 1 })
      const reopeningUpdate = await fixture.addUpdate(id, 'monitoring')
      const changeResponse = await fixture.client.call('PATCH', `${postsPath}/${id}/updates/${reopeningUpdate.id}`, {
        json: { body: 'Again. ' },
      })
      expect(changeResponse.body.data).toEqual({
        ...reopeningUpdate,
        body: 'Again.',
        updated_at: '2026-01-05T10:02:00.000Z',
      })
      expect((await fixture.client.delete(`${postsPath}/${id}/updates/${reopeningUpdate.id}`)).body).toEqual({
        id: reopeningUpdate.id,
        object: 'post_update',
        deleted: true,
      })
      expect(await fixture.read(id)).toMatchObject({ state: 'resolved', resolved_at: '2026-01-05T10:01:00.000Z' })
      await fixture.client.put(`${postsPath}/${id}/updates/${resolvingUpdate.id}`, { state: 'identified' })
      expect(await fixture.read(id)).toMatchObject({ state: 'identified', resolved_at: null })
    })

    it('always include the first update, which cannot be deleted', async () => {
      const { id, latest_update } = await fixture.create()
      const { status, body } = await fixture.client.delete(`${postsPath}/${id}/updates/${latest_update.id}`)
      expect(status).toBe(409)
      expect(body.detail).toBe('The first update is the text of the post itself. Delete the post instead.')
      expect((await fixture.read(id)).update_count).toBe(1)
    })

    it('are found only under the path of their own page and post', async () => {
      const [post, otherPost] = [await fixture.create(), await fixture.create()]
      const otherPageId = await insertStatusPage(fixture.server.services.db, fixture.owner.id, { slug: 'other' })
      for (const path of [
        `${postsPath}/${otherPost.id}/updates/${post.latest_update.id}`,
        `/api/status-pages/${otherPageId}/posts/${post.id}/updates/${post.latest_update.id}`,
        `/api/status-pages/${otherPageId}/posts/${post.id}`,
      ]) {
        for (const method of ['GET', 'PUT', 'DELETE']) {
          expect((await fixture.client.call(method, path, method === 'PUT' ? { json: {} } : {})).status).toBe(404)
        }
      }
      expect((await fixture.client.get(`/api/status-pages/${otherPageId}/posts`)).body.data).toEqual([])
    })

    it('are stored one after the other, so the post has the state of the update with the highest id', async () => {
      const { id } = await fixture.create()
      const states = ['identified', 'resolved', 'monitoring', 'resolved', 'identified', 'monitoring']
      await Promise.all(states.map((state) => fixture.addUpdate(id, state)))
      const updates = await fixture.listUpdates(id)
      expect(updates.map(({ state }) => state).toSorted()).toEqual(['investigating', ...states].toSorted())
      const { state, resolved_at } = await fixture.read(id)
      expect(state).toBe(updates.at(-1)?.state)
      expect(resolved_at !== null).toBe(state === 'resolved')
    })

    it('are limited to 200', async () => {
      const updates = Array.from({ length: 200 }, () => ({ state: 'monitoring' as const, body: 'x' }))
      const id = await insertStatusPost(fixture.server.services.db, fixture.owner.id, fixture.pageId, { updates })
      const { status, body } = await fixture.client.post(`${postsPath}/${id}/updates`, {
        state: 'resolved',
        body: 'Done.',
      })
      expect(status).toBe(422)
      expect(body.detail).toBe('The post already has 200 updates, which is the limit. Write a new post.')
      expect((await fixture.read(id)).state).toBe('monitoring')
    })
  })
}
