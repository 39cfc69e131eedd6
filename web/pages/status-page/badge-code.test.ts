import { expect, it } from 'vitest'
import { type BadgeChoice, badgeFormats, buildBadgePath } from './badge-code.ts'

const choice: BadgeChoice = { monitorId: undefined, type: 'state', period: '30d', name: 'Example' }

it("the URL of a badge leaves out the server's defaults", () => {
  expect(buildBadgePath('example', choice)).toBe('status/example/badge.svg')
  expect(buildBadgePath('example', { ...choice, monitorId: 3, type: 'uptime' })).toBe(
    'status/example/3/badge.svg?type=uptime',
  )
  expect(buildBadgePath('example', { ...choice, type: 'uptime', period: '90d' })).toBe(
    'status/example/badge.svg?type=uptime&period=90d',
  )
  expect(buildBadgePath('example', { ...choice, type: 'response_time', period: '90d' })).toBe(
    'status/example/badge.svg?type=response_time',
  )
})

it('the code of a badge escapes its name in Markdown and HTML', () => {
  const urls = { badge: 'https://stats.example.com/b.svg?type=uptime&period=90d', page: 'https://status.example.com/' }
  const hostile = { ...choice, name: 'A "B" [C]' }
  expect(badgeFormats.markdown(hostile, urls)).toBe(String.raw`[![A "B" \[C\]](${urls.badge})](${urls.page})`)
  expect(badgeFormats.html(hostile, urls)).toBe(
    '<a href="https://status.example.com/"><img src="https://stats.example.com/b.svg?type=uptime&amp;period=90d" alt="A &quot;B&quot; [C]"></a>',
  )
  expect(badgeFormats.url(hostile, urls)).toBe(urls.badge)
})
