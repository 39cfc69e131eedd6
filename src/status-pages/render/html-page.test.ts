import { describe, expect, it } from 'vitest'
import { createPageSnapshot } from '../../../tests/support/status-page-snapshots.ts'
import { renderStatusPage } from './html-page.ts'

const render = (changes?: Parameters<typeof createPageSnapshot>[0]) =>
  renderStatusPage(createPageSnapshot(changes), { path: '/status/example' })

describe('a status page', () => {
  it('says the state in words, in the tab and on the page', () => {
    expect(render()).toContain('<title>All systems operational · Example status</title>')
    expect(render({ overall: 'partly_down' })).toContain('<h2 role="status">Some systems are down</h2>')
  })
})
