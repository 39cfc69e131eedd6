import { describe, expect, it } from 'vitest'
import { clusterIncidents, mergePeriods, WHOLE_WEBSITE } from './outages.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 5, 10, minute))
const incident = (id: number, from: number, to: number, scope = 'example.com') => ({
  id,
  scope,
  from: at(from),
  to: at(to),
})
const listClusters = (...incidents: ReturnType<typeof incident>[]) =>
  clusterIncidents(incidents).map(({ scope, from, to, incidents }) => ({
    scope,
    minutes: [from.getUTCMinutes(), to.getUTCMinutes()],
    ids: incidents.map(({ id }) => id),
  }))

describe('overlapping incidents', () => {
  it('are one outage if they concern the same host', () => {
    expect(listClusters(incident(1, 0, 10), incident(2, 5, 20), incident(3, 20, 30))).toEqual([
      { scope: 'example.com', minutes: [0, 20], ids: [1, 2] },
      { scope: 'example.com', minutes: [20, 30], ids: [3] },
    ])
  })

  it('are separate outages if they concern different hosts', () => {
    expect(listClusters(incident(1, 0, 10), incident(2, 5, 20, 'api.example.com'))).toHaveLength(2)
  })

  it('are one outage if one of them concerns the whole website', () => {
    expect(
      listClusters(incident(1, 0, 10), incident(2, 5, 8, 'api.example.com'), incident(3, 7, 30, WHOLE_WEBSITE)),
    ).toEqual([{ scope: WHOLE_WEBSITE, minutes: [0, 30], ids: [1, 2, 3] }])
  })

  it('count once as downtime', () => {
    const periods = [incident(1, 0, 10), incident(2, 2, 5), incident(3, 10, 20), incident(4, 30, 40)]
    expect(mergePeriods(periods)).toEqual([
      { from: at(0), to: at(20) },
      { from: at(30), to: at(40) },
    ])
  })
})
