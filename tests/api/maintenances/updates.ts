/** Changes of maintenances. These tests are part of maintenances.test.ts, because starting another server takes longer than they do. */
import { describe, expect, it } from 'vitest'
import { createMonitor } from '../../support/monitors.ts'
import { type MaintenanceFixture, maintenancesPath as path } from './support.ts'

export function describeUpdates(fixture: () => MaintenanceFixture): void {
  describe('PUT and PATCH /api/maintenances/:id', () => {
    const patch = (id: number, fields: object) => fixture().client.call('PATCH', `${path}/${id}`, { json: fields })

    it('keep the fields that are not sent', async () => {
      const { updated_at: _, ...maintenance } = await fixture().create({ tags: ['shop'], note: 'A note' })
      fixture().server.clock.advance({ minutes: 1 })
      expect((await patch(maintenance.id, { title: 'Upgrade' })).body.data).toEqual({
        ...maintenance,
        title: 'Upgrade',
        updated_at: '2026-01-05T10:01:00.000Z',
      })
      expect((await patch(maintenance.id, {})).body.data.title).toBe('Upgrade')
      expect((await fixture().client.put(`${path}/${maintenance.id}`, { note: null })).body.data).toMatchObject({
        note: null,
        tags: ['shop'],
      })
    })

    it('accept all fields of a maintenance as GET returns them', async () => {
      const recurrence = { cron: '0 2 * * *', duration_seconds: 3_600 }
      for (const fields of [{}, { duration_seconds: undefined, recurrence }]) {
        const maintenance = await fixture().create(fields)
        const { id, state: _, created_at: __, updated_at: ___, ...sent } = maintenance
        expect((await fixture().client.put(`${path}/${id}`, sent)).body.data).toEqual(maintenance)
      }
    })

    it('move a planned maintenance, even to a start that is now', async () => {
      const { id } = await fixture().create({ starts_at: '2026-01-06T00:00:00Z' })
      expect((await patch(id, { starts_at: '2026-01-05T12:00:00Z', duration_seconds: 60 })).body.data).toMatchObject({
        starts_at: '2026-01-05T12:00:00.000Z',
        ends_at: '2026-01-05T12:01:00.000Z',
        state: 'scheduled',
      })
      expect((await patch(id, { starts_at: '2026-01-05T10:00:00Z' })).body.data).toMatchObject({ state: 'active' })
      expect(await fixture().isInMaintenance()).toBe(true)
    })

    it('extend or shorten a maintenance in progress, but do not move its start', async () => {
      const { id } = await fixture().create()
      expect((await patch(id, { duration_seconds: 3_600 })).body.data.ends_at).toBe('2026-01-05T11:00:00.000Z')
      fixture().server.clock.advance({ minutes: 45 })
      await fixture().handleDueWindows()
      expect(await fixture().isInMaintenance()).toBe(true)
      for (const [fields, errors] of [
        [
          { starts_at: '2026-01-05T10:15:00Z' },
          { starts_at: ["`starts_at` can't change while the maintenance is in progress."] },
        ],
        [{ ends_at: '2026-01-05T10:45:00Z' }, { ends_at: ['`ends_at` must be in the future.'] }],
      ] as const)
        expect((await patch(id, fields)).body.errors).toEqual(errors)
      expect((await patch(id, { ends_at: '2026-01-05T10:46:00Z' })).status).toBe(200)
      fixture().server.clock.advance({ minutes: 1 })
      await fixture().handleDueWindows()
      expect(await fixture().isInMaintenance()).toBe(false)
    })

    it('do not change the times of a maintenance that has ended', async () => {
      const { id } = await fixture().create()
      fixture().server.clock.advance({ minutes: 30 })
      expect((await patch(id, { ends_at: '2026-01-05T12:00:00Z' })).body.errors).toEqual({
        ends_at: ["`ends_at` can't change, because the maintenance has ended: create another one."],
      })
      expect((await patch(id, { title: 'Done' })).body.data).toMatchObject({ title: 'Done', state: 'past' })
    })

    it('change the monitors of a maintenance in progress immediately', async () => {
      const { monitorId, foreignMonitorId } = fixture()
      const taggedMonitor = await createMonitor(fixture().client, { tags: ['Eu'] })
      const { id } = await fixture().create({ all_monitors: false, tags: ['EU'] })
      expect([await fixture().isInMaintenance(), await fixture().isInMaintenance(taggedMonitor.id)]).toEqual([
        false,
        true,
      ])
      await patch(id, { tags: [], monitor_ids: [monitorId] })
      expect([await fixture().isInMaintenance(), await fixture().isInMaintenance(taggedMonitor.id)]).toEqual([
        true,
        false,
      ])
      expect((await patch(id, { monitor_ids: [foreignMonitorId] })).status).toBe(422)
      expect(await fixture().read(id)).toMatchObject({ monitor_ids: [monitorId] })
    })

    it('change a maintenance even if its last monitor was deleted', async () => {
      const { id: deletedId } = await createMonitor(fixture().client)
      const { id } = await fixture().create({ all_monitors: false, monitor_ids: [deletedId] })
      await fixture().client.delete(`/api/monitors/${deletedId}`)
      expect((await patch(id, { title: 'Empty' })).body.data).toMatchObject({ title: 'Empty', monitor_ids: [] })
      expect((await patch(id, { all_monitors: false })).body.errors).toHaveProperty('monitor_ids')
      expect((await patch(id, { tags: ['shop'] })).status).toBe(200)
    })

    it('change a recurrence from its next window on, or end it', async () => {
      const { id } = await fixture().create({
        duration_seconds: undefined,
        recurrence: { cron: '0 * * * *', duration_seconds: 600 },
      })
      fixture().server.clock.advance({ minutes: 60 })
      await fixture().handleDueWindows()
      expect(await fixture().read(id)).toMatchObject({ state: 'active', ends_at: '2026-01-05T11:10:00.000Z' })
      const recurrence = { cron: '30 * * * *', duration_seconds: 60 }
      expect((await patch(id, { recurrence })).body.data.ends_at).toBe('2026-01-05T11:10:00.000Z')
      fixture().server.clock.advance({ minutes: 10 })
      await fixture().handleDueWindows()
      expect(await fixture().read(id)).toMatchObject({ state: 'scheduled', starts_at: '2026-01-05T11:30:00.000Z' })
      expect((await patch(id, { recurrence: null })).body.data).toMatchObject({
        starts_at: '2026-01-05T11:30:00.000Z',
        ends_at: '2026-01-05T11:31:00.000Z',
        recurrence: null,
      })
      fixture().server.clock.advance({ minutes: 21 })
      await fixture().handleDueWindows()
      expect(await fixture().read(id)).toMatchObject({ state: 'past' })
    })
  })

  describe('POST /api/maintenances/:id/end', () => {
    const end = (id: number) => fixture().client.post(`${path}/${id}/end`, {})

    it('ends a maintenance in progress, and does nothing if it has already ended', async () => {
      const { id } = await fixture().create()
      fixture().server.clock.advance({ minutes: 10 })
      const { status, body } = await end(id)
      expect(status).toBe(200)
      expect(body.data).toMatchObject({ state: 'past', ends_at: '2026-01-05T10:10:00.000Z' })
      expect(await fixture().isInMaintenance()).toBe(false)
      fixture().server.clock.advance({ minutes: 1 })
      expect((await end(id)).body.data).toEqual(body.data)
    })

    it('keeps the next window of a recurring maintenance', async () => {
      const { id } = await fixture().create({
        duration_seconds: undefined,
        recurrence: { cron: '0 * * * *', duration_seconds: 600 },
      })
      fixture().server.clock.advance({ minutes: 61 })
      expect((await end(id)).body.data).toMatchObject({ state: 'scheduled', starts_at: '2026-01-05T12:00:00.000Z' })
      expect(await fixture().isInMaintenance()).toBe(false)
    })

    it('refuses a maintenance that has not begun', async () => {
      const { id } = await fixture().create({ starts_at: '2026-01-06T00:00:00Z' })
      const { status, body } = await end(id)
      expect(status).toBe(409)
      expect(body.detail).toBe('The maintenance is not in progress. Change or delete it instead.')
    })
  })
}
