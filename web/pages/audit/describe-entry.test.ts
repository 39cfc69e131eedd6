import { describe, expect, it } from 'vitest'
import type { AuditRecord } from '../../../src/audit/schema.ts'
import { describeEntry, findObjectPath, listChanges } from './describe-entry.ts'

const ada = { kind: 'user' as const, id: 1, name: 'ada@example.com' }

const createEntry = (entry: Partial<AuditRecord> & Pick<AuditRecord, 'action' | 'object'>): AuditRecord => ({
  id: 1,
  at: '2026-01-05T10:00:00.000Z',
  actor: ada,
  object_id: 12,
  object_name: 'Shop',
  before: null,
  after: null,
  ip: null,
  request_id: null,
  ...entry,
})

function toSentence(entry: AuditRecord): string {
  const { actor, verb, name, end } = describeEntry(entry)
  return [actor, verb, name, end].filter(Boolean).join(' ')
}

describe('describeEntry', () => {
  it.each([
    [{ action: 'monitor.paused', object: 'monitor' }, 'ada@example.com paused the monitor Shop'],
    [{ action: 'status_page.created', object: 'status_page' }, 'ada@example.com added the status page Shop'],
    [
      {
        action: 'member.role_changed',
        object: 'member',
        object_name: 'eve@example.com',
        before: { role: 'admin' },
        after: { role: 'viewer' },
      },
      'ada@example.com changed the role of eve@example.com from admin to viewer',
    ],
    [
      { action: 'member.joined', object: 'member', object_name: 'ada@example.com', after: { role: 'admin' } },
      'ada@example.com joined the team as admin',
    ],
    [
      {
        action: 'member.joined',
        object: 'member',
        object_name: 'eve@example.com',
        actor: { kind: 'server', id: null, name: 'Belfry' },
        after: { role: 'admin' },
      },
      'Belfry added eve@example.com to the team as admin',
    ],
    [{ action: 'member.left', object: 'member', object_name: 'ada@example.com' }, 'ada@example.com left the team'],
    [
      { action: 'member.removed', object: 'member', object_name: 'eve@example.com' },
      'ada@example.com removed eve@example.com from the team',
    ],
    [
      { action: 'team.renamed', object: 'team', object_name: 'New', before: { name: 'Old' }, after: { name: 'New' } },
      'ada@example.com renamed the team Old to New',
    ],
    [
      { action: 'monitor.deleted', object: 'monitor', actor: { kind: 'key', id: 3, name: 'deploy' } },
      'API key deploy deleted the monitor Shop',
    ],
    [
      {
        action: 'user.password_reset',
        object: 'user',
        object_name: 'eve@example.com',
        actor: { kind: 'command', id: null, name: 'user password' },
      },
      'Command user password reset the password of eve@example.com',
    ],
    [{ action: 'website.something_new', object: 'website' }, 'ada@example.com something new the website Shop'],
  ] as const)('says %o in a sentence', (entry, sentence) => {
    expect(toSentence(createEntry(entry as never))).toBe(sentence)
  })
})

describe('findObjectPath', () => {
  it('leads to what still exists', () => {
    expect(findObjectPath(createEntry({ action: 'monitor.paused', object: 'monitor' }))).toBe('/monitors/12')
    expect(findObjectPath(createEntry({ action: 'monitor.deleted', object: 'monitor' }))).toBe(undefined)
  })
})

describe('listChanges', () => {
  it('names each field, with its values in words', () => {
    expect(
      listChanges({ before: { is_active: true, tags: ['a', 'b'] }, after: { is_active: false, tags: [] } }),
    ).toEqual([
      { name: 'Active', before: 'Yes', after: 'No' },
      { name: 'Tags', before: 'a, b', after: '–' },
    ])
    expect(listChanges({ before: null, after: { retry_interval: 5 } })).toEqual([
      { name: 'Retry interval', before: undefined, after: '5' },
    ])
  })
})
