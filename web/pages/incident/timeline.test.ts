import { describe, expect, it } from 'vitest'
import { listTimeline } from './timeline.ts'

const at = (minute: number, second = 0) => new Date(Date.UTC(2026, 0, 5, 10, minute, second)).toISOString()
const incident = {
  started_at: at(0),
  detected_at: at(1),
  acknowledged_at: at(10),
  resolved_at: at(30),
  notes: [{ id: 1, text: 'Disk full', author: 'ada@example.com', created_at: at(12) }],
}

let lastId = 0
const createAlert = (
  event: 'down' | 'reminder' | 'recovered',
  state: 'sent' | 'waiting' | 'skipped',
  time: string,
) => ({
  id: `${++lastId}`,
  event,
  state,
  created_at: at(1),
  last_attempt_at: state === 'sent' ? time : null,
  next_attempt_at: state === 'waiting' ? time : null,
})

const summarize = (...[incident, alerts]: Parameters<typeof listTimeline>) =>
  listTimeline(incident, alerts).map((event) =>
    event.kind === 'alerts' ? `${event.alerts.length} ${event.event} ${event.state}` : event.kind,
  )

describe('the timeline of an incident', () => {
  it('lists the newest event first, and alerts of the same minute as one event', () => {
    const alerts = [
      createAlert('recovered', 'sent', at(30, 2)),
      createAlert('down', 'sent', at(1, 2)),
      createAlert('down', 'sent', at(1, 4)),
      createAlert('down', 'sent', at(6)),
      createAlert('down', 'skipped', at(20)),
    ]
    expect(summarize(incident, alerts)).toEqual([
      '1 recovered sent',
      'resolved',
      'note',
      'acknowledged',
      '1 down sent',
      '2 down sent',
      '1 down skipped',
      'detected',
      'started',
    ])
  })

  it('has no detection of its own if the first failed check opened the incident', () => {
    const open = { started_at: at(0), detected_at: at(0), acknowledged_at: null, resolved_at: null, notes: [] }
    expect(summarize(open, [createAlert('down', 'waiting', at(15))])).toEqual(['1 down waiting', 'started'])
  })
})
