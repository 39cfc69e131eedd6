import { describe, expect, it } from 'vitest'
import { createSampleMessages, createSampleSummary } from '../../../tests/support/sample-messages.ts'
import { listMailReferences } from './thread.ts'

const messages = createSampleMessages()
const incidentReference = `belfry-incident-5-${Date.parse('2026-01-05T10:00:00.000Z').toString(36)}`

describe('the references of emails', () => {
  it.each([
    ['down', [incidentReference]],
    ['reminder', [incidentReference]],
    ['recovered', [incidentReference]],
    ['certificate', ['belfry-monitor-3-expiry-2026-01-19']],
    ['spike', ['belfry-monitor-3-spike-2026-01-05']],
    ['test', []],
  ] as const)('are the same for all emails about one thing: %s', (kind, references) => {
    expect(listMailReferences(messages[kind])).toEqual(references)
  })

  it('name each of several incidents, up to 20', () => {
    const summary = createSampleSummary()
    expect(listMailReferences(summary)).toHaveLength(3)
    const { subjects = [] } = summary.summary ?? {}
    const manySubjects = Array.from({ length: 30 }, (_, id) => {
      const [subject] = subjects
      return { ...subject, incident: { ...subject?.incident, id } } as (typeof subjects)[number]
    })
    const sections = summary.summary?.sections ?? []
    const longSummary = { ...summary, summary: { sections, moreCount: 0, subjects: manySubjects } }
    expect(listMailReferences(longSummary)).toHaveLength(20)
  })
})
